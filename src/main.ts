import packageJson from "../package.json" with { type: "json" };
import type { Io } from "./cli/io.ts";

const [first, ...rest] = process.argv.slice(2);

if (first === "--version" || first === "-v") {
  process.stdout.write(`${packageJson.version}\n`);
} else {
  process.exitCode = await main(first, rest);
}

async function main(name: string | undefined, args: readonly string[]): Promise<number> {
  // A reader that has seen enough (`| head`) is no reason to complain.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  const io: Io = {
    stdin: process.stdin,
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    env: process.env,
    ...atTerminal(),
  };
  try {
    return await dispatch(name, args, io);
  } catch (error) {
    const { failed } = await import("./cli/failed.ts");
    return failed(error, io);
  }
}

async function dispatch(name: string | undefined, args: readonly string[], io: Io): Promise<number> {
  const { helpText, helpWanted } = await import("./cli/help.ts");
  const help = helpWanted(name, args);
  if (help !== undefined) {
    io.stdout(help);
    return 0;
  }
  const words = name === undefined ? args : [name, ...args];
  if (name === undefined || name.startsWith("-")) {
    const { startCommand, printCommand } = await import("./cli/start-commands.ts");
    const isPrint = words.some((word) => word === "-p" || word === "--print");
    const run = await (isPrint ? printCommand : startCommand).load();
    return run(words, io);
  }
  const { commands } = await import("./cli/commands.ts");
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) {
    io.stderr(`ikigai: there is no command "${name}"\n\n${helpText()}`);
    return 2;
  }
  const run = await command.load();
  return run(args, io);
}

/** Questions need someone who types, a screen someone who looks. */
function atTerminal(): Pick<Io, "ask" | "screen"> {
  const { stdin: input, stderr: output, stdout } = process;
  return {
    ...(input.isTTY && output.isTTY
      ? { ask: async (prompt, how) => (await import("./cli/ask.ts")).askTerminal(prompt, how, { input, output }) }
      : {}),
    ...(stdout.isTTY
      ? { screen: { columns: stdout.columns, rows: stdout.rows, colour_bits: stdout.getColorDepth() } }
      : {}),
  };
}
