import { agentStatuses, isEntryKind, isJsonObject, logVersion, type JsonObject, type LogEntry } from "../core/index.ts";
import type { Agent } from "./agents.ts";
import { StoreError } from "./errors.ts";
import type { Letter } from "./mail.ts";
import type { Session } from "./sessions.ts";

/**
 * A history as a stream of plain values, one line of JSON each. What a line points to stands before it. Rows are named by
 * their uuid, never by their place in one database: exported, imported and exported again, the lines are the same.
 */
export type HistoryLine =
  | ({ readonly type: "session"; readonly version: number } & Session)
  | ({ readonly type: "agent" } & Omit<Agent, "owner">)
  | ({ readonly type: "entry" } & Omit<LogEntry, "id">)
  | ({ readonly type: "mail" } & Letter)
  | { readonly type: "blob"; readonly hash: string; readonly base64: string; readonly created_at: number };

/** Lines come from files, and files from anywhere: what is believed here is written, shown and sent to models later. */
export function checkedLine(value: unknown): HistoryLine {
  const refuse = (reason: string): never => {
    throw new StoreError("invalid", `${JSON.stringify(value)?.slice(0, 80)} is no line of a history: ${reason}`);
  };
  if (!isJsonObject(value)) return refuse("it is no object");
  const { type, kind, version, status } = value;
  const fields = fieldsOf(lineFields, type);
  if (fields === undefined) return refuse("its type is not known");
  if (typeof version === "number" && version > logVersion) {
    throw new StoreError("newer", "this history was exported by a newer ikigai; update this one to read it");
  }
  const problem = problemIn(value, fields);
  if (problem !== undefined) return refuse(problem);
  if (type === "agent" && !agentStatuses.some((known) => known === status)) return refuse("its status is not known");
  if (type !== "entry") return value as HistoryLine;
  if (!isEntryKind(kind)) return refuse("its kind is not known");
  const wrong = problemIn(value, entryFields[kind]);
  return wrong === undefined ? (value as HistoryLine) : refuse(wrong);
}

function fieldsOf(table: { readonly [name: string]: Fields }, name: unknown): Fields | undefined {
  return typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** What a line needs, and what may be in it: `data.usage?` may be missing, `data.blocks` may not. */
type Fields = { readonly [path: string]: Shape };
type Shape = keyof typeof shapes;

function problemIn(line: JsonObject, fields: Fields): string | undefined {
  for (const [path, shape] of Object.entries(fields)) {
    const optional = path.endsWith("?");
    const names = (optional ? path.slice(0, -1) : path).split(".");
    const value = names.reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), line);
    if (value === undefined && optional) continue;
    if (value === undefined) return `${names.join(".")} is missing`;
    if (!shapes[shape](value)) return `${names.join(".")} is wrong`;
  }
  return undefined;
}

const shapes = {
  text: (value: unknown) => typeof value === "string",
  whole: (value: unknown) => Number.isSafeInteger(value),
  number: (value: unknown) => typeof value === "number",
  boolean: (value: unknown) => typeof value === "boolean",
  object: isJsonObject,
  texts: (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  blocks: (value: unknown) =>
    Array.isArray(value) && value.every((block) => isJsonObject(block) && typeof block["type"] === "string"),
} as const;

const lineFields: { readonly [type in HistoryLine["type"]]: Fields } = {
  session: {
    uuid: "text",
    version: "whole",
    "folder?": "text",
    "title?": "text",
    created_at: "whole",
    updated_at: "whole",
  },
  agent: {
    uuid: "text",
    session_uuid: "text",
    "parent_uuid?": "text",
    "fork_message_uuid?": "text",
    "name?": "text",
    status: "text",
    "provider?": "text",
    "model?": "text",
    "thinking_level?": "text",
    "data?": "object",
    created_at: "whole",
    updated_at: "whole",
  },
  entry: {
    uuid: "text",
    agent_uuid: "text",
    kind: "text",
    version: "whole",
    "content?": "text",
    "data?": "object",
    created_at: "whole",
  },
  mail: {
    uuid: "text",
    to_uuid: "text",
    "from_uuid?": "text",
    content: "text",
    "data?": "object",
    created_at: "whole",
    "read_at?": "whole",
  },
  blob: { hash: "text", base64: "text", created_at: "whole" },
};

const spent: Fields = {
  "data.usage?": "object",
  "data.usage.input_tokens?": "whole",
  "data.usage.cache_read_tokens?": "whole",
  "data.usage.cache_write_tokens?": "whole",
  "data.usage.output_tokens?": "whole",
  "data.usage.thinking_tokens?": "whole",
  "data.cost_usd?": "number",
};

const entryFields: { readonly [kind in LogEntry["kind"]]: Fields } = {
  clear: {},
  system: { content: "text", "data.blocks?": "blocks" },
  user: { content: "text", "data.blocks?": "blocks" },
  assistant: { content: "text", "data.provider": "text", "data.model": "text", "data.blocks": "blocks", ...spent },
  tool_call: { "data.tool_call_id": "text", "data.name": "text" },
  tool_result: { content: "text", "data.tool_call_id": "text", "data.is_error": "boolean", "data.blocks?": "blocks" },
  mark: {},
  rewind: { "data.target_uuid": "text" },
  compact: {
    content: "text",
    data: "object",
    "data.target_uuid?": "text",
    "data.provider?": "text",
    "data.model?": "text",
    ...spent,
  },
  fork: { "data.child_uuid": "text" },
  agent_killed: {},
  interrupted: { "data.reason": "text" },
  command: { content: "text" },
  capture: { content: "text" },
  mail: { content: "text", "data.mail_uuid": "text" },
  pin: { content: "text" },
  unpin: {},
  model: { "data.provider": "text", "data.model": "text", "data.thinking_level?": "text" },
  toolset: { "data.tools": "texts" },
  file_change: { content: "text", data: "object", "data.before?": "text", "data.after?": "text" },
};
