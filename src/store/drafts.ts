import type { AssistantData, LogEntry, Origin, StreamEvent } from "../core/index.ts";
import { appendEntries, lockAgent, newEntries, type NewEntry } from "./append.ts";
import type { Context } from "./context.ts";
import { isStoreError } from "./errors.ts";
import { newEntryUuid } from "./ids.ts";

/** What is known of an answer before it arrives. */
export type DraftHead = { readonly origin: Origin } & Pick<
  AssistantData,
  "thinking_level" | "thinking_level_applied" | "losses" | "notes"
>;

/**
 * An answer while it arrives. Its events are written down at most four times a second, each only once, so that a process
 * that dies loses no more than a quarter of a second, and a long answer costs no more than a short one.
 */
export type Draft = {
  /** The id of the entry it will become. */
  readonly uuid: string;
  readonly add: (event: StreamEvent) => void;
  /** Writes what has arrived now, without waiting for the time to come. False: the database cannot take it. */
  readonly flush: () => Promise<boolean>;
  /** The answer is whole, or will not go on: what it became, and what follows from it, in one transaction. */
  readonly finish: (
    answer: NewEntry & { readonly kind: "assistant" },
    ...more: readonly NewEntry[]
  ) => Promise<readonly LogEntry[]>;
  /** It is not worth an entry. */
  readonly discard: () => Promise<void>;
};

export function createDraft(context: Context, agent_uuid: string, head: DraftHead): Draft {
  const uuid = newEntryUuid(context.now());
  let pending: StreamEvent[] = [];
  let seq = 0;
  let timer: NodeJS.Timeout | undefined;
  let lastWrite = Number.NEGATIVE_INFINITY;
  let writing: Promise<boolean> | undefined;
  let over = false;

  const schedule = (): void => {
    if (timer !== undefined || over) return;
    timer = setTimeout(() => void flush(), Math.max(0, lastWrite + checkpointMs - performance.now()));
    timer.unref();
  };
  const flush = async (): Promise<boolean> => {
    clearTimeout(timer);
    timer = undefined;
    // One at a time: pieces are numbered.
    while (writing !== undefined) await writing;
    if (pending.length === 0 && seq > 0) return true;
    writing = write().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const write = async (): Promise<boolean> => {
    lastWrite = performance.now();
    const events = pending;
    pending = [];
    const pieces = [
      ...(seq === 0 ? [context.sealJson(head)] : []),
      ...(events.length === 0 ? [] : [context.sealJson(joined(events))]),
    ];
    const rows = pieces.map((data, index) => ({
      agent_uuid,
      message_uuid: uuid,
      seq: seq + index,
      data,
      created_at: context.now(),
    }));
    try {
      await context.write(async (db) => {
        await lockAgent(context, db, agent_uuid, "owner");
        await db.insertInto("checkpoints").values(rows).execute();
        await context.tell(db, { what: "checkpoint", agent_uuid });
      });
      seq += rows.length;
      return true;
    } catch (error) {
      // Somebody else runs this agent now: what he writes counts.
      over ||= isStoreError(error, "not_owner");
      // The outbox reports what is wrong with the database. The next write brings these events along.
      pending = [...events, ...pending];
      schedule();
      return false;
    }
  };
  const stop = async (): Promise<void> => {
    over = true;
    clearTimeout(timer);
    await writing;
  };

  return {
    uuid,
    add(event) {
      pending.push(event);
      schedule();
    },
    flush,
    async finish(answer, ...more) {
      await stop();
      const entries = newEntries(context, agent_uuid, [{ ...answer, uuid }, ...more]);
      return context.outbox.write({
        run: (db) => appendEntries(context, db, { entries, writer: "owner" }),
        unwritten: entries,
        entries,
      });
    },
    async discard() {
      await stop();
      if (seq === 0) return;
      await context.outbox.write({
        run: async (db) => {
          await db
            .deleteFrom("checkpoints")
            .where("agent_uuid", "=", agent_uuid)
            .where("message_uuid", "=", uuid)
            .execute();
        },
        unwritten: undefined,
      });
    },
  };
}

/** Neighbouring pieces of one block become one. */
function joined(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const kept: StreamEvent[] = [];
  let texts: string[] = [];
  const close = (): void => {
    const last = kept.at(-1);
    if (texts.length > 1 && last !== undefined) kept[kept.length - 1] = withText(last, texts.join(""));
    texts = [];
  };
  for (const event of events) {
    const text = textOfDelta(event);
    const last = kept.at(-1);
    if (text !== undefined && last !== undefined && sameDelta(last, event)) texts.push(text);
    else {
      close();
      kept.push(event);
      if (text !== undefined) texts.push(text);
    }
  }
  close();
  return kept;
}

function sameDelta(left: StreamEvent, right: StreamEvent): boolean {
  return (
    left.type === right.type &&
    "block_index" in left &&
    "block_index" in right &&
    left.block_index === right.block_index
  );
}

function textOfDelta(event: StreamEvent): string | undefined {
  if (event.type === "text_delta" || event.type === "thinking_delta") return event.text;
  return event.type === "tool_call_delta" ? event.json_fragment : undefined;
}

function withText(event: StreamEvent, text: string): StreamEvent {
  if (event.type === "text_delta" || event.type === "thinking_delta") return { ...event, text };
  return event.type === "tool_call_delta" ? { ...event, json_fragment: text } : event;
}

const checkpointMs = 250;
