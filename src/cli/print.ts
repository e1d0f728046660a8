import { parseArgs } from "node:util";
import { CommandError, openAgents, type AgentEvent, type Agents, type TurnEnd } from "../agent/index.ts";
import { stopAllProcesses, type Tool } from "../agent/tools/index.ts";
import type { UserBlock } from "../core/index.ts";
import type { Store } from "../store/index.ts";
import { openTools } from "./agent-tools.ts";
import { agentWorld, defaultModel, projectRoot } from "./agent-world.ts";
import { attachment } from "./attach.ts";
import { exitCodes, limitExitCode, lengthExitCode } from "./exit-codes.ts";
import { helpFor } from "./help.ts";
import { UsageError, type Io } from "./io.ts";
import { streamedAnswers, wholeAnswers } from "./print-answer.ts";
import { createProgress } from "./progress.ts";
import { placeOf, scriptKey, secretsOf, withStore } from "./stored.ts";
import { announce, openWorld } from "./world.ts";

export async function runPrint(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const max_tool_turns = positive(values["max-tool-turns"], "--max-tool-turns");
  const budget_usd = amount(values.budget, "--budget");
  if (values.continue && values.resume !== undefined)
    throw new UsageError("--continue and --resume exclude each other");
  const files = (values.file ?? []).map(attachment);
  const prompt = await promptFrom(positionals, io);
  const world = await openWorld(io);
  announce(world, io);
  const isNew = !values.continue && values.resume === undefined;
  const model = values.model ?? (isNew ? await defaultModel(world) : undefined);
  const cwd = process.cwd();
  const unattended = values.yes ? "allow" : "deny";
  const { tools, problems, warnings, close } = await openTools(world, { root: projectRoot(cwd), cwd, unattended });
  for (const problem of problems) io.stderr(`ikigai: ${problem}\n`);
  try {
    const chosen = toolsNamed(values.tools, tools);
    if (chosen?.includes("bash") !== false) for (const text of warnings) io.stderr(`ikigai: warning: ${text}\n`);
    return await withStore(world, io, {
      place: placeOf(world),
      unwritable: "shelter",
      run: async ({ store, hide }) => {
        const session_uuid = await sessionFor(store, { cwd, last: values.continue, id: values.resume });
        const limits = {
          ...(max_tool_turns === undefined ? {} : { max_tool_turns }),
          ...(budget_usd === undefined ? {} : { session_usd: budget_usd + (await spentIn(store, session_uuid)) }),
        };
        const named = model === undefined ? {} : { model };
        const own = agentWorld(world, io, { store, cwd, unattended, tools: { now: () => tools }, limits, ...named });
        const agents = await openAgents(own, session_uuid === undefined ? {} : { session_uuid });
        if (session_uuid === undefined) await store.states.set(scriptKey(agents.session_uuid), true);
        const hidden: Io = { ...io, stdout: (text) => io.stdout(hide(text)), stderr: (text) => io.stderr(hide(text)) };
        return oneTurn(agents, hidden, {
          prompt,
          files,
          tools: chosen,
          json: values.json,
          streams: values.stream || io.screen !== undefined,
          system: values.system,
          // A new session has begun with it.
          ...(isNew ? {} : named),
          secrets: secretsOf(world),
        });
      },
    });
  } finally {
    await close();
  }
}

const options = {
  print: { type: "boolean", short: "p", default: false },
  model: { type: "string", short: "m" },
  file: { type: "string", multiple: true },
  system: { type: "string" },
  tools: { type: "string", default: "all" },
  "max-tool-turns": { type: "string" },
  yes: { type: "boolean", short: "y", default: false },
  json: { type: "boolean", default: false },
  stream: { type: "boolean", default: false },
  budget: { type: "string" },
  continue: { type: "boolean", short: "c", default: false },
  resume: { type: "string" },
} as const;

type Turn = {
  readonly prompt: string;
  readonly files: readonly UserBlock[];
  readonly tools: readonly string[] | undefined;
  readonly json: boolean;
  readonly streams: boolean;
  readonly system: string | undefined;
  readonly model?: string;
  readonly secrets: readonly string[];
};

