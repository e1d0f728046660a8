import type { AgentEvent, TurnEnd } from "../../agent/index.ts";
import type { ErrorInfo, LogEntry, ModelChoice, Usage } from "../../core/index.ts";

/** What is seen of a conversation, one thing after another. Screen and plain mode show the same items. */
export type Item = { readonly id: string; readonly version: number } & ItemBody;

export type ItemBody =
  | { readonly type: "user"; readonly text: string; readonly files: readonly string[] }
  /** Waits for its turn. */
  | { readonly type: "queued"; readonly text: string }
  /** Who answers from here on, where it is another one than before. */
  | { readonly type: "maker"; readonly provider: string; readonly model: string; readonly level?: string }
  | {
      readonly type: "thinking";
      readonly text: string;
      readonly growing: boolean;
      readonly duration_ms?: number;
      readonly tokens?: number;
      /** The provider shows none of it. */
      readonly sealed: boolean;
    }
  | { readonly type: "text"; readonly text: string; readonly growing: boolean; readonly incomplete: boolean }
  | ToolItem
  /** A citation, a search of the provider, a picture: what an answer holds beyond text, in a line. */
  | { readonly type: "extra"; readonly text: string }
  /** After an exchange: tokens, money, time. */
  | {
      readonly type: "exchange";
      readonly usage: Usage;
      readonly cost_usd?: number;
      readonly duration_ms?: number;
      readonly requests: number;
    }
  | {
      readonly type: "retrying";
      readonly until: number;
      readonly attempt: number;
      readonly attempts_max: number;
      readonly error: ErrorInfo;
    }
  | { readonly type: "error"; readonly error: ErrorInfo }
  | { readonly type: "interrupted"; readonly reason: "user" | "crash" | "exit" }
  | { readonly type: "limit"; readonly message: string }
  | { readonly type: "mark"; readonly label?: string }
  | { readonly type: "rewind"; readonly label?: string }
  | { readonly type: "clear" }
  | { readonly type: "compact"; readonly text: string }
  | { readonly type: "fork"; readonly child_uuid: string; readonly model?: string; readonly prompt?: string }
  | { readonly type: "forked_from"; readonly parent_uuid: string }
  | { readonly type: "mail"; readonly text: string; readonly from_uuid?: string }
  | { readonly type: "killed"; readonly by_uuid?: string }
  | { readonly type: "model"; readonly choice: ModelChoice }
  /** A setting of the context: system, pin, unpin, toolset, capture. */
  | { readonly type: "setting"; readonly text: string }
  | { readonly type: "command"; readonly text: string; readonly output?: string; readonly exit_code?: number }
  | { readonly type: "warning"; readonly message: string }
  /** Said by the program to the person; no part of the log. */
  | {
      readonly type: "notice";
      readonly lines: readonly string[];
      readonly tone: "info" | "good" | "warning" | "error";
    };

export type ToolItem = {
  readonly type: "tool";
  readonly name: string;
  readonly summary: string;
  readonly arguments_text: string;
  readonly state: "arriving" | "asking" | "running" | "done" | "failed" | "denied" | "interrupted";
  readonly started_at?: number;
  readonly duration_ms?: number;
  readonly exit_code?: number;
  /** What it wrote so far, or its result. */
  readonly output: string;
  /** What it did to a file, as a unified diff. */
  readonly diff?: string;
};

/**
 * The conversation of one agent as items. Entries of the log make items; events of a running turn make items that the
 * entries then replace: after a restart the same log shows the same items. No call costs more because the conversation is
 * long.
 */
export type TranscriptModel = {
  readonly items: () => readonly Item[];
  /** Entries of the log in order, newest at the end: the page a session opens with, then what is written. */
  readonly add: (entries: readonly LogEntry[]) => void;
  /** An older page, before everything there is. */
  readonly addOlder: (entries: readonly LogEntry[]) => void;
  readonly hear: (event: AgentEvent) => void;
  readonly notice: (lines: readonly string[], tone: "info" | "good" | "warning" | "error") => void;
  /** Where the running turn is, for the footer and the plain mode. */
  readonly turn: () => { readonly running: boolean; readonly last?: TurnEnd };
};
