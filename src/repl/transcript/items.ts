import type { AgentEvent, TurnEnd } from "../../agent/index.ts";
import type { ErrorInfo, LogEntry, Usage } from "../../core/index.ts";

/**
 * What is seen of a conversation, one thing after another. Screen and plain mode show the same items. An item that grows
 * stays the same object: `version` tells that it has changed.
 */
export type Item = {
  readonly id: string;
  readonly version: number;
  /** The entry of the log it comes from; absent while it arrives, and for what is no part of the log. */
  readonly entry_uuid?: string;
} & ItemBody;

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
  | { readonly type: "error"; readonly error: ErrorInfo; readonly provider?: string }
  | { readonly type: "interrupted"; readonly reason: "user" | "crash" | "exit" }
  | { readonly type: "limit"; readonly message: string }
  | { readonly type: "mark"; readonly label?: string }
  /** What is no longer in force stays readable. */
  | { readonly type: "rewind"; readonly label?: string; readonly folded: readonly Item[]; readonly messages: number }
  | { readonly type: "clear" }
  | { readonly type: "compact"; readonly text: string }
  | { readonly type: "fork"; readonly child_uuid: string; readonly model?: string; readonly prompt?: string }
  | { readonly type: "forked_from"; readonly parent_uuid: string }
  | { readonly type: "mail"; readonly text: string; readonly from_uuid?: string }
  | { readonly type: "killed"; readonly by_uuid?: string }
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
  readonly tool_call_id: string;
  readonly name: string;
  readonly summary: string;
  /** The beginning of it; the whole is in the entry. */
  readonly arguments_text: string;
  readonly state: "arriving" | "asking" | "running" | "done" | "failed" | "denied" | "interrupted";
  readonly started_at?: number;
  readonly duration_ms?: number;
  readonly exit_code?: number;
  /** The end of what it wrote so far, or of its result; the whole is in the entry `result_uuid`. */
  readonly output: string;
  /** How many lines there are in all. */
  readonly output_lines: number;
  readonly result_uuid?: string;
  /** What it did to a file, as a unified diff, or the beginning of one. */
  readonly diff?: FileDiff;
};

export type FileDiff = {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
  /** Lines of it that are not in `text`. */
  readonly omitted: number;
};

/**
 * The conversation of one agent as items. Entries of the log make items; events of a running turn make items that the
 * entries then replace: after a restart the same log shows the same items. No call costs more because the conversation is
 * long.
 */
export type TranscriptModel = {
  /** Always the same array. */
  readonly items: () => readonly Item[];
  /**
   * What came or went since a revision (0: since the beginning): items before `from` are the same objects in the same
   * places.
   */
  readonly changedSince: (revision: number) => { readonly revision: number; readonly from: number };
  /**
   * Entries of the log in order, newest at the end: the page a session opens with, then what is written. `older`: there
   * are older ones.
   */
  readonly add: (entries: readonly LogEntry[], options?: { readonly older?: boolean }) => void;
  /** An older page, before everything there is. */
  readonly addOlder: (entries: readonly LogEntry[]) => void;
  /** Reads the next older page by `older`. False: there is none. */
  readonly loadOlder: () => Promise<boolean>;
  readonly hear: (event: AgentEvent) => void;
  readonly notice: (lines: readonly string[], tone: "info" | "good" | "warning" | "error") => void;
  /** What waited for its turn has been taken back. */
  readonly dropQueued: () => void;
  /** The id an item will have after a restart: what is remembered of it should be remembered by this one. */
  readonly lastingId: (id: string) => string;
  /** Where the running turn is, for the footer and the plain mode. */
  readonly turn: () => { readonly running: boolean; readonly last?: TurnEnd };
};
