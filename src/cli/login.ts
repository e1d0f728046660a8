import { parseArgs } from "node:util";
import { maskKey, storeKey } from "../config/index.ts";
import { nearestWord } from "../core/index.ts";
import { checkKey, type ProviderRow } from "../llm/index.ts";
import { UsageError, type Io } from "./io.ts";
import { announce, openWorld, type World } from "./world.ts";

export async function runLogin(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { check: { type: "boolean", default: false } },
  });
  if (positionals.length > 1) {
    throw new UsageError(`login takes the provider only; a key on the command line stays in the shell's history`);
  }
  const world = await openWorld(io);
  if (world.paths === undefined) throw new UsageError("login needs a folder to store the key in");
  announce(world, io);
  const row = positionals[0] === undefined ? await pickProvider(world, io) : findProvider(positionals[0], world);
  if (row === undefined) return cancelled(io);
  const typed = await readKey(row, io);
  if (typed === undefined) return cancelled(io);
  const key = plainKey(typed);
  for (const doubt of doubtsAbout(key, row, world)) io.stderr(`ikigai: warning: ${doubt}\n`);
  if (values.check) await check(row, key, { world, io });
  storeKey(world.paths.credentials_file, row.name, key);
  io.stdout(`Stored the key of ${row.display_name} (${maskKey(key)}) in ${world.paths.credentials_file}\n`);
  const variable = row.key_variables.find((name) => (world.env[name] ?? "").trim() !== "");
  if (variable !== undefined) io.stderr(`ikigai: warning: ${variable} is set, and comes before the stored key\n`);
  return 0;
}

/** By its name, or by another it is known under. Names that are nobody's get the nearest that is somebody's. */
export function findProvider(name: string, world: World): ProviderRow {
  const word = name.toLowerCase();
  const row = world.rows.find((candidate) => candidate.name === word || candidate.other_names?.includes(word));
  if (row !== undefined && row.fetch === undefined) return row;
  if (row !== undefined) throw new UsageError(`${row.display_name} needs no key`);
  const names = world.rows.filter((candidate) => candidate.fetch === undefined).map((candidate) => candidate.name);
  const nearest = nearestWord(word, names);
  const hint = nearest === undefined ? `known: ${names.join(", ")}` : `did you mean ${nearest}?`;
  throw new UsageError(`there is no provider "${name}"; ${hint}`);
}

async function pickProvider(world: World, io: Io): Promise<ProviderRow | undefined> {
  const offered = world.rows.filter(
    (row) => row.key_variables.length > 0 && row.preset !== true && row.fetch === undefined,
  );
  if (io.ask === undefined) throw new UsageError(`say which provider: ikigai login ${offered[0]?.name ?? "PROVIDER"}`);
  offered.forEach((row, index) => {
    io.stderr(`${String(index + 1).padStart(3)}  ${row.name.padEnd(12)} ${row.keys_page ?? ""}\n`);
  });
  const answer = await io.ask("Which provider (number or name)? ", "shown");
  if (answer === undefined || answer.trim() === "") return undefined;
  return offered[Number(answer) - 1] ?? findProvider(answer.trim(), world);
}

async function readKey(row: ProviderRow, io: Io): Promise<string | undefined> {
  if (io.ask !== undefined) {
    const page = row.keys_page === undefined ? "" : ` (made at ${row.keys_page})`;
    return io.ask(`Key for ${row.display_name}${page}, not shown: `, "hidden");
  }
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of io.stdin) {
    text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    if (text.length > keyCharactersMax) throw new UsageError("this is too long for a key; pipe in the key alone");
  }
  return text;
}

/** The key alone, from what people paste: with blanks around it, in quotes, or as a line of an .env file. */
export function plainKey(typed: string): string {
  const assigned = /^(?:export\s+)?[A-Za-z_][A-Za-z0-9_]*=(.+)$/.exec(typed.trim())?.[1] ?? typed.trim();
  const key = (/^"(.*)"$/.exec(assigned)?.[1] ?? /^'(.*)'$/.exec(assigned)?.[1] ?? assigned).trim();
  if (key === "") throw new UsageError("no key came; nothing was stored");
  if (/[^\x21-\x7e]/.test(key)) {
    throw new UsageError("the key holds blanks, line breaks or characters no key has; nothing was stored");
  }
  return key;
}

function doubtsAbout(key: string, row: ProviderRow, world: World): readonly string[] {
  if (row.key_prefix === undefined || key.startsWith(row.key_prefix)) {
    const others = world.rows.filter((other) => other.name !== row.name && other.key_prefix !== undefined);
    const other = others.find(
      ({ key_prefix = "" }) => key_prefix.length > (row.key_prefix ?? "").length && key.startsWith(key_prefix),
    );
    return other === undefined ? [] : [`this looks like a key of ${other.display_name}`];
  }
  return [`keys of ${row.display_name} begin with ${row.key_prefix}; this one does not`];
}

/** A refusal leaves as the error it is: nothing is stored. */
async function check(
  row: ProviderRow,
  key: string,
  { world, io }: { readonly world: World; readonly io: Io },
): Promise<void> {
  const fetch = io.fetch === undefined ? {} : { fetch: io.fetch };
  const result = await checkKey(row.name, { ...world.options(), ...fetch, key });
  io.stderr(
    result === "accepted"
      ? `${row.display_name} accepts the key.\n`
      : `${row.display_name} answers without a key as well: whether this one is good shows at its first use.\n`,
  );
}

function cancelled(io: Io): number {
  io.stderr("Nothing was stored.\n");
  return 130;
}

const keyCharactersMax = 10_000;
