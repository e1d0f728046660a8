import type { AgentEvent } from "../../agent/index.ts";
import {
  type Choice,
  type ChoiceOption,
  clean,
  createChoice,
  line,
  type Lines,
  span,
  wrapText,
} from "../../term/index.ts";
import type { State } from "./state.ts";

export type Answer = "once" | "session" | "always" | "no";

/** A question of an agent that waits for a person. It is shown when its agent is. */
export type Pending = {
  readonly id: string;
  readonly agent_uuid: string;
  readonly choice: Choice<Answer>;
  /** When it was first seen. Keys that were on their way before are not for it. */
  readonly painted_at?: number;
};

type Asked = Extract<AgentEvent, { readonly type: "approval_asked" }>;
type Limit = Extract<AgentEvent, { readonly type: "limit_reached" }>;

/** Shows a unified diff in colours; undefined as long as it cannot. */
export type ShowPatch = (patch: string, width: number) => Lines | undefined;

export function approvalQuestion(event: Asked, who: string, showPatch: ShowPatch): Pending {
  const { approval_id, agent_uuid, name, summary, detail, reason, proposal_text = [] } = event;
  const pattern = proposal_text.map(clean).join(", ");
  const lasting: readonly ChoiceOption<Answer>[] =
    pattern === ""
      ? []
      : [
          { value: "session", label: `yes, in this session: ${pattern}`, key: "s" },
          { value: "always", label: `yes, always: ${pattern}`, key: "a" },
        ];
  return {
    id: approval_id,
    agent_uuid,
    choice: choiceOf(
      line(span(`${who} wants to use ${clean(name)}`, { bold: true }), span(titleRest(event), { color: "muted" })),
      (width) => [
        ...detailLines(detail ?? summary, { width, showPatch, isCommand: name === "bash" }),
        ...(reason === undefined ? [] : wrapText(clean(reason), width, { color: "warning" })),
      ],
      [{ value: "once", label: "yes, once", key: "y" }, ...lasting, { value: "no", label: "no", key: "n" }],
    ),
  };
}

/** A diff says what, but not where. */
function titleRest({ detail = "", summary }: Asked): string {
  return /^@@ -\d/m.test(detail) ? `: ${clean(summary)}` : "";
}

/** Undefined: nobody can let it go on. */
export function limitQuestion({ approval_id, agent_uuid, message }: Limit, who: string): Pending | undefined {
  if (approval_id === undefined) return undefined;
  return {
    id: approval_id,
    agent_uuid,
    choice: choiceOf(
      line(span(`${who} has reached a limit`, { bold: true, color: "warning" })),
      (width) => wrapText(clean(message), width),
      [
        { value: "once", label: "go on", key: "y" },
        { value: "no", label: "stop here", key: "n" },
      ],
    ),
  };
}

/** Enter alone never says yes: "no" is what is selected. */
function choiceOf(
  title: Choice<Answer>["title"],
  body: Choice<Answer>["body"],
  options: readonly ChoiceOption<Answer>[],
): Choice<Answer> {
  return createChoice({ title, body, options }, options.length - 1);
}

type Detail = { readonly width: number; readonly showPatch: ShowPatch; readonly isCommand: boolean };

function detailLines(text: string, { width, showPatch, isCommand }: Detail): Lines {
  const start = text.search(/^@@ -\d/m);
  // The lines before it only name the file, as the title of the call does.
  const patch = start === -1 ? undefined : showPatch(clean(text.slice(start)), width);
  if (patch !== undefined) return patch;
  return wrapText(isCommand ? `$ ${clean(text)}` : clean(text), width, { color: "code" });
}

/** The oldest question of the agent that is shown. */
export function questionHere({ questions, here }: State): Pending | undefined {
  return questions.find(({ agent_uuid }) => agent_uuid === here);
}

/** Seen, and long enough: whoever was typing when it came up has noticed it. */
export function isArmed({ painted_at }: Pending, nowMs: number): boolean {
  return painted_at !== undefined && nowMs - painted_at >= armedAfterMs;
}

/** In agents that are not shown. */
export function asksElsewhere({ questions, here }: State): Pending | undefined {
  return questions.find(({ agent_uuid }) => agent_uuid !== here);
}

const armedAfterMs = 350;
