import { logVersion, type EntryBody, type LogEntry, type Spent } from "../core/index.ts";
import type { Context } from "./context.ts";
import { StoreError } from "./errors.ts";
import type { NewRow, Row } from "./tables.ts";
import { decodeText } from "./text.ts";

/** An entry as it is written. What is counted or looked up has a column of its own beside `data`. */
export function entryRow(
  entry: LogEntry,
  place: { readonly session_id: number; readonly target_id: number | null },
  { seal, sealJson }: Pick<Context, "seal" | "sealJson">,
): NewRow<"messages"> {
  const { uuid, agent_uuid, kind, content, data, version, created_at } = entry;
  return {
    uuid,
    session_id: place.session_id,
    agent_uuid,
    kind,
    content: content === undefined ? null : seal(content),
    data: data === undefined ? null : sealJson(data),
    version,
    target_id: place.target_id,
    ...spentColumns(entry),
    created_at,
  };
}

function spentColumns(entry: EntryBody): Pick<NewRow<"messages">, (typeof spent)[number]> {
  const { provider, model, usage, cost_usd }: Spent =
    entry.kind === "assistant" || entry.kind === "compact" ? entry.data : {};
  return {
    provider: provider ?? null,
    model: model ?? null,
    input_tokens: usage?.input_tokens ?? null,
    cache_read_tokens: usage?.cache_read_tokens ?? null,
    cache_write_tokens: usage?.cache_write_tokens ?? null,
    output_tokens: usage?.output_tokens ?? null,
    thinking_tokens: usage?.thinking_tokens ?? null,
    cost_usd: cost_usd ?? null,
  };
}

const spent = [
  "provider",
  "model",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "thinking_tokens",
  "cost_usd",
] as const;

/** The columns an entry is read from. */
export const entryColumns = ["id", "uuid", "agent_uuid", "kind", "content", "data", "version", "created_at"] as const;

export function entryFrom(row: Pick<Row<"messages">, (typeof entryColumns)[number]>): LogEntry {
  if (row.version > logVersion) {
    throw new StoreError("newer", `entry ${row.uuid} was written by a newer ikigai; update this one to read it`);
  }
  const { id, uuid, agent_uuid, kind, version, created_at } = row;
  const content = row.content === null ? {} : { content: decodeText(row.content) };
  const data = row.data === null ? {} : { data: JSON.parse(row.data) };
  return { id, uuid, agent_uuid, version, created_at, kind, ...content, ...data } as LogEntry;
}

/** What a rewind returns to, where the kept part of a compaction begins. */
export function targetOf(entry: EntryBody): string | undefined {
  return entry.kind === "rewind" || entry.kind === "compact" ? entry.data.target_uuid : undefined;
}
