import type { Context } from "./context.ts";
import { decodeText } from "./text.ts";

/** What people typed in a folder, commands included, over all its conversations. For the editor's own history. */
export type Inputs = {
  /** The same line again right after itself is kept once. */
  readonly add: (line: { readonly folder?: string; readonly content: string }) => Promise<void>;
  /** The newest lines, oldest of them first. */
  readonly recent: (options: { readonly folder?: string; readonly limit: number }) => Promise<readonly string[]>;
};

export function createInputs({ db, outbox, now, seal }: Context): Inputs {
  return {
    add: ({ folder, content }) => {
      const row = { folder: folder === undefined ? null : seal(folder), content: seal(content), created_at: now() };
      return outbox.write({
        run: async (db) => {
          const last = await db
            .selectFrom("inputs")
            .select("content")
            .where("folder", row.folder === null ? "is" : "=", row.folder)
            .orderBy("id", "desc")
            .limit(1)
            .executeTakeFirst();
          if (last?.content !== row.content) await db.insertInto("inputs").values(row).execute();
        },
        unwritten: undefined,
      });
    },
    async recent({ folder, limit }) {
      const rows = await db
        .selectFrom("inputs")
        .select("content")
        .where("folder", folder === undefined ? "is" : "=", folder === undefined ? null : seal(folder))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => decodeText(row.content)).reverse();
    },
  };
}
