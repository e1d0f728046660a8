import type {
  DocumentBlockParam,
  ImageBlockParam,
  MessageCreateParamsBase,
  RedactedThinkingBlockParam,
  TextBlockParam,
  ThinkingBlockParam,
  Tool,
  ToolResultBlockParam,
  ToolUseBlockParam,
  WebSearchTool20250305,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { JsonObject } from "../../../core/index.ts";

/** What we write on this wire, as plain data. The last lines hold each shape against the vendor's own types. */

export type CacheControl = { type: "ephemeral"; ttl?: "1h" };
type Cacheable = { cache_control?: CacheControl };

export type WireText = { type: "text"; text: string } & Cacheable;
export type WireImage = {
  type: "image";
  source: { type: "base64"; media_type: ImageType; data: string } | { type: "url"; url: string };
} & Cacheable;
export type WireDocument = {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string };
  title?: string;
} & Cacheable;
/** What a person or a tool may show. */
export type WireInput = WireText | WireImage | WireDocument;
export type WireToolUse = { type: "tool_use"; id: string; name: string; input: JsonObject } & Cacheable;
export type WireToolResult = {
  type: "tool_result";
  tool_use_id: string;
  content?: WireInput[];
  is_error?: true;
} & Cacheable;
export type WireThinking = { type: "thinking"; thinking: string; signature: string };
export type WireRedacted = { type: "redacted_thinking"; data: string };

/**
 * A block in the API's own words: server tools and their results, text with citations, calls with a caller, and
 * whatever comes later. It goes back as it came, so there is nothing for a type to check.
 */
export type WireRaw = JsonObject;

export type WireBlock =
  | WireInput
  | WireToolUse
  | WireToolResult
  | WireThinking
  | WireRedacted
  | { type: "raw"; block: WireRaw };

export type WireMessage = { role: "user" | "assistant"; content: WireBlock[] };

export type WireTool = {
  name: string;
  description?: string;
  input_schema: { type: "object"; [keyword: string]: JsonObject[string] };
  strict?: true;
} & Cacheable;

/** The oldest version of the server's own search: every model that has one takes it, and it needs no code execution. */
export type WireSearchTool = {
  type: "web_search_20250305";
  name: "web_search";
  max_uses?: number;
  allowed_domains?: string[];
  blocked_domains?: string[];
} & Cacheable;

export type WireToolChoice =
  | { type: "auto" | "any"; disable_parallel_tool_use?: true }
  | { type: "tool"; name: string; disable_parallel_tool_use?: true }
  | { type: "none" };

export type WireThinkingConfig =
  | { type: "enabled"; budget_tokens: number }
  | { type: "adaptive"; display: "summarized" | "omitted" }
  | { type: "disabled" }
  | { type: "between_tools" };

export type WireEffort = "low" | "medium" | "high" | "xhigh" | "max";
export type WireOutputConfig = { effort?: WireEffort; format?: { type: "json_schema"; schema: JsonObject } };

export const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
export type ImageType = (typeof imageTypes)[number];

/** What `plan` decides. */
export type WireParameters = { thinking?: WireThinkingConfig; output_config?: WireOutputConfig; max_tokens: number };

/** Everything else but the messages. `temperature` and its kin are gone from the SDK with version 2026-10-21. */
export type WireHead = {
  model: string;
  stream?: true;
  tools?: (WireTool | WireSearchTool)[];
  tool_choice?: WireToolChoice;
  system?: WireText[];
  stop_sequences?: string[];
};

type Checked<Ours extends Theirs, Theirs> = Ours;
export type CheckedAgainstVendor = [
  Checked<WireHead & WireParameters, Omit<MessageCreateParamsBase, "messages">>,
  Checked<WireTool, Tool>,
  Checked<WireSearchTool, WebSearchTool20250305>,
  Checked<WireText, TextBlockParam>,
  Checked<WireImage, ImageBlockParam>,
  Checked<WireDocument, DocumentBlockParam>,
  Checked<WireToolUse, ToolUseBlockParam>,
  Checked<WireToolResult, ToolResultBlockParam>,
  Checked<WireThinking, ThinkingBlockParam>,
  Checked<WireRedacted, RedactedThinkingBlockParam>,
];
