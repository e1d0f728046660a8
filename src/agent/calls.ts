import {
  checkAgainstSchema,
  toolResult,
  toolResultEntry,
  type JsonObject,
  type ToolCallBlock,
  type ToolResultBlock,
} from "../core/index.ts";
import type { NewEntry } from "../store/index.ts";
import { cutBlock, toolsOf } from "./conversation.ts";
import { append, inBackground, setState, type Engine, type Live } from "./engine.ts";
import { permission } from "./permit.ts";
import type { Tool, ToolContext, ToolIntent, ToolOutcome } from "./tools/types.ts";

/**
 * Runs the calls of one answer and writes down their results: those that only read side by side, others one after the
 * other in their order. A call that is not run gets a result as well, so that the model knows.
 */
export async function runCalls(
  engine: Engine,
  live: Live,
  calls: readonly ToolCallBlock[],
  signal: AbortSignal,
): Promise<void> {
  const planned = calls.map((call) => plan(engine, live, call));
  for (const group of groupsOf(planned)) {
    const runs = group.map((one) => runCall(engine, live, one, signal));
    await Promise.all(runs);
  }
}

type Planned = { readonly call: ToolCallBlock } & (
  | { readonly tool: Tool; readonly intent: ToolIntent }
  | { readonly refused: string }
);

/** What stands against a call before anybody is asked. */
function plan(engine: Engine, live: Live, call: ToolCallBlock): Planned {
  if (call.invalid === true) {
    return { call, refused: `The arguments are not a JSON object: ${call.arguments_text ?? ""}`.slice(0, messageMax) };
  }
  const offered = toolsOf(engine, live);
  const tool = offered.find(({ definition }) => definition.name === call.name);
  if (tool === undefined) {
    const names = offered.map(({ definition }) => definition.name).join(", ");
    return { call, refused: `There is no tool ${JSON.stringify(call.name)}; there are: ${names}` };
  }
  const problems = checkAgainstSchema(call.arguments, tool.definition.parameters);
  if (problems.length > 0) {
    const said = problems.map(({ place, message }) => `${place === "" ? "the arguments" : place} ${message}`);
    return { call, refused: `Invalid arguments: ${said.join("; ")}`.slice(0, messageMax) };
  }
  const { cwd, root } = engine.world;
  return { call, tool, intent: tool.intent(call.arguments, { cwd, root }) };
}

function groupsOf(planned: readonly Planned[]): readonly (readonly Planned[])[] {
  const groups: Planned[][] = [];
  for (const one of planned) {
    const last = groups.at(-1);
    const joins = last !== undefined && last.length < sideBySideMax && [...last, one].every(onlyReads);
    if (joins) last.push(one);
    else groups.push([one]);
  }
  return groups;
}

function onlyReads(one: Planned): boolean {
  return "refused" in one || one.intent.effect === "read" || one.intent.effect === "network";
}

async function runCall(engine: Engine, live: Live, planned: Planned, signal: AbortSignal): Promise<void> {
  const { call } = planned;
  const started = engine.world.now();
  const { id: tool_call_id, name } = call;
  const outcome = await outcomeOf(engine, live, planned, signal);
  const duration_ms = engine.world.now() - started;
  const { is_error } = outcome;
  await append(engine, live, [resultEntry(engine, call, outcome, duration_ms)]);
  engine.emit({ type: "tool_ended", agent_uuid: live.uuid, tool_call_id, name, is_error, duration_ms });
}

function resultEntry(engine: Engine, { id, name }: ToolCallBlock, outcome: ToolOutcome, duration_ms: number): NewEntry {
  const { is_error, data, stored } = outcome;
  const content = outcome.content.map((block) => cutBlock(block, engine.world.limits.stored_bytes));
  const result: ToolResultBlock = { type: "tool_result", tool_call_id: id, content, is_error };
  const exit_code = data?.["exit_code"];
  const diff = data?.["diff"];
  const facts = {
    name,
    duration_ms,
    ...(typeof exit_code === "number" ? { exit_code } : {}),
    ...(typeof diff === "string" && diff.length <= diffMax ? { diff } : {}),
  };
  const entry = toolResultEntry(result, facts);
  // The model is shown a part, the log keeps the whole.
  return stored === undefined ? entry : { ...entry, content: stored, data: { ...entry.data, blocks: content } };
}

