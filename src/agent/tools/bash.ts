import { existsSync } from "node:fs";
import type { JsonObject } from "../../core/index.ts";
import { ArgumentProblem, defineTool, readArguments, textIn, type ArgumentReader } from "./arguments.ts";
import { openJobs, type Job, type Jobs } from "./jobs.ts";
import { cutHead, cutMiddle, failure, outcomeOf, shownIn, textOutcome } from "./output.ts";
import { launch, type Ending, type Running } from "./processes.ts";
import type { Tool, ToolContext, ToolOutcome } from "./types.ts";

/** Puts a command into a sandbox, or says why it may not run. */
export type Sandbox = (
  argv: readonly string[],
  place: Pick<ToolContext, "cwd" | "root">,
) => { readonly argv: readonly string[] } | { readonly problem: string };

export function bashTool(sandbox: Sandbox = (argv) => ({ argv })): Tool {
  const jobs = openJobs();
  return {
    definition,
    intent(args) {
      const command = textIn(args, "command");
      const job = textIn(args, "job");
      if (command !== undefined && job === undefined) {
        return { effect: "command", command, summary: `$ ${firstLine(command)}`, detail: command };
      }
      if (job !== undefined && command === undefined) {
        // Looking at or ending what was permitted when it was started.
        return { effect: "coordinate", summary: `${args["kill"] === true ? "end" : "read"} ${job}` };
      }
      return { effect: "unknown", summary: "bash with arguments that make no sense" };
    },
    run: (args, context) =>
      outcomeOf(context.signal, () => {
        const read = readArguments(args);
        if (read.has("job") && read.has("command")) throw new ArgumentProblem('Give "command" or "job", not both.');
        return read.has("job") ? askJob(read, context, jobs) : runCommand(read, context, { jobs, sandbox });
      }),
    release: async (agent_uuid) => void (await Promise.all(jobs.of(agent_uuid).map(({ running }) => running.stop()))),
  };
}

const timeoutMaxMs = 3_600_000;

const definition = defineTool(
  "bash",
  "Runs a command with bash in the project folder and returns its output (stdout and stderr in order) and exit code. " +
    "There is no standard input. Each call starts anew: cd and variables do not carry over. Prefer file_read, " +
    "file_edit, glob and grep for files. Servers and other things that do not end: background. With job instead of " +
    "command: more output of an earlier call, or its end.",
  {
    command: { type: "string", says: "The command line. Leave out when job is given.", optional: true },
    timeout_ms: { type: "integer", says: "End it after so many milliseconds.", optional: true },
    background: { type: "boolean", says: "Return at once with a job id and let it run.", optional: true },
    job: { type: "string", says: "The id of an earlier call, to read its output.", optional: true },
    offset: { type: "integer", says: "With job: read from this byte of its output on.", optional: true },
    kill: { type: "boolean", says: "With job: end it and everything it started.", optional: true },
  },
);

type Parts = { readonly jobs: Jobs; readonly sandbox: Sandbox };

async function runCommand(read: ArgumentReader, context: ToolContext, { jobs, sandbox }: Parts): Promise<ToolOutcome> {
  const command = read.text("command");
  if (command.trim() === "") throw new ArgumentProblem('"command" is empty.');
  if (command.includes("\0")) throw new ArgumentProblem('"command" must not hold a NUL character.');
  const { cwd, root, env, onOutput, signal, agent_uuid } = context;
  // The outer shell joins both outputs into one pipe, so that they stay in order.
  const wrapped = sandbox(["/bin/sh", "-c", 'exec "$0" -c "$1" 2>&1', shell(), command], { cwd, root });
  if ("problem" in wrapped) return failure(wrapped.problem);
  const { stored_bytes: kept_bytes } = context;
  const running = launch({
    argv: wrapped.argv,
    cwd,
    env,
    onOutput,
    ...(kept_bytes === undefined ? {} : { kept_bytes }),
  });
  const keep = (): Job => jobs.keep({ agent_uuid, command, running });
  if (read.flag("background")) {
    const { id } = keep();
    return textOutcome(`Started in the background as ${id}. Read its output or end it with the argument job.`, {
      job: id,
    });
  }
  const timeoutMs = Math.min(read.wholeOr("timeout_ms", context.timeout_ms) || context.timeout_ms, timeoutMaxMs);
  const ending = await endOrStop(running, timeoutMs, signal);
  return report({ running, ending, keep, shown_bytes: shownIn(context) });
}

type Stopped = "timeout" | undefined;

