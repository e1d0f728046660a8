import type { AgentEvent, TurnEnd } from "../../src/agent/index.ts";
import {
  assistantEntry,
  createCollector,
  toolResult,
  toolResultEntry,
  usageFrom,
  type EntryBody,
  type JsonObject,
  type LogEntry,
  type StreamEvent,
} from "../../src/core/index.ts";

export const agent = "a1f3000000000000000000";

/** What happens to an agent in a turn, as its events say it; the entries among them are its log. */
export type Story = {
  readonly events: AgentEvent[];
  readonly entry: (body: EntryBody, agent_uuid?: string) => LogEntry;
  readonly say: (text: string) => LogEntry;
  readonly stream: (...events: readonly StreamEvent[]) => void;
  readonly emit: (event: DistributiveOmit<AgentEvent, "agent_uuid">) => void;
  /** The answer that the stream has made so far becomes an entry. */
  readonly answer: (more?: Parameters<typeof assistantEntry>[1], incomplete?: boolean) => LogEntry;
  readonly run: (id: string, name: string, output: string, more?: RunOptions) => void;
  readonly end: (more?: Partial<TurnEnd>) => void;
  readonly log: () => readonly LogEntry[];
  readonly time: { now: number };
};

export type RunOptions = {
  readonly is_error?: boolean;
  readonly refused?: boolean;
  readonly exit_code?: number;
  readonly diff?: string;
  readonly live?: readonly string[];
};

type DistributiveOmit<Value, Key extends PropertyKey> = Value extends unknown ? Omit<Value, Key> : never;

export const origin = { provider: "sim", api: "messages", model: "sim-think" };
export const usage = usageFrom({
  input_tokens: 1000,
  cache_read_tokens: 200,
  cache_write_tokens: 0,
  output_tokens: 40,
  thinking_tokens: 90,
});

/** `hear` is told of everything at once. */
export function createStory(hear: (event: AgentEvent, now: number) => void = () => undefined): Story {
  const events: AgentEvent[] = [];
  const time = { now: 1_700_000_000_000 };
  let made = 0;
  let streamed: StreamEvent[] = [];
  const emit: Story["emit"] = (event) => {
    const whole = { agent_uuid: agent, ...event } as AgentEvent;
    events.push(whole);
    hear(whole, time.now);
  };
  const entry: Story["entry"] = (body, agent_uuid = agent) => {
    made += 1;
    time.now += 100;
    const written: LogEntry = { ...body, uuid: `e${made}`, agent_uuid, version: 1, created_at: time.now, id: made };
    emit({ type: "entry", entry: written });
    return written;
  };
  return {
    events,
    entry,
    emit,
    time,
    say: (text) => entry({ kind: "user", content: text }),
    stream(...given) {
      for (const event of given) {
        if (event.type === "start") streamed = [];
        streamed.push(event);
        emit({ type: "stream", event });
      }
    },
    answer(more = {}, incomplete = false) {
      const collector = createCollector(origin);
      for (const event of streamed) collector.add(event);
      streamed = [];
      const { incomplete: _left, ...message } = collector.message();
      return entry(
        assistantEntry({ ...message, ...(incomplete ? { incomplete: true } : {}) }, { thinking_level: "med", ...more }),
      );
    },
    run(id, name, output, { is_error = false, refused = false, exit_code, diff, live = [] } = {}) {
      if (!refused) {
        entry({ kind: "tool_call", data: { tool_call_id: id, name } });
        emit({ type: "tool_started", tool_call_id: id, name, summary: name });
        for (const text of live) emit({ type: "tool_output", tool_call_id: id, text });
      }
      const facts = {
        name,
        duration_ms: 100,
        ...(exit_code === undefined ? {} : { exit_code }),
        ...(diff === undefined ? {} : { diff }),
      };
      entry(toolResultEntry(toolResult(id, output, is_error), facts));
      emit({ type: "tool_ended", tool_call_id: id, name, is_error, duration_ms: 100 });
    },
    end(more = {}) {
      emit({ type: "turn_ended", outcome: "done", cost_usd: 0, unpriced: 0, requests: 1, duration_ms: 500, ...more });
      emit({ type: "state", state: "idle" });
    },
    log: () => events.flatMap((event) => (event.type === "entry" ? [event.entry] : [])),
  };
}

export const start: StreamEvent = { type: "start", model: "sim-think" };
export const done: StreamEvent = { type: "done", finish_reason: "stop", raw_finish_reason: "stop", usage };

export function text(block_index: number, ...pieces: readonly string[]): readonly StreamEvent[] {
  return pieces.map((piece) => ({ type: "text_delta", block_index, text: piece }));
}

export function thinking(block_index: number, ...pieces: readonly string[]): readonly StreamEvent[] {
  return pieces.map((piece) => ({ type: "thinking_delta", block_index, text: piece }));
}

export function call(block_index: number, id: string, name: string, args: JsonObject): readonly StreamEvent[] {
  const json = JSON.stringify(args);
  return [
    { type: "tool_call_start", block_index, id, name },
    { type: "tool_call_delta", block_index, json_fragment: json.slice(0, 5) },
    { type: "tool_call_delta", block_index, json_fragment: json.slice(5) },
    { type: "tool_call_done", block_index, arguments: args },
  ];
}
