import { parseArgs } from "node:util";
import { thinkingLevels } from "../core/index.ts";
import { knownModels } from "../llm/index.ts";
import type { Command } from "./command.ts";
import { commands } from "./commands.ts";
import { bashScript } from "./completion-bash.ts";
import { fishScript } from "./completion-fish.ts";
import { zshScript } from "./completion-zsh.ts";
import { helpFor } from "./help.ts";
import { UsageError, type Io } from "./io.ts";
import { printCommand, startCommand } from "./start-commands.ts";
import { openWorld } from "./world.ts";

/** Everything a shell can offer, as it is today on this machine. */
export type Offered = {
  readonly commands: readonly Command[];
  /** Flags before any command: those of the program itself and of one turn. */
  readonly start: Command;
  readonly models: readonly string[];
  readonly providers: readonly string[];
  readonly levels: readonly string[];
};

export async function runCompletion(args: readonly string[], io: Io): Promise<number> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
  const [shell = "", ...more] = positionals;
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined || more.length > 0) {
    throw new UsageError(`completion takes bash, zsh or fish\n\n${helpFor("completion")}`);
  }
  io.stdout(script(await offered(io)));
  return 0;
}

async function offered(io: Io): Promise<Offered> {
  const world = await openWorld(io);
  const today = new Date().toISOString().slice(0, 10);
  const known = await knownModels(world.options());
  const served = known.filter(({ retires_at }) => retires_at === undefined || retires_at > today);
  const aliases = Object.keys(world.config.get("aliases") ?? {});
  const names = [...aliases, ...served.map(({ id }) => id)].filter(isPlain);
  const providers = world.rows.filter(({ fetch }) => fetch === undefined).map(({ name }) => name);
  const opening = startCommand.flags.map(({ name }) => name);
  const printFlags = printCommand.flags.filter(({ name }) => !opening.includes(name));
  return {
    commands,
    start: { ...startCommand, flags: [...startCommand.flags, ...printFlags, ...general] },
    models: [...new Set(names)],
    providers: providers.filter(isPlain),
    levels: thinkingLevels,
  };
}

/** What needs no quotes in any of the three shells. */
function isPlain(word: string): boolean {
  return /^[\w.:@/+-]+$/.test(word);
}

const general = [
  { name: "help", short: "h", says: "what there is" },
  { name: "version", short: "v", says: "prints the version" },
];

const scripts: { readonly [shell: string]: ((offer: Offered) => string) | undefined } = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};
