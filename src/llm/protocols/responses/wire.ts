import type {
  EasyInputMessage,
  FunctionTool,
  ResponseCreateParamsBase,
  ResponseCustomToolCallOutput,
  ResponseFormatTextConfig,
  ResponseFunctionToolCall,
  ResponseInputFile,
  ResponseInputImage,
  ResponseInputItem,
  ResponseInputText,
  WebSearchTool,
} from "openai/resources/responses/responses";
import type { JsonObject } from "../../../core/index.ts";

/** What we write on this wire, as plain data. The last lines hold each shape against the vendor's own types. */

export type WireText = { type: "input_text"; text: string };
export type WireImage = { type: "input_image"; image_url: string; detail: "auto" };
export type WireFile =
  | { type: "input_file"; filename: string; file_data: string }
  | { type: "input_file"; file_url: string };
export type WirePart = WireText | WireImage | WireFile;

export type WireMessage =
  | { role: "user"; content: WirePart[] }
  | { role: "system" | "developer" | "assistant"; content: string };
export type WireCall = { type: "function_call"; call_id: string; name: string; arguments: string };
export type WireResult = { type: "function_call_output"; call_id: string; output: string | WirePart[] };
export type WireCustomResult = { type: "custom_tool_call_output"; call_id: string; output: string | WirePart[] };

export type WireTool = {
  type: "function";
  name: string;
  description?: string;
  parameters: { [keyword: string]: JsonObject[string] };
  strict: boolean;
};

/** A server that has a filter for domains to leave out has its own name for it. */
export type WireSearch = {
  type: "web_search";
  filters?: { allowed_domains?: string[]; [blocked: string]: string[] | undefined };
};

export type WireToolChoice = "auto" | "none" | "required" | { type: "function"; name: string };

export type WireFormat =
  | { type: "json_object" }
  | {
      type: "json_schema";
      name: string;
      schema: { [keyword: string]: JsonObject[string] };
      strict: boolean;
      description?: string;
    };

export type WireEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
/** `max_tokens` is a gateway's word for models that have budgets. */
export type WireReasoning = { effort?: WireEffort; max_tokens?: number; summary?: "auto" };

/** What `plan` decides. */
export type WireParameters = { reasoning?: WireReasoning; max_output_tokens: number };

/** Everything else but the input and what quirks add. */
export type WireHead = {
  model: string;
  stream: boolean;
  store?: false;
  include?: "reasoning.encrypted_content"[];
  instructions?: string;
  tools?: (WireTool | WireSearch)[];
  max_tool_calls?: number;
  tool_choice?: WireToolChoice;
  parallel_tool_calls?: boolean;
  text?: { format: WireFormat };
  temperature?: number;
  top_p?: number;
  prompt_cache_options?: { ttl: "12h" };
};

type Checked<Ours extends Theirs, Theirs> = Ours;
export type CheckedAgainstVendor = [
  Checked<WireHead & WireParameters, Omit<ResponseCreateParamsBase, "input">>,
  Checked<WireTool, FunctionTool>,
  Checked<WireSearch, WebSearchTool>,
  Checked<WireFormat, ResponseFormatTextConfig>,
  Checked<WireText, ResponseInputText>,
  Checked<WireImage, ResponseInputImage>,
  Checked<WireFile, ResponseInputFile>,
  Checked<WireMessage, EasyInputMessage>,
  Checked<WireCall, ResponseFunctionToolCall>,
  Checked<WireResult, ResponseInputItem.FunctionCallOutput>,
  Checked<WireCustomResult, ResponseCustomToolCallOutput>,
];
