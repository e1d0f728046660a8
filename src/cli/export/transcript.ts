import { stripVTControlCharacters } from "node:util";
import type { AssistantData, LogEntry, UserBlock } from "../../core/index.ts";
import type { Agent, Session, SessionTotals, Store } from "../../store/index.ts";
import { plural } from "../layout.ts";
import { diffFiles, type FileDiff } from "./diff.ts";

/** A conversation as a person reads it, piece by piece. */
export type Part =
  | { readonly type: "head"; readonly title: string; readonly session: Session; readonly totals: SessionTotals }
  /** What follows is another agent's. Left out where there is only one. */
  | { readonly type: "agent"; readonly agent: Agent; readonly parent?: Agent }
  | { readonly type: "user"; readonly time: number; readonly blocks: readonly UserBlock[] }
  | { readonly type: "answer"; readonly time: number; readonly data: AssistantData }
  | {
      readonly type: "result";
      readonly name: string;
      readonly is_error: boolean;
      readonly blocks: readonly UserBlock[];
      readonly exit_code?: number;
    }
  | { readonly type: "change"; readonly path: string; readonly what: string; readonly diff: FileDiff }
  | { readonly type: "note"; readonly time: number; readonly text: string }
  /** Long, and rarely what is looked for. */
  | { readonly type: "fold"; readonly title: string; readonly text: string };

/** Everything that happened, also what was rewound or cleared: the notes say so. One agent after the other. */
export async function* transcript(
  store: Store,
  session: Session,
  hideIn: <Value>(value: Value) => Value,
): AsyncGenerator<Part, void, undefined> {
  const agents = (await store.agents.list(session.uuid)).map(hideIn);
  const [totals] = await store.sessions.totals([session.uuid]);
  const title = await titleOf(store, session, agents);
  if (totals !== undefined) yield hideIn({ type: "head", title, session, totals });
  const named = new Map(agents.map((agent) => [agent.uuid, agent]));
  for (const agent of agents) {
    const parent = agent.parent_uuid === undefined ? undefined : named.get(agent.parent_uuid);
    if (agents.length > 1) yield { type: "agent", agent, ...(parent === undefined ? {} : { parent }) };
    yield* agentParts(store, { agent, named, hideIn });
  }
}

async function titleOf(store: Store, session: Session, agents: readonly Agent[]): Promise<string> {
  if (session.title !== undefined) return session.title;
  for (const { uuid } of agents) {
    const [first] = await store.history.log(uuid, { kinds: ["user"], limit: 1 });
    if (first?.content !== undefined && first.content.trim() !== "") return firstWords(first.content);
  }
  return "A conversation";
}

function firstWords(text: string): string {
  const line = withoutControls(text).trim().replaceAll(/\s+/g, " ");
  return line.length <= titleLength ? line : `${line.slice(0, titleLength).toWellFormed()}…`;
}

type AgentSource = {
  readonly agent: Agent;
  readonly named: ReadonlyMap<string, Agent>;
  readonly hideIn: <Value>(value: Value) => Value;
};

async function* agentParts(store: Store, source: AgentSource): AsyncGenerator<Part, void, undefined> {
  /** Of calls that wait for their result. */
  const tools = new Map<string, string>();
  for (let after_id = 0; ;) {
    const entries = await store.history.log(source.agent.uuid, { after_id, limit: pageSize });
    for (const entry of entries) {
      const part = await partOf(store, source.hideIn(entry), { ...source, tools });
      if (part !== undefined) yield source.hideIn(part);
    }
    const last = entries.at(-1)?.id;
    if (last === undefined) return;
    after_id = last;
  }
}

