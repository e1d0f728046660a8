import type { JsonValue } from "../core/index.ts";
import type { Context } from "./context.ts";
import { StoreError } from "./errors.ts";

/**
 * Small things a screen remembers, by a name of its own choosing: where somebody was reading, what he had begun to type.
 * No part of a conversation: never exported, never found by a search.
 */
export type States = {
  readonly get: (key: string) => Promise<JsonValue | undefined>;
  /** Undefined: forgotten. */
  readonly set: (key: string, value: JsonValue | undefined) => Promise<void>;
};

export function createStates({ db, outbox, now, sealJson }: Context): States {
  return {
    async get(key) {
      const row = await db.selectFrom("states").select("value").where("key", "=", key).executeTakeFirst();
      return row === undefined ? undefined : (JSON.parse(row.value) as JsonValue);
    },
    set: (key, value) => {
      const row = value === undefined ? undefined : { value: sealJson(value), updated_at: now() };
      if (key.length > keyLengthMax || (row?.value.length ?? 0) > valueLengthMax) {
        return Promise.reject(new StoreError("invalid", `what is remembered as ${key.slice(0, 40)} is too long`));
      }
      return outbox.write({
        run: async (db) => {
          if (row === undefined) await db.deleteFrom("states").where("key", "=", key).execute();
          else {
            await db
              .insertInto("states")
              .values({ key, ...row })
              .onConflict((conflict) => conflict.column("key").doUpdateSet(row))
              .execute();
          }
        },
        unwritten: undefined,
      });
    },
  };
}

const keyLengthMax = 200;
const valueLengthMax = 1_048_576;
