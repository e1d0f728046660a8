import type { AgentEvent, Agents } from "../../agent/index.ts";
import { createPicker, pickerMatches, type PickerItem } from "../../term/index.ts";
import { shortId } from "../commands/figures.ts";
import type { Question } from "../host.ts";
import type { LineSource } from "./lines.ts";
import type { Output } from "./output.ts";

export type Asking = {
  readonly lines: LineSource;
  readonly output: Output;
  readonly interactive: boolean;
  readonly signal: AbortSignal;
};

/** One of few, by its letter, its number or its name. No answer where the input has ended or goes on with something else. */
export async function askInLines<Value>(question: Question<Value>, asking: Asking): Promise<Value | undefined> {
  const { output } = asking;
  const { title, body = [], options, selected } = question;
  output.lines([title, ...body, ...options.map(({ label, key }, index) => `  ${index + 1} or ${key}: ${label}`)]);
  const usual = selected === undefined ? undefined : options[selected];
  const empty = usual === undefined ? "" : `, empty line: ${usual.label}`;
  for (;;) {
    const typed = await answerTo(`Answer (${options.map(({ key }) => key).join("/")}${empty}): `, asking);
    if (typed === undefined) return undefined;
    const word = typed.trim().toLowerCase();
    if (word === "") return usual?.value;
    const chosen =
      options.find(({ key, label }) => key === word || label.toLowerCase() === word) ??
      (/^[1-9]$/.test(word) ? options[Number(word) - 1] : undefined);
    if (chosen !== undefined) return chosen.value;
    if (!takenAnyway(typed, asking)) return undefined;
  }
}

/** One of many, by its number or a part of its name. */
export async function pickInLines<Value>(
  title: string,
  items: readonly PickerItem<Value>[],
  asking: Asking,
): Promise<Value | undefined> {
  let shown = items;
  for (;;) {
    sayList(title, shown, asking.output);
    const typed = await answerTo("Number or part of a name (empty line: none): ", asking);
    const word = typed?.trim() ?? "";
    if (word === "") return undefined;
    if (/^\d+$/.test(word) && Number(word) >= 1 && Number(word) <= shown.length) return shown[Number(word) - 1]?.value;
    const exact = items.find(({ label }) => label === word);
    if (exact !== undefined) return exact.value;
    const found = pickerMatches(createPicker(title, items, { query: word }));
    if (found.length === 1) return found[0]?.value;
    if (found.length > 0 && asking.interactive) shown = found;
    else if (!takenAnyway(typed ?? "", asking)) return undefined;
  }
}

function sayList<Value>(title: string, items: readonly PickerItem<Value>[], output: Output): void {
  output.line(`${title}:`);
  for (const [index, { label, hint }] of items.slice(0, listedMax).entries()) {
    output.line(`  ${index + 1} ${label.replace(/\s+/g, " ")}${hint === undefined || hint === "" ? "" : ` (${hint})`}`);
  }
  if (items.length > listedMax) output.line(`  and ${items.length - listedMax} more`);
}

async function answerTo(prompt: string, { lines, output, interactive, signal }: Asking): Promise<string | undefined> {
  output.ask(prompt);
  const typed = await lines.answer({ new_only: interactive, signal });
  output.asked(typed === undefined ? "given_up" : "answered");
  if (typed !== undefined && !interactive) output.line(`${prompt}${typed}`);
  return typed;
}

/** Who types is asked again; a line of a script that is no answer is the script's next line. */
function takenAnyway(typed: string, { lines, output, interactive }: Asking): boolean {
  if (interactive) output.line("That is none of the answers.");
  else {
    output.line("That is none of the answers: it stays unanswered, and the line is taken for itself.");
    lines.putBack(typed);
  }
  return interactive;
}

/** What agents ask of a person, one question after the other. */
export type Approvals = { readonly hear: (event: AgentEvent) => void; readonly settled: () => Promise<void> };

export function createApprovals(
  agents: () => Agents,
  ask: <Value>(question: Question<Value>, signal: AbortSignal) => Promise<Value | undefined>,
  /** Nothing is asked any more. */
  free: () => void,
): Approvals {
  const open = new Map<string, AbortController>();
  let last: Promise<void> = Promise.resolve();
  const add = (event: Asked | Limit, approval_id: string): void => {
    const controller = new AbortController();
    open.set(approval_id, controller);
    last = last.then(async () => {
      if (controller.signal.aborted) return;
      const question = event.type === "approval_asked" ? approvalQuestion(event) : limitQuestion(event);
      const scope = (await ask(question, controller.signal)) ?? "no";
      open.delete(approval_id);
      // Settled by somebody else meanwhile: nobody waits for this answer.
      if (controller.signal.aborted) return;
      const { agent_uuid } = event;
      if (scope === "no") await agents().command({ type: "deny", agent_uuid, approval_id });
      else await agents().command({ type: "approve", agent_uuid, approval_id, scope });
    });
    last = last.catch(() => undefined).then(() => (open.size === 0 ? free() : undefined));
  };
  return {
    hear(event) {
      if (event.type === "approval_asked") add(event, event.approval_id);
      else if (event.type === "limit_reached" && event.approval_id !== undefined) add(event, event.approval_id);
      else if (event.type === "approval_settled") {
        open.get(event.approval_id)?.abort();
        open.delete(event.approval_id);
      }
    },
    settled: () => last,
  };
}

type Asked = Extract<AgentEvent, { readonly type: "approval_asked" }>;
type Limit = Extract<AgentEvent, { readonly type: "limit_reached" }>;
type Answer = "once" | "session" | "always" | "no";

function approvalQuestion(event: Asked): Question<Answer> {
  const { agent_uuid, agent_name, name, summary, detail, reason, proposal_text = [] } = event;
  const pattern = proposal_text.join(", ");
  const lasting = [
    { value: "session", label: `yes, in this session: ${pattern}`, key: "s" },
    { value: "always", label: `yes, always: ${pattern}`, key: "a" },
  ] as const;
  return {
    title: `Agent ${agent_name ?? shortId(agent_uuid)} asks to use ${name}: ${summary}`,
    body: [
      ...(detail === undefined || summary.includes(detail) ? [] : [detail]),
      ...(reason === undefined ? [] : [reason]),
    ],
    options: [
      { value: "once", label: "yes, once", key: "y" },
      ...(pattern === "" ? [] : lasting),
      { value: "no", label: "no", key: "n" },
    ],
    selected: pattern === "" ? 1 : 3,
  };
}

function limitQuestion({ agent_uuid, message }: Limit): Question<Answer> {
  return {
    title: `Agent ${shortId(agent_uuid)} has reached a limit: ${message}`,
    options: [
      { value: "once", label: "go on", key: "y" },
      { value: "no", label: "stop here", key: "n" },
    ],
    selected: 1,
  };
}

const listedMax = 100;
