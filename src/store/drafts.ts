import type { AssistantData, LogEntry, Origin, StreamEvent } from "../core/index.ts";
import { appendEntries, lockAgent, newEntries, type NewEntry } from "./append.ts";
import type { Context } from "./context.ts";
import { isStoreError } from "./errors.ts";
import { newEntryUuid } from "./ids.ts";
import { joinDeltas } from "./join.ts";

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
  const { add, flush, stop } = createCheckpoints(context, { agent_uuid, message_uuid: uuid }, head);
  return {
    uuid,
    add,
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
      if ((await stop()) === 0) return;
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

type Checkpoints = Pick<Draft, "add" | "flush"> & {
  /** Nothing is written any more. Tells how many pieces there are. */
  readonly stop: () => Promise<number>;
};

/** The pieces of an answer: its head, then events in order. */
function createCheckpoints(
  context: Context,
  name: { readonly agent_uuid: string; readonly message_uuid: string },
  head: DraftHead,
): Checkpoints {
  let pending: readonly StreamEvent[] = [];
  let arrived: StreamEvent[] = [];
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
    if (over) return false;
    if (arrived.length === 0 && pending.length === 0 && seq > 0) return true;
    writing = write().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const write = async (): Promise<boolean> => {
    lastWrite = performance.now();
    pending = joinDeltas([...pending, ...arrived]);
    arrived = [];
    const values = [...(seq === 0 ? [head] : []), ...(pending.length === 0 ? [] : [pending])];
    const rows = values.map((value, index) => ({
      ...name,
      seq: seq + index,
      data: context.sealJson(value),
      created_at: context.now(),
    }));
    try {
      await context.write(async (db) => {
        await lockAgent(context, db, name.agent_uuid, "owner");
        // A commit that was done, and of which nobody could tell, left the beginning of these: they are the whole of it.
        await db
          .insertInto("checkpoints")
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(["agent_uuid", "message_uuid", "seq"])
              .doUpdateSet((eb) => ({ data: eb.ref("excluded.data"), created_at: eb.ref("excluded.created_at") })),
          )
          .execute();
        await context.tell(db, { what: "checkpoint", agent_uuid: name.agent_uuid });
      });
      seq += rows.length;
      pending = [];
      return true;
    } catch (error) {
      // Somebody else runs this agent now: what he writes counts.
      over ||= isStoreError(error, "not_owner");
      // The outbox reports what is wrong with the database. The next write brings these events along.
      schedule();
      return false;
    }
  };

  return {
    add(event) {
      arrived.push(event);
      schedule();
    },
    flush,
    async stop() {
      over = true;
      clearTimeout(timer);
      await writing;
      return seq;
    },
  };
}

const checkpointMs = 250;