async function outcomeOf(engine: Engine, live: Live, planned: Planned, signal: AbortSignal): Promise<ToolOutcome> {
  const { id: tool_call_id, name } = planned.call;
  if (signal.aborted) return failure(notRun);
  if ("refused" in planned) {
    engine.emit({ type: "tool_started", agent_uuid: live.uuid, tool_call_id, name, summary: name });
    return failure(planned.refused);
  }
  const { tool, intent } = planned;
  const permitted = await permission(engine, live, planned, signal);
  if ("refused" in permitted) return failure(signal.aborted ? notRun : permitted.refused);
  await append(engine, live, [{ kind: "tool_call", data: { tool_call_id, name } }]);
  setState(engine, live, "tool");
  engine.emit({ type: "tool_started", agent_uuid: live.uuid, tool_call_id, name, summary: intent.summary });
  return run(engine, live, { tool, args: planned.call.arguments, tool_call_id, ...permitted }, signal);
}

type Run = {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly tool_call_id: string;
  readonly permitted_paths?: readonly string[];
};

/** A tool that does not end when told to is left behind: it is watched until the end, but nobody waits for it. */
async function run(
  engine: Engine,
  live: Live,
  { tool, args, ...call }: Run,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const running = attempt(tool, args, contextOf(engine, live, call, signal));
  inBackground(engine, running);
  const { promise: ended, resolve: end } = Promise.withResolvers<ToolOutcome>();
  let grace: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    grace = setTimeout(() => end(failure(cancelled)), graceMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([running, ended]);
  } finally {
    clearTimeout(grace);
    signal.removeEventListener("abort", onAbort);
  }
}

async function attempt(tool: Tool, args: JsonObject, context: ToolContext): Promise<ToolOutcome> {
  try {
    return await tool.run(args, context);
  } catch (error) {
    if (context.signal.aborted) return failure(cancelled);
    return failure(error instanceof Error ? error.message : String(error));
  }
}

function contextOf(
  engine: Engine,
  live: Live,
  call: Pick<Run, "tool_call_id" | "permitted_paths">,
  signal: AbortSignal,
): ToolContext {
  const { world } = engine;
  const { tool_call_id } = call;
  return {
    agent_uuid: live.uuid,
    ...call,
    cwd: world.cwd,
    root: world.root,
    signal,
    env: world.tool_env,
    timeout_ms: world.limits.tool_timeout_ms,
    onOutput: (text) => engine.emit({ type: "tool_output", agent_uuid: live.uuid, tool_call_id, text }),
    shown_bytes: roomFor(world.limits.shown_bytes),
    stored_bytes: world.limits.stored_bytes,
    keepPreImage: async (path, bytes, now) => {
      const before = bytes === null ? undefined : await world.store.blobs.put(bytes);
      const after = now === undefined ? undefined : await world.store.blobs.put(now);
      const data = {
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
        tool_call_id,
      };
      await append(engine, live, [{ kind: "file_change", content: path, data }]);
    },
    files: live.files,
  };
}

/** What a tool says about what it left out has to fit as well. */
function roomFor(shown_bytes: number): number {
  return Math.max(shown_bytes - noteBytes, Math.floor(shown_bytes / 2));
}

function failure(text: string): ToolOutcome {
  return { content: toolResult("", text).content.filter((block) => block.type === "text"), is_error: true };
}

const notRun = "Not run: the user interrupted before it began";
const cancelled = "The user interrupted it";
const messageMax = 2_000;
/** A longer one can be made from what the file held before and after. */
const diffMax = 65_536;
const sideBySideMax = 8;
const noteBytes = 512;
/** A person who interrupts gets the prompt back in a tenth of a second. */
const graceMs = 50;