async function partOf(
  store: Store,
  entry: LogEntry,
  context: AgentSource & { readonly tools: Map<string, string> },
): Promise<Part | undefined> {
  const time = entry.created_at;
  switch (entry.kind) {
    case "user":
      return { type: "user", time, blocks: entry.data?.blocks ?? [{ type: "text", text: entry.content }] };
    case "assistant":
      for (const block of entry.data.blocks) if (block.type === "tool_call") context.tools.set(block.id, block.name);
      return { type: "answer", time, data: entry.data };
    case "tool_result": {
      const { tool_call_id, is_error, exit_code, blocks } = entry.data;
      const name = entry.data.name ?? context.tools.get(tool_call_id) ?? "tool";
      context.tools.delete(tool_call_id);
      const content = blocks ?? [{ type: "text", text: entry.content }];
      return { type: "result", name, is_error, blocks: content, ...(exit_code === undefined ? {} : { exit_code }) };
    }
    case "file_change":
      return changePart(store, entry);
    case "system":
      return { type: "fold", title: "System prompt", text: entry.content };
    case "compact":
      return { type: "fold", title: "Summary, from here on in the place of what came before", text: entry.content };
    case "capture":
      return { type: "fold", title: "A task for another agent", text: entry.content };
    case "mail": {
      const { from_uuid } = entry.data;
      const from = from_uuid === undefined ? "outside" : agentName(from_uuid, context.named);
      return { type: "fold", title: `Mail from ${from}`, text: entry.content };
    }
    // The call is a block of the answer before it.
    case "tool_call":
      return undefined;
    default: {
      const text = noteText(entry, context.named);
      return { type: "note", time, text };
    }
  }
}

async function changePart(store: Store, entry: LogEntry & { readonly kind: "file_change" }): Promise<Part> {
  const { before, after } = entry.data;
  const what = before === undefined ? "made" : after === undefined ? "removed" : "changed";
  const bytes = async (hash: string | undefined): Promise<Uint8Array | "none" | undefined> =>
    hash === undefined ? "none" : store.blobs.get(hash);
  return { type: "change", path: entry.content, what, diff: diffFiles(await bytes(before), await bytes(after)) };
}

type Noted = Exclude<
  LogEntry["kind"],
  "user" | "assistant" | "tool_result" | "file_change" | "system" | "compact" | "capture" | "mail" | "tool_call"
>;

function noteText(entry: LogEntry & { readonly kind: Noted }, named: ReadonlyMap<string, Agent>): string {
  const said = entry.content === undefined ? "" : `: ${entry.content}`;
  switch (entry.kind) {
    case "clear":
      return "Cleared: what stands above is no longer in force";
    case "mark":
      return `Mark${said}`;
    case "rewind":
      return `Rewound${said}: what came after that place is no longer in force`;
    case "fork":
      return `Forked ${agentName(entry.data.child_uuid, named)}${said}`;
    case "agent_killed":
      return `Killed${said}`;
    case "interrupted":
      return `Interrupted (${entry.data.reason})${said}`;
    case "command":
      return `Command${said}`;
    case "pin":
      return `Pinned${said}`;
    case "unpin":
      return entry.content === undefined ? "Unpinned everything" : `Unpinned${said}`;
    case "model": {
      const { provider, model, thinking_level } = entry.data;
      return `Model: ${provider}:${model}${thinking_level === undefined ? "" : `/${thinking_level}`}`;
    }
    case "toolset":
      return `Tools: ${entry.data.tools.length === 0 ? "none" : entry.data.tools.join(", ")}`;
  }
}

export function agentName(uuid: string, named: ReadonlyMap<string, Agent>): string {
  const name = named.get(uuid)?.name;
  return name === undefined ? `agent ${uuid.slice(0, 8)}` : name;
}

/** `1,234 tokens · $0.0123 · 3.2 s`, as far as it is known. */
export function answerFacts({ usage, cost_usd, latency_ms }: AssistantData): string {
  const facts = [
    ...(usage === undefined ? [] : [plural(usage.total_tokens, "token")]),
    ...(usage === undefined ? [] : [cost_usd === undefined ? "$?" : `$${cost_usd.toFixed(4)}`]),
    ...(latency_ms === undefined ? [] : [`${(latency_ms / 1000).toFixed(1)} s`]),
  ];
  return facts.join(" · ");
}

/** What a reader has to know of an answer that did not end well. */
export function answerTrouble({ error, incomplete, finish_reason }: AssistantData): string | undefined {
  if (error !== undefined) return `Failed: ${error.category}: ${error.message}`;
  if (incomplete === true) return "Interrupted: this is what had arrived";
  if (finish_reason === "length") return "Cut off: the limit of the output was reached";
  return finish_reason === "content_filter" ? "Stopped by the provider's content filter" : undefined;
}

/** Only a page on the web or an address of mail is a link; anything else a reader could be tricked into. */
export function isSafeLink(href: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(href);
}

/** Without what no file for people needs and no terminal should get: colours, bells, orders. */
export function withoutControls(text: string): string {
  const plain = stripVTControlCharacters(text).replaceAll(/\r\n?/g, "\n");
  // oxlint-disable-next-line no-control-regex -- these are what this is about
  return plain.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

const titleLength = 72;
const pageSize = 100;
