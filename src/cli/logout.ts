import { parseArgs } from "node:util";
import { removeKey } from "../config/index.ts";
import { UsageError, type Io } from "./io.ts";
import { findProvider } from "./login.ts";
import { openWorld, type World } from "./world.ts";

export async function runLogout(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { all: { type: "boolean", default: false } },
  });
  const world = await openWorld(io);
  const { names, file } = world.credentials;
  if (values.all === positionals.length > 0) {
    const stored = names.length === 0 ? "no key is stored" : `stored: ${names.join(", ")}`;
    throw new UsageError(`say whose key to remove, or --all; ${stored}`);
  }
  for (const name of values.all ? names : positionals.map((word) => storedName(word, world))) {
    io.stdout(removeKey(file, name) ? `Removed the key of ${name} from ${file}\n` : `No key of ${name} is stored\n`);
    const row = world.rows.find((candidate) => candidate.name === name);
    for (const variable of row?.key_variables ?? []) {
      if ((world.env[variable] ?? "").trim() !== "") io.stderr(`ikigai: warning: ${variable} is still set\n`);
    }
  }
  return 0;
}

/** What stands in the file can be removed whatever it is called. */
function storedName(word: string, world: World): string {
  return world.credentials.names.includes(word) ? word : findProvider(word, world).name;
}