/** Waits for the end, the time limit or an abort, whichever comes first. After an abort nobody waits for the dying. */
async function endOrStop(
  running: Running,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Ending & { readonly stopped: Stopped; readonly timeout_ms: number }> {
  let onAbort: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const cut = new Promise<"timeout" | "aborted">((settle) => {
    timer = setTimeout(settle, timeoutMs, "timeout");
    onAbort = () => settle("aborted");
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
  });
  try {
    const first = await Promise.race([running.ended, cut]);
    if (first === "aborted") {
      void running.stop();
      throw signal.reason;
    }
    if (first !== "timeout") return { ...first, stopped: undefined, timeout_ms: timeoutMs };
    await running.stop();
    return { ...(await running.ended), stopped: "timeout", timeout_ms: timeoutMs };
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}

type Finished = {
  readonly running: Running;
  readonly ending: Awaited<ReturnType<typeof endOrStop>>;
  readonly keep: () => Job;
  readonly shown_bytes: number;
};

function report({ running, ending, keep, shown_bytes }: Finished): ToolOutcome {
  if (ending.problem !== undefined) return failure(`The command could not be started: ${ending.problem}`);
  const { text, dropped } = running.output();
  const isLong = dropped > 0 || Buffer.byteLength(text) > shown_bytes;
  const isLeft = running.isAlive();
  const job = isLong || isLeft ? keep().id : undefined;
  const shown = cutMiddle(text, shown_bytes, () => `All that is kept: bash with job "${job}" and offset ${dropped}.`);
  const notes = [
    ...(ending.stopped === "timeout" ? [`[Ended after ${ending.timeout_ms} ms, with everything it started.]`] : []),
    ...(ending.stopped === undefined && ending.signal !== null ? [`[Ended by ${ending.signal}.]`] : []),
    ...(isLeft ? [`[Something runs on in the background: ${job}.]`] : []),
    ...((ending.exit_code ?? 0) === 0 ? [] : [`[Exit code ${ending.exit_code}.]`]),
  ];
  const body = shown === "" && notes.length === 0 ? "[No output.]" : withNotes(shown, notes);
  return {
    content: [{ type: "text", text: body }],
    is_error: ending.exit_code !== 0,
    data: { exit_code: ending.exit_code, ...facts(ending), ...(job === undefined ? {} : { job }) },
    ...(isLong ? { stored: text } : {}),
  };
}

function facts({ signal, stopped }: Finished["ending"]): JsonObject {
  return { ...(signal === null ? {} : { signal }), ...(stopped === undefined ? {} : { stopped }) };
}

async function askJob(read: ArgumentReader, context: ToolContext, jobs: Jobs): Promise<ToolOutcome> {
  const id = read.text("job");
  const job = jobs.find(id, context.agent_uuid);
  if (job === undefined) {
    const known = jobs.of(context.agent_uuid).map((other) => other.id);
    return failure(`There is no job "${id}"${known.length === 0 ? "" : `; there are ${known.join(", ")}`}.`);
  }
  if (read.flag("kill")) {
    await job.running.stop();
    await job.running.ended;
  }
  const { text, dropped } = job.running.output();
  const bytes = Buffer.from(text);
  const total = dropped + bytes.length;
  const offset = Math.max(read.wholeOr("offset", Math.max(total - shownIn(context), dropped)), dropped);
  const shown = cutHead(bytes.subarray(offset - dropped).toString("utf8"), shownIn(context));
  const next = offset + Buffer.byteLength(shown);
  const state = stateOf(job);
  const rest = next < total ? `; read on with offset ${next}` : `; what comes next has offset ${total}`;
  const notes = [`[${id}: ${state}. Bytes ${offset} to ${next} of ${total}${rest}.]`];
  return textOutcome(withNotes(shown, notes), { job: id, state, offset, next_offset: next, total_bytes: total });
}

function stateOf({ ended, running }: Job): string {
  if (running.isAlive()) return ended === undefined ? "running" : "running on in the background";
  if (ended === undefined) return "ended";
  return ended.signal === null ? `ended with exit code ${ended.exit_code}` : `ended by ${ended.signal}`;
}

function withNotes(text: string, notes: readonly string[]): string {
  const joined = notes.join("\n");
  return text === "" || joined === "" || text.endsWith("\n") ? text + joined : `${text}\n${joined}`;
}

function shell(): string {
  return ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].find((path) => existsSync(path)) ?? "/bin/sh";
}

function firstLine(command: string): string {
  const [line = "", ...rest] = command.trim().split("\n");
  return rest.length === 0 ? line : `${line} …`;
}
