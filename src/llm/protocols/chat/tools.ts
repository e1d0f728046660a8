import type { JsonObject, Note, OutputFormat, Request, ToolDefinition } from "../../../core/index.ts";
import type { Target } from "../../adapter.ts";
import { invalidArgument } from "../../failure.ts";
import { strictSchema } from "../../schema.ts";
import type { ChatQuirks } from "./quirks.ts";
import { isThinking } from "./thinking.ts";

export type ToolContext = {
  readonly target: Target;
  readonly quirks: ChatQuirks;
  /** Whether the model will think; some fields are refused then. */
  readonly thinking: boolean;
  readonly cache_control: JsonObject | undefined;
  readonly notes: Note[];
};

/** `tools`, `tool_choice` and `parallel_tool_calls`, as far as the server and the model take them. */
export function toolFields(request: Request, context: ToolContext): JsonObject {
  const tools = toolsToSend(request, context);
  if (tools.length === 0) return {};
  return {
    tools: encodeTools(tools, context),
    ...toolChoice(request, context),
    ...parallel(request, context),
  };
}

/** Some models think or call tools here, but not both; some take no tools on this wire at all. */
export function thinkingFields(
  request: Request,
  { target, quirks, notes }: Pick<ToolContext, "target" | "quirks" | "notes">,
): { readonly fields: JsonObject; readonly thinking: boolean } {
  const { model, plan } = target;
  const thinking = isThinking(plan);
  const rule = (request.tools ?? []).length === 0 ? undefined : model.traits?.["chat_tools"];
  if (rule === "never" || rule === "none") {
    throw invalidArgument(
      `${model.id} takes no tools over Chat Completions; use the Responses api (providers.${target.provider}.api: "responses")`,
    );
  }
  if (rule !== "without_thinking" || !thinking || quirks.thinking_style !== "reasoning_effort") {
    return { fields: plan.parameters, thinking };
  }
  const message = `${model.id} does not think while it has tools over Chat Completions; sent: reasoning_effort none`;
  notes.push({ code: "thinking_off_for_tools", message });
  return { fields: { ...plan.parameters, reasoning_effort: "none" }, thinking: false };
}

export function outputFormat(format: OutputFormat | undefined, { quirks, notes }: ToolContext): JsonObject {
  if (format === undefined) return {};
  const { output_schema } = quirks;
  if (output_schema === "none") {
    notes.push({
      code: "output_format_unsupported",
      message: "This server cannot be held to JSON; asked in words only",
    });
    return {};
  }
  if (format.type === "json") return { response_format: { type: "json_object" } };
  if (output_schema === "object") {
    notes.push({ code: "output_format_reduced", message: "This server takes no schema; any JSON object is asked for" });
    return { response_format: { type: "json_object" } };
  }
  const { name, description } = format;
  const strict = output_schema === "strict" && format.strict !== false ? strictSchema(format.schema) : undefined;
  const schema = strict?.ok === true ? { schema: strict.schema, strict: true } : { schema: format.schema };
  const json_schema = { name, ...(description === undefined ? {} : { description }), ...schema };
  return { response_format: { type: "json_schema", json_schema } };
}

function toolsToSend(request: Request, { target, quirks, notes }: ToolContext): readonly ToolDefinition[] {
  const tools = request.tools ?? [];
  if (tools.length === 0) return [];
  if (!target.model.capabilities.tools) {
    notes.push({ code: "tools_unsupported", message: `${target.model.id} has no tools; they were left out` });
    return [];
  }
  if (quirks.tool_choice === "none" && request.tool_choice?.mode === "none") {
    notes.push({ code: "tools_left_out", message: "This server cannot be told to use no tools; they were left out" });
    return [];
  }
  return tools;
}

function encodeTools(tools: readonly ToolDefinition[], { quirks, cache_control }: ToolContext): readonly JsonObject[] {
  return tools.map((tool, place) => {
    const { name, description } = tool;
    const strict = quirks.strict_tools && tool.strict !== false ? strictSchema(tool.parameters) : undefined;
    const schema = strict?.ok === true ? { parameters: strict.schema, strict: true } : { parameters: tool.parameters };
    const marked = cache_control !== undefined && place === tools.length - 1 ? { cache_control } : {};
    return {
      type: "function",
      function: { name, ...(description === undefined ? {} : { description }), ...schema },
      ...marked,
    };
  });
}

function toolChoice({ tool_choice }: Request, { target, quirks, thinking, notes }: ToolContext): JsonObject {
  if (tool_choice === undefined) return {};
  const { mode } = tool_choice;
  const { forced_tools } = target.model.capabilities;
  const forced = mode === "required" || mode === "specific";
  const refused = forced_tools === "never" || (forced_tools === "without_thinking" && thinking);
  if (forced && (refused || quirks.tool_choice === "none")) {
    const whose = quirks.tool_choice === "none" ? "This server" : target.model.id;
    notes.push({ code: "tool_choice_auto", message: `${whose} cannot be made to call a tool; sent: auto` });
    return quirks.tool_choice === "none" ? {} : { tool_choice: "auto" };
  }
  if (quirks.tool_choice === "none") return {};
  if (mode !== "specific") return { tool_choice: mode };
  if (quirks.tool_choice === "all") return { tool_choice: { type: "function", function: { name: tool_choice.name } } };
  notes.push({ code: "tool_choice_required", message: "This server takes no tool by name; sent: required" });
  return { tool_choice: "required" };
}

function parallel({ tool_choice }: Request, { quirks, notes }: ToolContext): JsonObject {
  if (tool_choice?.parallel_allowed !== false) return {};
  if (quirks.parallel_tool_calls) return { parallel_tool_calls: false };
  notes.push({ code: "parallel_unsupported", message: "This server cannot be held to one call at a time" });
  return {};
}
