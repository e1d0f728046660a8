import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { historyExists, isStoreError, openStore, StoreError, type Comparison } from "../store/index.ts";
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
  const place = placeOf(world);
  return withFile(file, io, async (path, name) => {
    // What cannot be imported leaves no empty history behind: it is held against one in memory first.
    if (!(await historyExists(place))) await rehearse({ path, name });
    return withStore(world, io, { place, run: (stored) => importFile(stored, { path, name, io }) });
  });
}

type Lines = { readonly path: string; readonly name: string };

async function rehearse(lines: Lines): Promise<void> {
  const store = await openStore({ path: ":memory:" });
  try {
    await read(lines, (values) => store.transfer.compare(values));
    const { size } = await stat(lines.path);
    if (size <= rehearsedBytesMax) await read(lines, (values) => store.transfer.take(values));
  } finally {
    await store.close();
  }
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

async function importFile({ store }: Stored, { io, ...lines }: Lines & { readonly io: Io }): Promise<number> {
  const comparison = await read(lines, (values) => store.transfer.compare(values));
  await read(lines, (values) => store.transfer.take(values));
  io.stdout(`${summary(comparison)}\n`);
  return 0;
}

/** The lines of a file, one after the other. What is wrong with one is said with its number. */
async function read<Result>(
  { path, name }: Lines,
  use: (values: AsyncIterable<unknown>) => Promise<Result>,
): Promise<Result> {
  let line = 0;
  const values = async function* (): AsyncGenerator<unknown, void, undefined> {
    for await (const { number, value } of readLines(createReadStream(path), name)) {
      line = number;
      yield value;
    }
  };
  try {
    return await use(values());
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

/** More than this is only looked through. */
const rehearsedBytesMax = 64 * 1024 * 1024;
