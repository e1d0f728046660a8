import { createHash } from "node:crypto";
import type { Context } from "./context.ts";
import type { WriteTransaction } from "./engine.ts";
import type { Row } from "./tables.ts";

/** Bytes by the hash of what they are: the same bytes are kept once. For what files held before tools changed them. */
export type Blobs = {
  readonly put: (bytes: Uint8Array) => Promise<string>;
  readonly get: (hash: string) => Promise<Uint8Array | undefined>;
};

export function createBlobs({ db, outbox, now }: Context): Blobs {
  return {
    put: (bytes) => {
      const hash = hashOf(bytes);
      return outbox.write({
        run: async (db) => {
          await insertBlob(db, { hash, bytes, created_at: now() });
          return hash;
        },
        unwritten: hash,
      });
    },
    async get(hash) {
      const row = await db.selectFrom("blobs").select("bytes").where("hash", "=", hash).executeTakeFirst();
      return row?.bytes;
    },
  };
}

export async function insertBlob(db: WriteTransaction, row: Row<"blobs">): Promise<void> {
  await db
    .insertInto("blobs")
    .values(row)
    .onConflict((conflict) => conflict.column("hash").doNothing())
    .execute();
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
