import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isJsonObject, type JsonObject } from "../../core/index.ts";
import type { Sandbox } from "../tools/bash.ts";
import { cutMiddle, failure, outcomeOf, shownIn, textOutcome } from "../tools/output.ts";
import { launch, type Running } from "../tools/processes.ts";
import type { Tool, ToolContext, ToolOutcome } from "../tools/types.ts";
import { cleanSchema, toolName } from "./names.ts";

export type FoundTools = { readonly tools: readonly Tool[]; readonly problems: readonly string[] };

export type Starting = {
  /** Even asking a tool what it is runs it. */
  readonly mayStart?: (file: string) => boolean;
  /** Where the tools of a folder run, if not as we do. */
  readonly sandboxOf?: (file: string) => Sandbox | undefined;
};

/**
 * Executables named `*-tool` in these folders, the first folder first: one with the same name in a later one is not
 * looked at. Each is asked once with `--schema` for `{name?, description, parameters}`; a call gives it its arguments as
 * one line of JSON on its input and takes what it prints as the result.
 */
export async function executableTools(
  folders: readonly string[],
  env: Readonly<Record<string, string>>,
  { mayStart = () => true, sandboxOf = () => undefined }: Starting = {},
): Promise<FoundTools> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    for (const file of executablesIn(folder)) if (!files.has(basename(file))) files.set(basename(file), file);
  }
  const found = await Promise.all(
    [...files.values()].map(async (file): Promise<Described> => {
      if (mayStart(file)) return describe(file, env, sandboxOf(file) ?? bare);
      return { problem: `${file} is left out: a tool of a project needs a rule that allows ${file} *` };
    }),
  );
  return {
    tools: found.flatMap((one) => ("tool" in one ? [one.tool] : [])),
    problems: found.flatMap((one) => ("problem" in one ? [one.problem] : [])),
  };
}

type Described = { readonly tool: Tool } | { readonly problem: string };

function executablesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /-tool(?:\.\w+)?$/.test(name));
    return names
      .map((name) => join(folder, name))
      .filter(isExecutable)
      .toSorted();
  } catch {
    return [];
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

const bare: Sandbox = (argv) => ({ argv });

async function describe(file: string, env: Readonly<Record<string, string>>, sandbox: Sandbox): Promise<Described> {
  const folder = dirname(file);
  const wrapped = sandbox([file, "--schema"], { cwd: folder, root: folder });
  if ("problem" in wrapped) return { problem: `${file} is left out: ${wrapped.problem}` };
  const running = launch({ argv: wrapped.argv, cwd: "/", env, onOutput: () => {} });
  const timer = setTimeout(() => void running.stop(), schemaMs);
  const ending = await running.ended;
  clearTimeout(timer);
  const { text } = running.output();
  if (ending.exit_code !== 0)
    return { problem: `${file} --schema failed: ${ending.problem ?? text.trim().slice(0, 200)}` };
  const schema = parsed(text);
  if (schema === undefined) return { problem: `${file} --schema prints no JSON object` };
  const { name, description, parameters, input_schema } = schema;
  const given = typeof name === "string" && name !== "" ? name : basename(file).replace(/-tool(?:\.\w+)?$/, "");
  const definition = {
    name: toolName(given),
    ...(typeof description === "string" ? { description } : {}),
    parameters: cleanSchema(parameters ?? input_schema),
  };
  return { tool: executableTool(file, definition, sandbox) };
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function executableTool(file: string, definition: Tool["definition"], sandbox: Sandbox): Tool {
  return {
    definition,
    intent: (args) => ({
      effect: "unknown",
      summary: `${definition.name} ${JSON.stringify(args)}`.slice(0, 200),
      detail: `${file}\n${JSON.stringify(args, undefined, 2)}`,
    }),
    run: (args, context) =>
      outcomeOf(context.signal, () => {
        const { cwd, root } = context;
        // The arguments go in through a pipe: what is started with no input of its own cannot wait for any.
        const argv = ["/bin/sh", "-c", 'printf "%s\\n" "$1" | "$0"', file, JSON.stringify(args)];
        return callExecutable(sandbox(argv, { cwd, root }), context);
      }),
  };
}

async function callExecutable(wrapped: ReturnType<Sandbox>, context: ToolContext): Promise<ToolOutcome> {
  const { cwd, env, onOutput, signal, timeout_ms } = context;
  if ("problem" in wrapped) return failure(wrapped.problem);
  const running = launch({ argv: wrapped.argv, cwd, env, onOutput });
  const stopped = await endOf(running, timeout_ms, signal);
  const ending = await running.ended;
  const { text } = running.output();
  const shown = cutMiddle(text, shownIn(context), () => "Ask it for less.");
  const data = { exit_code: ending.exit_code };
  if (stopped) return failure(`${shown}\n[Ended after ${timeout_ms} ms.]`, data);
  if (ending.exit_code !== 0) return failure(`${shown}\n[Exit code ${ending.exit_code ?? ending.signal}.]`, data);
  return { ...textOutcome(shown === "" ? "[No output.]" : shown, data), ...(shown === text ? {} : { stored: text }) };
}

async function endOf(running: Running, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, timeoutMs, true);
  const onAbort = (): void => resolve(true);
  signal.addEventListener("abort", onAbort);
  try {
    const stopped = await Promise.race([promise, running.ended.then(() => false)]);
    if (signal.aborted) void running.stop();
    signal.throwIfAborted();
    if (stopped) await running.stop();
    return stopped;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

const schemaMs = 5000;
