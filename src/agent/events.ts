import type { ErrorInfo, FinishReason, JsonObject, LogEntry, StreamEvent, ToolCallId, Usage } from "../core/index.ts";

/** What an agent is doing. `waiting`: for mail, for a free place, or for the time of the next try. */
export const agentStates = ["idle", "waiting", "streaming", "tool", "asking", "dead"] as const;
export type AgentState = (typeof agentStates)[number];

/** What happens to agents, as plain data, for whoever shows it. `agent_uuid` says to which. */
export type AgentEvent = { readonly agent_uuid: string } & (
  | { readonly type: "state"; readonly state: AgentState }
  | { readonly type: "entry"; readonly entry: LogEntry }
  | { readonly type: "stream"; readonly event: StreamEvent }
  | {
      readonly type: "retrying";
      readonly delay_ms: number;
      readonly attempt: number;
      readonly attempts_max: number;
      readonly error: ErrorInfo;
      readonly discards: boolean;
    }
  | { readonly type: "queued"; readonly text: string; readonly waiting: number }
  | {
      readonly type: "tool_started";
      readonly tool_call_id: ToolCallId;
      readonly name: string;
      readonly summary: string;
    }
  | { readonly type: "tool_output"; readonly tool_call_id: ToolCallId; readonly text: string }
  | {
      readonly type: "tool_ended";
      readonly tool_call_id: ToolCallId;
      readonly name: string;
      readonly is_error: boolean;
      readonly duration_ms: number;
    }
  | {
      readonly type: "approval_asked";
      readonly approval_id: string;
      readonly tool_call_id: ToolCallId;
      readonly name: string;
      readonly summary: string;
      readonly detail?: string;
      readonly reason?: string;
      readonly proposal?: readonly JsonObject[];
      readonly proposal_text?: readonly string[];
      readonly agent_name?: string;
    }
  | { readonly type: "approval_settled"; readonly approval_id: string; readonly allowed: boolean }
  | {
      readonly type: "limit_reached";
      readonly limit: LimitName;
      readonly message: string;
      readonly approval_id?: string;
    }
  | { readonly type: "mail"; readonly mail_uuid: string; readonly from_uuid?: string; readonly text: string }
  | { readonly type: "forked"; readonly child_uuid: string; readonly model?: string }
  | { readonly type: "killed"; readonly by_uuid?: string }
  | { readonly type: "warning"; readonly code: string; readonly message: string }
  | ({ readonly type: "turn_ended" } & TurnEnd)
);

export const limitNames = [
  "session_usd",
  "day_usd",
  "unknown_price",
  "agent_usd",
  "agent_requests",
  "tool_turns",
  "agents",
  "depth",
] as const;
export type LimitName = (typeof limitNames)[number];

export type TurnEnd = {
  readonly outcome: "done" | "interrupted" | "failed" | "limit";
  /** How the last answer ended, where there was one. */
  readonly finish_reason?: FinishReason;
  readonly error?: ErrorInfo;
  readonly limit?: LimitName;
  /** What all requests of the turn used together. */
  readonly usage?: Usage;
  /** What is known of it; `unpriced` requests are missing in it. */
  readonly cost_usd: number;
  readonly unpriced: number;
  readonly requests: number;
  readonly duration_ms: number;
};

/** What is said of every event in docs/events.md, which is made from this. */
export const eventTable: EventTable = {
  state: {
    says: "The agent does something else now.",
    fields: { state: `one of ${agentStates.join(", ")}` },
  },
  entry: {
    says: "Something was written into the agent's log; nothing is done before it is written.",
    fields: { entry: "the log entry: `kind`, `content`, `data`, `uuid`, `created_at`, `id`" },
  },
  stream: {
    says: "A piece of an answer, as the library's stream says it (see format.md).",
    fields: { event: "a stream event: `start`, `text_delta`, `thinking_delta`, `tool_call_*`, …, `done` or `error`" },
  },
  retrying: {
    says: "A request failed and is sent again.",
    fields: {
      delay_ms: "how long it waits before",
      attempt: "the number of the try that is next",
      attempts_max: "how many there are at most",
      error: "why: `category`, `message`, …",
      discards: "true: what had arrived of the answer is thrown away",
    },
  },
  queued: {
    says: "The agent works; what was said waits for its turn.",
    fields: { text: "what was said", waiting: "how many wait now" },
  },
  tool_started: {
    says: "A tool begins.",
    fields: { tool_call_id: "the call", name: "the tool", summary: "one line that says what it is about to do" },
  },
  tool_output: {
    says: "Output of a tool while it runs. What the model gets is in the `tool_result` entry.",
    fields: { tool_call_id: "the call", text: "the output" },
  },
  tool_ended: {
    says: "A tool has ended.",
    fields: {
      tool_call_id: "the call",
      name: "the tool",
      is_error: "whether it failed",
      duration_ms: "how long it took",
    },
  },
  approval_asked: {
    says: "A call may only be run if a person says so. Answered with the command `approve` or `deny`.",
    fields: {
      approval_id: "to answer with",
      tool_call_id: "the call",
      name: "the tool",
      summary: "one line that says what it is about to do",
      detail: "more of it: the whole command, a unified diff of the file, the arguments",
      reason: "why it is asked",
      proposal: "the rules that an `approve` for the session or for always adds; absent: it is asked each time",
      proposal_text: "the same in words, one for each rule: `bash: git status *`, `file_edit: src/**`",
      agent_name: "how the agent is called, where it has a name",
    },
  },
  approval_settled: {
    says: "The question was answered, or is moot.",
    fields: { approval_id: "which", allowed: "whether it may be done" },
  },
  limit_reached: {
    says: "A limit of money, requests or agents stops the agent.",
    fields: {
      limit: `one of ${limitNames.join(", ")}`,
      message: "what is reached and how to go on",
      approval_id: "where a person can let it go on: to answer with",
    },
  },
  mail: {
    says: "A letter was put before the agent.",
    fields: { mail_uuid: "which", from_uuid: "the agent that sent it; absent: a person", text: "what it says" },
  },
  forked: { says: "The agent has a child.", fields: { child_uuid: "its id", model: "PROVIDER:MODEL it runs on" } },
  killed: { says: "The agent was ended.", fields: { by_uuid: "the agent that did it; absent: a person" } },
  warning: {
    says: "Something a person should know: a level that was moved, history that a model will not see, a window nearly full.",
    fields: { code: "its kind", message: "what it is" },
  },
  turn_ended: {
    says: "The agent is done with what it was told, or cannot go on.",
    fields: {
      outcome: "done, interrupted, failed or limit",
      finish_reason: "how the last answer ended: stop, length, content_filter, …",
      error: "what went wrong: `category`, `message`, …",
      limit: "the limit that was reached",
      usage: "tokens of all requests of the turn",
      cost_usd: "what is known of their price",
      unpriced: "how many requests have no known price",
      requests: "how many requests were sent and answered",
      duration_ms: "how long it took",
    },
  },
};

type EventTable = {
  readonly [Type in AgentEvent["type"]]: {
    readonly says: string;
    readonly fields: { readonly [Field in FieldOf<Extract<AgentEvent, { readonly type: Type }>>]: string };
  };
};
type FieldOf<Event> = Exclude<keyof Event, "type" | "agent_uuid">;
