import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsBase,
  ChatCompletionDeveloperMessageParam,
  ChatCompletionMessageToolCall,
  ChatCompletionSystemMessageParam,
  ChatCompletionTool,
  ChatCompletionToolChoiceOption,
  ChatCompletionToolMessageParam,
  ChatCompletionUserMessageParam,
} from "openai/resources/chat/completions/completions";
import type { JsonObject, JsonValue } from "../../../core/index.ts";

/** What we write on this wire, as plain data. The last lines hold each shape against the types of its author. */

/** A gateway's word, for models that want their caches marked. */
export type WireCacheControl = { type: "ephemeral"; ttl?: "1h" };
type Marked = { cache_control?: WireCacheControl };

export type WireText = Marked & { type: "text"; text: string };
export type WireImage = Marked & { type: "image_url"; image_url: { url: string } };
export type WireFile = Marked & { type: "file"; file: { filename: string; file_data: string } };
export type WirePart = WireText | WireImage | WireFile;
/** Not of this wire's author: thinking as a part of the content. */
export type WireThinking = { type: "thinking"; thinking: { type: "text"; text: string }[] };

export type WireFunctionCall = {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
  extra_content?: JsonValue;
};
export type WireCustomCall = { id: string; type: "custom"; custom: { name: string; input: string } };
export type WireCall = WireFunctionCall | WireCustomCall;

export type WireSystem = { role: "system" | "developer"; content: string | WireText[] };
export type WireUser = { role: "user"; content: string | WirePart[] };
export type WireTool = { role: "tool"; tool_call_id: string; name?: string; content: string | WireText[] };
/** Thinking, as compatible servers want it back: at most one of these. */
export type WireReasoning = {
  reasoning_details?: JsonValue[];
  reasoning_content?: string;
  reasoning?: string;
  reasoning_text?: string;
};
export type WireSeals = { extra_content?: JsonValue; thought_signature?: JsonValue; reasoning_opaque?: JsonValue };
export type WireAssistant = WireReasoning &
  WireSeals & { role: "assistant"; content?: string | null | (WireText | WireThinking)[]; tool_calls?: WireCall[] };
export type WireMessage = WireSystem | WireUser | WireAssistant | WireTool;

export type WireToolDefinition = Marked & {
  type: "function";
  function: {
    name: string;
    description?: string;
    parameters: { [keyword: string]: JsonObject[string] };
    strict?: true;
  };
};
/** A tool that the server runs itself; its name is the server's own. */
export type WireServerTool = { type: string; parameters?: { allowed_domains?: string[]; excluded_domains?: string[] } };
export type WireToolChoice = "auto" | "none" | "required" | { type: "function"; function: { name: string } };
export type WireFormat =
  | { type: "json_object" }
  | {
      type: "json_schema";
      json_schema: {
        name: string;
        description?: string;
        schema: { [keyword: string]: JsonObject[string] };
        strict?: true;
      };
    };

/** What a request may say about its tools and its form. */
export type WireToolFields = {
  tools?: (WireToolDefinition | WireServerTool)[];
  web_search_options?: Record<string, never>;
  tool_choice?: WireToolChoice;
  parallel_tool_calls?: false;
  response_format?: WireFormat;
};

type Checked<Ours extends Theirs, Theirs> = Ours;
/** Its author knows no thinking among the parts of an answer. */
type WithAnyContent<Message> = Omit<Message, "content"> & { content?: unknown };
export type CheckedAgainstVendor = [
  Checked<WirePart, ChatCompletionContentPart>,
  Checked<WireCall, ChatCompletionMessageToolCall>,
  Checked<WireSystem & { role: "system" }, ChatCompletionSystemMessageParam>,
  Checked<WireSystem & { role: "developer" }, ChatCompletionDeveloperMessageParam>,
  Checked<WireUser, ChatCompletionUserMessageParam>,
  Checked<WireTool, ChatCompletionToolMessageParam>,
  Checked<WireAssistant, WithAnyContent<ChatCompletionAssistantMessageParam>>,
  Checked<WireToolDefinition, ChatCompletionTool>,
  Checked<WireToolChoice, ChatCompletionToolChoiceOption>,
  Checked<Omit<WireToolFields, "tools">, Pick<ChatCompletionCreateParamsBase, keyof Omit<WireToolFields, "tools">>>,
];
