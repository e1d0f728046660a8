import type { Generated, Insertable, Selectable } from "kysely";

/** The tables, the same on both engines. Times are milliseconds since 1970; what ends in `_uuid` is 22 characters of base64url. */
export type Tables = {
  readonly sessions: {
    readonly id: Generated<number>;
    readonly uuid: string;
    readonly folder: string | null;
    readonly title: string | null;
    readonly created_at: number;
    readonly updated_at: number;
  };
  readonly agents: {
    readonly uuid: string;
    readonly session_id: number;
    readonly parent_uuid: string | null;
    /** The newest entry of another log that this agent knows. */
    readonly fork_message_id: number | null;
    readonly name: string | null;
    readonly status: string;
    readonly provider: string | null;
    readonly model: string | null;
    readonly thinking_level: string | null;
    /** The process that runs it: `processes.uuid`. */
    readonly owner: string | null;
    readonly data: string | null;
    readonly created_at: number;
    readonly updated_at: number;
  };
  readonly messages: {
    readonly id: Generated<number>;
    readonly uuid: string;
    readonly session_id: number;
    readonly agent_uuid: string;
    readonly kind: string;
    readonly content: string | null;
    readonly data: string | null;
    readonly version: number;
    /** What a rewind returns to, where the kept part of a compaction begins. */
    readonly target_id: number | null;
    readonly provider: string | null;
    readonly model: string | null;
    readonly input_tokens: number | null;
    readonly cache_read_tokens: number | null;
    readonly cache_write_tokens: number | null;
    readonly output_tokens: number | null;
    readonly thinking_tokens: number | null;
    readonly cost_usd: number | null;
    readonly created_at: number;
  };
  readonly mail: {
    readonly id: Generated<number>;
    readonly uuid: string;
    readonly session_id: number;
    readonly from_uuid: string | null;
    readonly to_uuid: string;
    readonly content: string;
    readonly data: string | null;
    readonly created_at: number;
    readonly read_at: number | null;
  };
  /** An answer that is still arriving, in pieces. Gone once it is an entry. */
  readonly checkpoints: {
    readonly agent_uuid: string;
    readonly message_uuid: string;
    readonly seq: number;
    readonly data: string;
    readonly created_at: number;
  };
  /** What files held before tools changed them, by the hash of their bytes. */
  readonly blobs: { readonly hash: string; readonly bytes: Uint8Array; readonly created_at: number };
  /** What screens remember. */
  readonly states: { readonly key: string; readonly value: string; readonly updated_at: number };
  /** What people typed. */
  readonly inputs: {
    readonly id: Generated<number>;
    readonly folder: string | null;
    readonly content: string;
    readonly created_at: number;
  };
  readonly processes: {
    readonly uuid: string;
    readonly pid: number;
    readonly host: string;
    readonly started: string;
    readonly heartbeat_at: number;
  };
  readonly schema_migrations: {
    readonly version: number;
    readonly name: string;
    readonly checksum: string;
    readonly applied_at: number;
  };
};

export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;
export type NewRow<Table extends keyof Tables> = Insertable<Tables[Table]>;

/** In the order in which rows can be written: what others point to comes first. */
export const columns = {
  sessions: ["id", "uuid", "folder", "title", "created_at", "updated_at"],
  agents: [
    "uuid",
    "session_id",
    "parent_uuid",
    "fork_message_id",
    "name",
    "status",
    "provider",
    "model",
    "thinking_level",
    "owner",
    "data",
    "created_at",
    "updated_at",
  ],
  messages: [
    "id",
    "uuid",
    "session_id",
    "agent_uuid",
    "kind",
    "content",
    "data",
    "version",
    "target_id",
    "provider",
    "model",
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "output_tokens",
    "thinking_tokens",
    "cost_usd",
    "created_at",
  ],
  mail: ["id", "uuid", "session_id", "from_uuid", "to_uuid", "content", "data", "created_at", "read_at"],
  blobs: ["hash", "bytes", "created_at"],
  states: ["key", "value", "updated_at"],
  inputs: ["id", "folder", "content", "created_at"],
} as const;
