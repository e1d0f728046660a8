import { parseArgs } from "node:util";
import { CommandError, openAgents, type AgentEvent, type Agents, type TurnEnd } from "../agent/index.ts";
import { stopAllProcesses, type Tool } from "../agent/tools/index.ts";
import type { UserBlock } from "../core/index.ts";
import { openTools } from "./agent-tools.ts";
import { agentWorld, defaultModel, projectRoot } from "./agent-world.ts";
import { attachment } from "./attach.ts";
import { exitCodes, limitExitCode, lengthExitCode } from "./exit-codes.ts";
import { helpFor } from "./help.ts";
import { UsageError, type Io } from "./io.ts";
import { createProgress } from "./progress.ts";
import { placeOf, withStore } from "./stored.ts";
import { announce, openWorld } from "./world.ts";

export async function runPrint(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const max_tool_turns = positive(values["max-tool-turns"], "--max-tool-turns");
  const files = (values.file ?? []).map(attachment);
  const prompt = await promptFrom(positionals, io);
  const world = await openWorld(io);
  announce(world, io);
  const model = values.model ?? (await defaultModel(world));
  const cwd = process.cwd();
  const unattended = values.yes ? "allow" : "deny";
  const { tools, problems, warnings, close } = await openTools(world, { root: projectRoot(cwd), cwd, unattended });
  for (const problem of problems) io.stderr(`ikigai: ${problem}\n`);
  const limits = max_tool_turns === undefined ? {} : { max_tool_turns };
  try {
    const chosen = toolsNamed(values.tools, tools);
    if (chosen?.includes("bash") !== false) for (const text of warnings) io.stderr(`ikigai: warning: ${text}\n`);
    return await withStore(world, io, {
      place: placeOf(world),
      unwritable: "shelter",
      run: async ({ store, hide }) => {
        const agents = await openAgents(agentWorld(world, io, { store, cwd, model, unattended, tools, limits }));
        const hidden: Io = { ...io, stdout: (text) => io.stdout(hide(text)), stderr: (text) => io.stderr(hide(text)) };
        return oneTurn(agents, hidden, { prompt, files, tools: chosen, json: values.json, system: values.system });
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
} as const;

type Turn = {
  readonly prompt: string;
  readonly files: readonly UserBlock[];
  readonly tools: readonly string[] | undefined;
  readonly json: boolean;
  readonly system: string | undefined;
};

async function oneTurn(agents: Agents, io: Io, { prompt, files, tools, json, system }: Turn): Promise<number> {
  const { root_uuid: agent_uuid } = agents;
  const progress = createProgress(agents.root_uuid, io.stderr);
  let ended: TurnEnd | undefined;
  agents.subscribe((event: AgentEvent) => {
    if (json) io.stdout(`${JSON.stringify(event)}\n`);
    else progress(event);
    if (event.type === "turn_ended" && event.agent_uuid === agent_uuid) ended = event;
  });
  const onSignal = (): void => void agents.command({ type: "interrupt", agent_uuid }).catch(() => undefined);
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  try {
    if (system !== undefined) await agents.command({ type: "system", agent_uuid, text: system });
    if (tools !== undefined) await agents.command({ type: "toolset", agent_uuid, tools });
    const content = files.length === 0 ? prompt : [...files, { type: "text" as const, text: prompt }];
    await agents.command({ type: "say", agent_uuid, content });
    await agents.settled(agent_uuid);
    if (!json && isAnswer(ended)) io.stdout(withNewline(lastText(agents)));
    if (!json && ended?.error !== undefined) io.stderr(`ikigai: ${ended.error.category}: ${ended.error.message}\n`);
    return exitCodeOf(ended);
  } catch (error) {
    if (error instanceof CommandError) throw new UsageError(error.message);
    throw error;
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
    await agents.close();
    await stopAllProcesses();
  }
}

/** What was cut off or had to end early is an answer, too; the exit code says so. */
function isAnswer(end: TurnEnd | undefined): boolean {
  return end?.outcome === "done" || end?.limit === "tool_turns";
}

function lastText(agents: Agents): string {
  const last = agents.view(agents.root_uuid).messages.findLast(({ role }) => role === "assistant");
  return last?.content.map((block) => (block.type === "text" ? block.text : "")).join("") ?? "";
}

function withNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function exitCodeOf(end: TurnEnd | undefined): number {
  if (end === undefined || end.outcome === "interrupted") return exitCodes.aborted;
  if (end.outcome === "limit") return limitExitCode;
  if (end.error !== undefined) return exitCodes[end.error.category];
  if (end.finish_reason === "length") return lengthExitCode;
  if (end.finish_reason === "content_filter") return exitCodes.content_filter;
  return end.finish_reason === "error" ? exitCodes.server : 0;
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

const stdinBytesMax = 16 * 1024 * 1024;
