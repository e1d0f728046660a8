import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { isStoreError, StoreError, type Comparison } from "../store/index.ts";
import { readLines } from "./import/read-lines.ts";
import { UsageError, type Io } from "./io.ts";
import { plural } from "./layout.ts";
import { placeOf, withStore, type Stored } from "./stored.ts";
import { announce, openWorld } from "./world.ts";

export async function runImport(args: readonly string[], io: Io): Promise<number> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError("import takes one FILE, or - for standard input");
  const world = await openWorld(io);
  announce(world, io);
  return withFile(file, io, (path, name) =>
    withStore(world, io, { place: placeOf(world), run: (stored) => importFile(stored, { path, name, io }) }),
  );
}

/** The file is read twice: what comes from a pipe is kept meanwhile. */
async function withFile(file: string, io: Io, run: (path: string, name: string) => Promise<number>): Promise<number> {
  if (file !== "-") {
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() !== true) throw new UsageError(`${file} is no file that can be read`);
    return run(file, file);
  }
  const folder = await mkdtemp(join(tmpdir(), "ikigai-import-"));
  try {
    const path = join(folder, "lines.jsonl");
    await pipeline(io.stdin, createWriteStream(path, { mode: 0o600 }));
    return await run(path, "standard input");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function importFile(
  { store }: Stored,
  { path, name, io }: { readonly path: string; readonly name: string; readonly io: Io },
): Promise<number> {
  let line = 0;
  const values = async function* (): AsyncGenerator<unknown, void, undefined> {
    for await (const { number, value } of readLines(createReadStream(path), name)) {
      line = number;
      yield value;
    }
  };
  try {
    const comparison = await store.transfer.compare(values());
    await store.transfer.take(values());
    io.stdout(`${summary(comparison)}\n`);
    return 0;
  } catch (error) {
    // These are noticed at the line itself; a conflict names what it is about.
    if (!isStoreError(error) || error.kind === "conflict" || error.passing) throw error;
    throw new StoreError(error.kind, `${name}, line ${line}: ${error.message}`);
  }
}

function summary({ lines, known }: Comparison): string {
  const fresh = {
    session: lines.session - known.session,
    agent: lines.agent - known.agent,
    entry: lines.entry - known.entry,
    mail: lines.mail - known.mail,
  };
  const there = known.entry === 0 ? "" : ` ${plural(known.entry, "entry", "entries")} were there already.`;
  if (fresh.session + fresh.agent + fresh.entry + fresh.mail === 0) return `Nothing new.${there}`;
  const parts = [
    plural(fresh.session, "conversation"),
    plural(fresh.agent, "agent"),
    plural(fresh.entry, "entry", "entries"),
    ...(fresh.mail === 0 ? [] : [plural(fresh.mail, "letter")]),
  ];
  return `Imported ${parts.join(", ")}.${there}`;
}
