import type { JsonObject } from "../../core/index.ts";
import { findAgent, type Engine, type Live } from "../engine.ts";
import { send, waitFor, type Waited } from "../post.ts";
import { descendantsOf } from "../totals.ts";
import { fork, kill } from "../tree.ts";
import type { Tool, ToolContext, ToolOutcome } from "./types.ts";

/** What an agent can do with other agents. `engine` is asked for at each call: it holds these tools itself. */
export function coordinationTools(engine: () => Engine): readonly Tool[] {
  return [
    coordinationTool(engine, {
      name: "fork",
      description:
        "Make a child agent that knows this conversation so far and works on its own task at the same time. " +
        "When it is done, its last answer comes to you as mail: call wait to get it. Give it everything it needs to know.",
      parameters: object(
        {
          prompt: { type: "string", description: "The task, complete in itself" },
          model: { type: "string", description: "MODEL or MODEL/LEVEL; left out: the same as yours" },
          name: { type: "string", description: "A short name for people" },
          budget_usd: { type: "number", description: "US dollars that it and its children may use up at most" },
          turns: { type: "integer", description: "How many requests it may make at most" },
          depth: { type: "integer", description: "How many generations of agents it may fork; 0: none" },
          tools: {
            type: "array",
            items: { type: "string" },
            description: "Which of your tools it gets; left out: all",
          },
        },
        ["prompt"],
      ),
      summary: ({ prompt, model }) => `fork${model === undefined ? "" : ` ${String(model)}`}: ${firstLine(prompt)}`,
      run: runFork,
    }),
    coordinationTool(engine, {
      name: "send",
      description: "Send mail to another agent. One that has nothing to do begins to work on it.",
      parameters: object(
        {
          to: { type: "string", description: "The id of the agent, or parent" },
          text: { type: "string" },
        },
        ["to", "text"],
      ),
      summary: ({ to, text }) => `send to ${String(to)}: ${firstLine(text)}`,
      run: runSend,
    }),
    coordinationTool(engine, {
      name: "wait",
      description:
        "Wait for mail: the next letter of anybody, or, with ids, until each of these agents has written, has nothing to do, or is dead.",
      parameters: object(
        {
          from: { type: "array", items: { type: "string" }, description: "Ids of agents; left out: anybody" },
          seconds: { type: "number", description: `How long at most; left out: ${waitSeconds}` },
        },
        [],
      ),
      summary: ({ from }) => `wait for ${Array.isArray(from) && from.length > 0 ? from.join(", ") : "mail"}`,
      run: runWait,
    }),
    coordinationTool(engine, {
      name: "kill",
      description: "End one of your children and everything below it.",
      parameters: object({ id: { type: "string", description: "The id of the agent" } }, ["id"]),
      summary: ({ id }) => `kill ${String(id)}`,
      run: runKill,
    }),
  ];
}

type Coordination = {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly summary: (args: JsonObject) => string;
  readonly run: (engine: Engine, self: Live, args: JsonObject, context: ToolContext) => Promise<string>;
};

function coordinationTool(engine: () => Engine, { name, description, parameters, summary, run }: Coordination): Tool {
  return {
    definition: { name, description, parameters },
    intent: (args) => ({ effect: "coordinate", summary: summary(args) }),
    async run(args, context): Promise<ToolOutcome> {
      const text = await run(engine(), findAgent(engine(), context.agent_uuid), args, context);
      return { content: [{ type: "text", text }], is_error: false };
    },
  };
}

async function runFork(engine: Engine, self: Live, args: JsonObject): Promise<string> {
  const { prompt, model, name, budget_usd, turns, depth, tools } = args;
  const at_uuid = beforeThisAnswer(self);
  const task = `[You are a child agent, forked from agent ${self.uuid}. Your last answer is sent to it.]\n\n${String(prompt)}`;
  const limits = {
    ...(typeof budget_usd === "number" ? { budget_usd } : {}),
    ...(typeof turns === "number" ? { requests_max: turns } : {}),
    ...(typeof depth === "number" ? { depth_max: depth } : {}),
  };
  const [made] = await fork(engine, self, {
    prompt: task,
    reports: true,
    ...(at_uuid === undefined ? {} : { at_uuid }),
    ...(typeof model === "string" ? { models: [model] } : {}),
    ...(typeof name === "string" ? { name } : {}),
    ...(Array.isArray(tools) ? { tools: tools.map(String) } : {}),
    limits,
  });
  return `The child agent is ${made?.child.uuid ?? ""}.`;
}

/** The answer that calls `fork` is not finished: its calls have no results yet, and they are none of the child's business. */
function beforeThisAnswer(self: Live): string | undefined {
  const entries = self.replay.entries();
  const answer = entries.findLastIndex(({ kind }) => kind === "assistant");
  return entries[answer - 1]?.uuid;
}

async function runSend(engine: Engine, self: Live, { to, text }: JsonObject): Promise<string> {
  const address = to === "parent" ? (self.parent_uuid ?? "parent") : String(to);
  const { to_uuid } = await send(engine, { to: address, text: String(text), from: self });
  return `Sent to ${to_uuid}.`;
}

async function runWait(
  engine: Engine,
  self: Live,
  { from, seconds }: JsonObject,
  { signal }: ToolContext,
): Promise<string> {
  const timeout_ms = Math.min(typeof seconds === "number" ? seconds : waitSeconds, waitSecondsMax) * 1_000;
  const ids = Array.isArray(from) ? from.map(String) : [];
  return waitedText(await waitFor(engine, self, { from: ids, timeout_ms, signal }));
}

/** The letters themselves follow in the conversation. */
function waitedText({ letters, statuses, timed_out }: Waited): string {
  const lines = Object.entries(statuses).map(([uuid, status]) => `${uuid}: ${statusWords[status]}`);
  const count = letters.length === 1 ? "1 letter has" : `${letters.length} letters have`;
  return [
    ...(timed_out ? ["The time is over."] : []),
    `${count} arrived${letters.length === 0 ? "." : "; see below."}`,
    ...lines,
  ].join("\n");
}

async function runKill(engine: Engine, self: Live, { id }: JsonObject): Promise<string> {
  const target = findAgent(engine, String(id));
  const below = descendantsOf(engine, self.uuid).slice(1);
  if (!below.includes(target.uuid)) throw new Error(`agent ${target.uuid} is not one of your descendants`);
  const killed = await kill(engine, target.uuid, { by_uuid: self.uuid });
  return killed.length === 0 ? `${target.uuid} was dead already.` : `Ended: ${killed.join(", ")}.`;
}

function object(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required: [...required], additionalProperties: false };
}

function firstLine(text: unknown): string {
  const [line = ""] = String(text).split("\n");
  return line.length > lineMax ? `${line.slice(0, lineMax)}…` : line;
}

const lineMax = 80;
const waitSeconds = 300;
const waitSecondsMax = 3_600;

const statusWords = {
  received: "has written",
  running: "still works",
  idle: "has nothing to do and has not written",
  dead: "is dead",
} as const;
