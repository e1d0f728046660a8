import { parseArgs } from "node:util";
import { runScreen, type SessionChoice } from "../repl/index.ts";
import { createTerminal } from "../term/index.ts";
import { UsageError, type Io } from "./io.ts";
import { createServices } from "./repl-services.ts";
import { openWorld } from "./world.ts";

/** The program people open. */
export async function runRepl(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [id, ...more] = positionals;
  if (more.length > 0 || (id !== undefined && !values.resume)) {
    throw new UsageError(`there is no command "${id}"; \`ikigai --help\` lists them`);
  }
  if (values.new && values.resume) throw new UsageError("--new begins a conversation, --resume goes on with one");
  const which: SessionChoice = id === undefined ? { which: values.new ? "new" : "last" } : { which: "id", id };
  const folder = process.cwd();
  const world = await openWorld(io);
  const services = createServices(world, io, {
    folder,
    ...(values.model === undefined ? {} : { model: values.model }),
  });
  const { stdin, stdout } = process;
  return runScreen(services, {
    terminal: createTerminal({ stdin, stdout, process }),
    env: world.env,
    platform: process.platform,
    colour_bits: io.screen?.colour_bits ?? 1,
    which,
  });
}

const options = {
  new: { type: "boolean", default: false },
  resume: { type: "boolean", short: "r", default: false },
  plain: { type: "boolean", default: false },
  model: { type: "string", short: "m" },
} as const;
