import type { AgentEvent } from "../agent/index.ts";
import type { LogEntry } from "../core/index.ts";

export type AnswerOutput = {
  readonly agent_uuid: string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Keys that must not be shown, wherever a stream is cut. */
  readonly secrets: readonly string[];
};

/**
 * The answer, once it is whole: a try that broke off and is made again leaves nothing behind, and what a model says
 * before it calls tools is no answer. What had arrived of one that never became whole is printed as well; the exit code
 * says that it did not.
 */
export function wholeAnswers({ agent_uuid, stdout, stderr }: AnswerOutput): (event: AgentEvent) => void {
  return (event) => {
    if (event.type !== "entry" || event.agent_uuid !== agent_uuid || event.entry.kind !== "assistant") return;
    const text = withNewline(event.entry.content);
    if (callsTools(event.entry)) stderr(text);
    else stdout(text);
  };
}

/** Everything the model says, as it comes, for whoever watches. */
export function streamedAnswers({ agent_uuid, stdout, stderr, secrets }: AnswerOutput): (event: AgentEvent) => void {
  const hidden = withoutSecrets(secrets, stdout);
  let open = false;
  const endLine = (): void => {
    hidden.flush();
    if (open) stdout("\n");
    open = false;
  };
  return (event) => {
    if (event.agent_uuid !== agent_uuid) return;
    if (event.type === "stream" && event.event.type === "text_delta" && event.event.text !== "") {
      hidden.write(event.event.text);
      open = !event.event.text.endsWith("\n");
    }
    if (event.type === "entry" && event.entry.kind === "assistant") endLine();
    if (event.type === "retrying" && event.discards) {
      endLine();
      stderr("ikigai: what was printed of this answer does not count; it begins again\n");
    }
  };
}

function callsTools({ data }: LogEntry & { readonly kind: "assistant" }): boolean {
  return data.incomplete !== true && data.blocks.some(({ type }) => type === "tool_call");
}

function withNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** A key may arrive in two pieces: what could be the beginning of one waits for the rest. */
export function withoutSecrets(
  secrets: readonly string[],
  write: (text: string) => void,
): { readonly write: (text: string) => void; readonly flush: () => void } {
  let held = "";
  return {
    write(text) {
      const shown = secrets.reduce((left, secret) => left.replaceAll(secret, "[secret]"), held + text);
      const keep = Math.max(0, ...secrets.map((secret) => beginningAtEnd(shown, secret)));
      held = shown.slice(shown.length - keep);
      if (shown.length > keep) write(shown.slice(0, shown.length - keep));
    },
    flush() {
      if (held !== "") write(held);
      held = "";
    },
  };
}

/** How many characters at the end of a text are the beginning of a secret. */
function beginningAtEnd(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
