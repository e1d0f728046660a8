import { parseArgs } from "node:util";
import { loadPlain, loadScreen, type Services, type SessionChoice } from "../repl/index.ts";
import { colorDepth, createTerminal } from "../term/index.ts";
import { UsageError, type Io } from "./io.ts";
import { createServices } from "./repl-services.ts";

/** The program people open: a screen where there is one, lines where there is none. */
export async function runRepl(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [id, ...more] = positionals;
  if (more.length > 0 || (id !== undefined && !values.resume)) {
    throw new UsageError(`there is no command "${more[0] ?? id}"; \`ikigai --help\` lists what there is`);
  }
  if (values.new && values.resume) throw new UsageError("--new begins a conversation, --resume goes on with one");
  const which: SessionChoice = id === undefined ? { which: values.new ? "new" : "last" } : { which: "id", id };
  const model = values.model === undefined ? {} : { model: values.model };
  const services = createServices(io, { folder: process.cwd(), ...model });
  const { stdin, stdout } = process;
  const isScreen = stdin.isTTY && stdout.isTTY && io.env?.["TERM"] !== "dumb" && !values.plain;
  return isScreen ? openScreen(services, io, which) : openPlain(services, io, which);
}

async function openScreen(services: Services, io: Io, which: SessionChoice): Promise<number> {
  const { runScreen } = await loadScreen();
  const { stdin, stdout, platform } = process;
  return runScreen(services, {
    terminal: createTerminal({ stdin, stdout, process }),
    env: io.env ?? {},
    platform,
    colour_bits: io.screen?.colour_bits ?? 1,
    which,
  });
}

async function openPlain(services: Services, io: Io, which: SessionChoice): Promise<number> {
  const { runPlain } = await loadPlain();
  const { stdin, stdout, platform } = process;
  return runPlain(services, {
    input: io.stdin,
    write: io.stdout,
    writeError: io.stderr,
    interactive: stdin.isTTY,
    which,
    env: io.env ?? {},
    platform,
    colour_depth: stdout.isTTY ? colorDepth(io.env ?? {}, io.screen?.colour_bits ?? 1) : 0,
    columns: () => (stdout.isTTY ? stdout.columns : undefined),
    onInterrupt(listener) {
      process.on("SIGINT", listener);
      return () => process.off("SIGINT", listener);
    },
  });
}

const options = {
  new: { type: "boolean", short: "n", default: false },
  resume: { type: "boolean", short: "r", default: false },
  plain: { type: "boolean", default: false },
  model: { type: "string", short: "m" },
} as const;
