import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type {
  AssistantMessage,
  Message,
  StreamEvent,
  ThinkingLevel,
  ToolCallBlock,
  ToolDefinition,
} from "../../src/core/index.ts";
import { ask, complete, IkigaiError, type Answer, type CallOptions, type Input } from "../../src/llm/index.ts";
import { startEmulator, type Emulator, type EmulatorOptions, type ScriptEntry } from "../../src/testing/index.ts";
import { contractRows, optionsFor, specOf, titleOf, type ContractRow } from "./providers.ts";

/** One row, asked in one way. */
export type Lab = {
  readonly row: ContractRow;
  readonly emulator: Emulator;
  readonly streamed: boolean;
  readonly script: (...entries: readonly ScriptEntry[]) => void;
  /** Asks, and holds what comes to the grammar of events. */
  readonly ask: (input: Input, how?: How) => Promise<Answer>;
  /** The same where it must fail. */
  readonly fail: (input: Input, how?: How) => Promise<IkigaiError>;
  readonly options: (how?: How) => CallOptions;
};

export type How = {
  readonly level?: ThinkingLevel;
  readonly model?: string;
  readonly key?: string;
  readonly idle_timeout_ms?: number;
  readonly signal?: AbortSignal;
  /** Told of every event as it comes. */
  readonly onEvent?: (event: StreamEvent) => void;
};

export type Scenario = (lab: Lab) => Promise<void>;
export type Scenarios = { readonly [name: string]: Scenario | { readonly streamed_only: Scenario } };

/** Every row by every scenario, streamed and in one piece. What a row excepts is skipped with its reason. */
export function contract(scenarios: Scenarios, options: EmulatorOptions = {}): void {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ ...emulatorOptions(), ...options });
  });
  afterAll(() => emulator.close());
  beforeEach(() => emulator.reset());
  describe.each(contractRows.map((row) => [titleOf(row), row] as const))("%s", (_title, row) => {
    for (const { name, scenario, streamed } of casesOf(scenarios)) {
      const title = titleOfCase(name, streamed);
      const reason = row.exceptions[name] ?? row.exceptions[title];
      if (reason === undefined) test(title, () => scenario(makeLab(row, emulator, streamed)));
      else test.skip(`${title}: ${reason}`, () => {});
    }
  });
}

/** The same for scenarios that wait: all rows of one at once, each with an emulator of its own. */
export function contractAtOnce(scenarios: Scenarios): void {
  test.each(casesOf(scenarios).map((each) => [titleOfCase(each.name, each.streamed), each] as const))(
    "%s",
    async (title, { name, scenario, streamed }) => {
      const rows = contractRows.filter(({ exceptions }) => (exceptions[name] ?? exceptions[title]) === undefined);
      const failures = rows.map(async (row) => {
        const emulator = await startEmulator(emulatorOptions());
        try {
          await scenario(makeLab(row, emulator, streamed));
          return [];
        } catch (error) {
          return [`${titleOf(row)}: ${String(error)}`];
        } finally {
          await emulator.close();
        }
      });
      expect((await Promise.all(failures)).flat()).toEqual([]);
    },
  );
}

type Case = { readonly name: string; readonly scenario: Scenario; readonly streamed: boolean };

function casesOf(scenarios: Scenarios): readonly Case[] {
  return Object.entries(scenarios).flatMap(([name, scenario]) =>
    typeof scenario === "function"
      ? [true, false].map((streamed) => ({ name, scenario, streamed }))
      : [{ name, scenario: scenario.streamed_only, streamed: true }],
  );
}

function titleOfCase(name: string, streamed: boolean): string {
  return `${name}, ${streamed ? "streamed" : "in one piece"}`;
}

export function emulatorOptions(): EmulatorOptions {
  return { bad_keys: ["bad-key"], models: strangers() };
}

/** Names the emulator does not know, with the rules of one it does. */
function strangers(): NonNullable<EmulatorOptions["models"]> {
  return contractRows.flatMap(({ model, like }) => (like === undefined ? [] : [{ id: model, like }]));
}

