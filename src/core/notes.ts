/** Something a person should know about a request: a level that was moved, a parameter that was left out. */
export type Note = { readonly code: string; readonly message: string };

/** Something of the history that the target will not see, and why. */
export type Loss = {
  readonly code:
    | "foreign_thinking"
    | "foreign_data"
    | "unsigned_thinking"
    | "broken_prefix"
    | "half_tool_call"
    | "orphan_tool_result"
    | "synthetic_tool_result"
    | "renamed_tool_call_id"
    | "empty_message"
    | "unsupported_block";
  readonly message: string;
  /** Position in the history that was projected. */
  readonly message_index: number;
  readonly block_index?: number;
};
