/** What a person is asked, and the answers that are still due. */
export type Questions = {
  /** Shows the question under an id and waits for the answer; a `no` when aborted. */
  readonly ask: (signal: AbortSignal, show: (approval_id: string) => void) => Promise<Reply>;
  /** False: there is no such question, or no longer. */
  readonly answer: (approval_id: string, reply: Reply) => boolean;
};

export type Reply =
  | { readonly allowed: true; readonly scope?: "once" | "session" | "always" }
  | { readonly allowed: false; readonly reason?: string };

export function createQuestions(): Questions {
  const open = new Map<string, (reply: Reply) => void>();
  let asked = 0;
  return {
    ask: (signal, show) =>
      new Promise((resolve) => {
        const approval_id = String((asked += 1));
        const settle = (reply: Reply): void => {
          if (!open.delete(approval_id)) return;
          signal.removeEventListener("abort", giveUp);
          resolve(reply);
        };
        const giveUp = (): void => settle({ allowed: false, reason: "interrupted" });
        open.set(approval_id, settle);
        if (signal.aborted) return giveUp();
        signal.addEventListener("abort", giveUp, { once: true });
        show(approval_id);
      }),
    answer(approval_id, reply) {
      const settle = open.get(approval_id);
      settle?.(reply);
      return settle !== undefined;
    },
  };
}