export function makeLab(row: ContractRow, emulator: Emulator, streamed: boolean): Lab {
  const options = (how: How = {}): CallOptions => {
    const { idle_timeout_ms, signal, key } = how;
    return {
      ...optionsFor(row, emulator, idle_timeout_ms === undefined ? {} : { idle_timeout_ms }),
      ...(signal === undefined ? {} : { signal }),
      ...(key === undefined ? {} : { key }),
    };
  };
  const run = async (input: Input, how: How = {}): Promise<Answer> => {
    const spec = specOf({ ...row, model: how.model ?? row.model }, how.level);
    const asked = (streamed ? ask : complete)(spec, input, options(how));
    const events: StreamEvent[] = [];
    for await (const event of asked) {
      events.push(event);
      how.onEvent?.(event);
    }
    checkEvents(events);
    return asked;
  };
  return {
    row,
    emulator,
    streamed,
    script: (...entries) => emulator.script(...entries),
    ask: run,
    fail: (input, how) => failureOf(run(input, how)),
    options,
  };
}

/** (start? …)* with one end, blocks that are opened before they grow, and one seal for each at most. */
export function checkEvents(events: readonly StreamEvent[]): void {
  const ends = events.filter(({ type }) => type === "done" || type === "error");
  expect(ends.length, "one last event").toBe(1);
  expect(events.at(-1)).toBe(ends[0]);
  const starts = events.flatMap(({ type }, index) => (type === "start" ? [index] : []));
  expect(starts.every((index) => index === 0) && starts.length <= 1, "a start comes first").toBe(true);
  const kinds = new Map<number, string>();
  const closed = new Set<number>();
  for (const event of events) {
    if (!("block_index" in event)) continue;
    const { block_index: block } = event;
    const known = kinds.get(block);
    const kind = event.type.replace(/_(delta|start|done)$/, "");
    if (event.type === "opaque") expect(closed.has(block), "one seal for a block").toBe(false);
    if (event.type === "opaque") closed.add(block);
    else if (event.type === "tool_call_start") expect(known, "a call begins once").toBeUndefined();
    else if (event.type === "tool_call_delta" || event.type === "tool_call_done") expect(known).toBe("tool_call");
    else if (event.type === "citation") expect(known).toBe("text");
    else expect(known ?? kind, "a block is of one kind").toBe(kind);
    if (event.type !== "citation") kinds.set(block, known ?? kind);
  }
}

export async function failureOf(work: PromiseLike<unknown>): Promise<IkigaiError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof IkigaiError) return error;
    throw error;
  }
  throw new Error("was expected to fail");
}

export const weather: ToolDefinition = {
  name: "get_weather",
  description: "The weather of a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};

export function call(city: string): { name: string; arguments: { city: string } } {
  return { name: "get_weather", arguments: { city } };
}

export function callsIn(message: AssistantMessage | undefined): readonly ToolCallBlock[] {
  return (message?.content ?? []).filter((block) => block.type === "tool_call");
}

export function resultsFor(message: AssistantMessage, text = "12 degrees", is_error = false): Message {
  const content = callsIn(message).map(({ id }) => ({
    type: "tool_result" as const,
    tool_call_id: id,
    content: [{ type: "text" as const, text }],
    is_error,
  }));
  return { role: "tool", content };
}

export function textIn(message: AssistantMessage | undefined): string {
  return (message?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
}

export function thinkingIn(message: AssistantMessage | undefined): string {
  return (message?.content ?? []).map((block) => (block.type === "thinking" ? block.text : "")).join("");
}

export function sealsIn(message: AssistantMessage): readonly string[] {
  const strings = (value: unknown): readonly string[] =>
    typeof value === "string"
      ? [value]
      : typeof value === "object" && value !== null
        ? Object.values(value).flatMap(strings)
        : [];
  return message.content.flatMap(({ opaque }) => strings(opaque?.data)).filter((text) => text.length > 80);
}