async function oneTurn(agents: Agents, io: Io, turn: Turn): Promise<number> {
  const { root_uuid: agent_uuid } = agents;
  const { prompt, files, tools, json, system, model } = turn;
  let ended: TurnEnd | undefined;
  const show = json ? (event: AgentEvent) => io.stdout(`${JSON.stringify(event)}\n`) : shower(agent_uuid, io, turn);
  agents.subscribe((event: AgentEvent) => {
    show(event);
    if (event.type === "turn_ended" && event.agent_uuid === agent_uuid) ended = event;
  });
  const stopListening = onSignals(() => void agents.command({ type: "interrupt", agent_uuid }).catch(() => undefined));
  try {
    if (model !== undefined) await agents.command({ type: "model", agent_uuid, model });
    if (system !== undefined) await agents.command({ type: "system", agent_uuid, text: system });
    if (tools !== undefined) await agents.command({ type: "toolset", agent_uuid, tools });
    const content = files.length === 0 ? prompt : [...files, { type: "text" as const, text: prompt }];
    await agents.command({ type: "say", agent_uuid, content });
    await agents.settled(agent_uuid);
    if (!json) sayHowItEnded(ended, io);
    return exitCodeOf(ended);
  } catch (error) {
    if (error instanceof CommandError) throw new UsageError(error.message);
    throw error;
  } finally {
    stopListening();
    await agents.close();
    await stopAllProcesses();
  }
}

/** What happens on stderr, a line each, and the answer on stdout. */
function shower(agent_uuid: string, io: Io, { streams, secrets }: Turn): (event: AgentEvent) => void {
  const progress = createProgress(agent_uuid, io.stderr);
  const { stdout, stderr } = io;
  const answers = (streams ? streamedAnswers : wholeAnswers)({ agent_uuid, stdout, stderr, secrets });
  return (event) => {
    answers(event);
    progress(event);
  };
}

/** The first asks for an end in peace, the second does not ask. */
function onSignals(interrupt: () => void): () => void {
  let asked = false;
  const onSignal = (): void => {
    if (asked) process.exit(exitCodes.aborted);
    asked = true;
    interrupt();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}

function sayHowItEnded(end: TurnEnd | undefined, io: Io): void {
  if (end === undefined || end.outcome === "interrupted") io.stderr("ikigai: interrupted\n");
  else if (end.error !== undefined) io.stderr(`ikigai: ${end.error.category}: ${end.error.message}\n`);
}

function exitCodeOf(end: TurnEnd | undefined): number {
  if (end === undefined || end.outcome === "interrupted") return exitCodes.aborted;
  if (end.outcome === "limit") return limitExitCode;
  if (end.error !== undefined) return exitCodes[end.error.category];
  if (end.finish_reason === "length") return lengthExitCode;
  if (end.finish_reason === "content_filter") return exitCodes.content_filter;
  return end.finish_reason === "error" ? exitCodes.server : 0;
}

/** The session to go on with; undefined: a new one. */
async function sessionFor(
  store: Store,
  { cwd, last, id }: { readonly cwd: string; readonly last: boolean; readonly id: string | undefined },
): Promise<string | undefined> {
  if (id !== undefined) return (await store.sessions.find(id)).uuid;
  if (!last) return undefined;
  const latest = await store.sessions.latest(cwd);
  if (latest === undefined) throw new UsageError(`there is no session of ${cwd} to continue`);
  return latest.uuid;
}

async function spentIn(store: Store, session_uuid: string | undefined): Promise<number> {
  if (session_uuid === undefined) return 0;
  const rows = await store.usage({ session_uuid });
  return rows.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
}

function toolsNamed(text: string, tools: readonly Tool[]): readonly string[] | undefined {
  if (text === "all") return undefined;
  const names = text === "none" ? [] : text.split(",").map((name) => name.trim());
  const known = [...tools.map(({ definition }) => definition.name), "fork", "send", "wait", "kill"];
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new UsageError(`there is no tool "${stranger}"; there are ${known.join(", ")}`);
  return names;
}

async function promptFrom(words: readonly string[], io: Io): Promise<string> {
  const said = words.join(" ").trim();
  const piped = isTerminal(io.stdin) ? "" : (await readAll(io.stdin)).trimEnd();
  const prompt = [said, piped].filter((part) => part !== "").join("\n\n");
  if (prompt === "") throw new UsageError(`-p needs something to say\n\n${helpFor("-p")}`);
  return prompt;
}

function isTerminal(stdin: Io["stdin"]): boolean {
  return "isTTY" in stdin && stdin.isTTY === true;
}

async function readAll(stdin: Io["stdin"]): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    bytes += chunk.length;
    if (bytes > stdinBytesMax)
      throw new UsageError(`more than ${stdinBytesMax} bytes on stdin are too much for a prompt`);
    parts.push(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }));
  }
  return parts.join("") + decoder.decode();
}

function positive(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new UsageError(`${flag} takes a whole number above 0, not "${text}"`);
  return number;
}

function amount(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text.replace(/^\$/, ""));
  if (text.trim() === "" || !Number.isFinite(number) || number < 0) {
    throw new UsageError(`${flag} takes an amount of US dollars, not "${text}"`);
  }
  return number;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const stdinBytesMax = 16 * 1024 * 1024;
