/** What a person is asked, and the answers that are still due. */
export type Questions = {
  /** Shows the question under an id and waits for the answer; a `no` when aborted. */
  readonly ask: (signal: AbortSignal, show: (approval_id: string) => void, covered?: Covered) => Promise<Reply>;
  /** Something was allowed for longer than once: what still waits may be allowed by that, too. */
  readonly reconsider: () => Promise<void>;
  /** False: there is no such question, or no longer. */
  readonly answer: (approval_id: string, reply: Reply) => boolean;
};

/** Whether a question that waits need not be asked any more. */
export type Covered = () => Promise<boolean>;

export type Reply =
  | { readonly allowed: true; readonly scope?: "once" | "session" | "always" }
  | { readonly allowed: false; readonly reason?: string };

export function createQuestions(): Questions {
  const open = new Map<string, Open>();
  let asked = 0;
  return {
    ask: (signal, show, covered) =>
      new Promise((resolve) => {
        const approval_id = String((asked += 1));
        const settle = (reply: Reply): void => {
          if (!open.delete(approval_id)) return;
          signal.removeEventListener("abort", giveUp);
          resolve(reply);
        };
        const giveUp = (): void => settle({ allowed: false, reason: "interrupted" });
        open.set(approval_id, { settle, covered });
        if (signal.aborted) return giveUp();
        signal.addEventListener("abort", giveUp, { once: true });
        show(approval_id);
      }),
    async reconsider() {
      for (const { settle, covered } of open.values()) if (await covered?.()) settle({ allowed: true });
    },
    answer(approval_id, reply) {
      const question = open.get(approval_id);
      question?.settle(reply);
      return question !== undefined;
    },
  };
}

type Open = { readonly settle: (reply: Reply) => void; readonly covered: Covered | undefined };
