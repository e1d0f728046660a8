import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach } from "vitest";
import { openStore, type OpenOptions, type Store } from "../../../src/store/index.ts";
import { administer, newDatabase } from "./postgres.ts";

export type EngineName = "sqlite" | "postgres";
export const engineNames: readonly EngineName[] = ["sqlite", "postgres"];

/** Where a history can be, as a child process would be told. */
export type Target = { readonly path: string } | { readonly url: string };

/** New, empty histories on one engine; closed and removed when the tests are over. */
export function histories(engine: EngineName): {
  readonly target: () => Promise<Target>;
  readonly open: (target?: Target, options?: Omit<OpenOptions, "path" | "url">) => Promise<Store>;
} {
  const folder = mkdtempSync(join(tmpdir(), "ikigai-store-"));
  const databases: (() => Promise<void>)[] = [];
  const used: string[] = [];
  const free: string[] = [];
  const stores: Store[] = [];
  let made = 0;
  const target = async (): Promise<Target> => {
    if (engine === "sqlite") return { path: join(folder, String(made++), "history.db") };
    const url = await emptyDatabase();
    used.push(url);
    return { url };
  };
  // Making a database takes longer than most tests: those of tests that are over are emptied and used again.
  const emptyDatabase = async (): Promise<string> => {
    const known = free.pop();
    if (known !== undefined) {
      await administer(
        known,
        "TRUNCATE sessions, agents, messages, mail, checkpoints, blobs, processes, states, inputs RESTART IDENTITY",
      );
      return known;
    }
    const { url, drop } = await newDatabase();
    databases.push(drop);
    return url;
  };
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close().catch(() => undefined);
    free.push(...used.splice(0));
  });
  afterAll(async () => {
    for (const drop of databases) await drop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    target,
    async open(where, options = {}) {
      const store = await openStore({ ...(where ?? (await target())), ...options });
      stores.push(store);
      return store;
    },
  };
}
