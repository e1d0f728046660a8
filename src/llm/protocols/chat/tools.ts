import type { JsonObject, Note, OutputFormat, Request, ToolDefinition } from "../../../core/index.ts";
import type { Target } from "../../adapter.ts";
import { invalidArgument } from "../../failure.ts";
import { strictSchema } from "../../schema.ts";
import { leftOut } from "./notes.ts";
import type { ChatQuirks } from "./quirks.ts";
import { isThinking } from "./thinking.ts";
import type { WireCacheControl, WireToolDefinition, WireToolFields } from "./wire.ts";

export type ToolContext = {
  readonly target: Target;
  readonly quirks: ChatQuirks;
  /** Whether the model will think; some fields are refused then. */
  readonly thinking: boolean;
  readonly cache_control: WireCacheControl | undefined;
  readonly notes: Note[];
};

/** `tools`, `tool_choice` and `parallel_tool_calls`, as far as the server and the model take them. */
export function toolFields(request: Request, context: ToolContext): WireToolFields {
  const tools = toolsToSend(request, context);
  const search = searchFields(request, context);
  if (tools.length === 0) return search;
  return {
    ...search,
    tools: [...(search.tools ?? []), ...encodeTools(tools, context)],
    ...toolChoice(request, context),
    ...parallel(request, context),
  };
}

/** The server's own search, as a tool or as a field. */
function searchFields(
  { web_search }: Request,
  { target, quirks, notes }: ToolContext,
): Pick<WireToolFields, "tools" | "web_search_options"> {
  if (web_search === undefined || web_search.enabled === false) return {};
  const prefixes = quirks.web_search_models.split(" ").filter((prefix) => prefix !== "");
  if (!prefixes.some((prefix) => prefix === "*" || target.model.id.startsWith(prefix))) {
    notes.push(leftOut("web_search", `${target.model.id} cannot search the web here`));
    return {};
  }
  const { max_uses, allowed_domains = [], blocked_domains = [] } = web_search;
  const isTool = quirks.web_search_tool !== "";
  if (max_uses !== undefined) notes.push(leftOut("max_uses of web_search", "this server has no such setting"));
  if (blocked_domains.length > 0 && (!isTool || allowed_domains.length > 0)) {
    const why = isTool ? "this server takes either list, not both" : "this server has no such setting";
    notes.push(leftOut("blocked_domains of web_search", why));
  }
  if (!isTool) {
    if (allowed_domains.length > 0) {
      notes.push(leftOut("allowed_domains of web_search", "this server has no such setting"));
    }
    return { web_search_options: {} };
  }
  const domains =
    allowed_domains.length > 0
      ? { parameters: { allowed_domains: [...allowed_domains] } }
      : blocked_domains.length > 0
        ? { parameters: { excluded_domains: [...blocked_domains] } }
        : {};
  return { tools: [{ type: quirks.web_search_tool, ...domains }] };
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

export function outputFormat(
  format: OutputFormat | undefined,
  { quirks, notes }: ToolContext,
): Pick<WireToolFields, "response_format"> {
  if (format === undefined) return {};
  const { output_schema } = quirks;
  if (output_schema === "none") {
    notes.push(leftOut("output_format", "this server has no structured output; the prompt asks for it"));
    return {};
  }
  if (format.type === "json") return { response_format: { type: "json_object" } };
  if (output_schema === "object") {
    notes.push(
      leftOut("the schema of output_format", "this server promises only some JSON object; the prompt asks for it"),
    );
    return { response_format: { type: "json_object" } };
  }
  const { name, description, schema } = format;
  const wanted = output_schema === "strict" && format.strict !== false;
  const strict = wanted ? strictly(schema, `Output format ${name}`, notes) : undefined;
  if (strict?.nulls_added === true) {
    const message = `Optional properties of ${name} may come back as null: strict mode knows no other way`;
    notes.push({ code: "optional_as_null", message });
  }
  const shape = strict === undefined ? { schema } : { schema: strict.schema, strict: true as const };
  const json_schema = { name, ...(description === undefined ? {} : { description }), ...shape };
  return { response_format: { type: "json_schema", json_schema } };
}

/**
 * What the prompt has to say about the form of the answer. Servers refuse their JSON mode where the messages never
 * say the word, and a schema that has no place of its own is at least told.
 */
export function formatWords(request: Request, quirks: ChatQuirks): string | undefined {
  const { output_format: format, system = [] } = request;
  if (format === undefined) return undefined;
  const isTold = quirks.output_schema === "object" || quirks.output_schema === "none";
  if (format.type === "json_schema") {
    const schema = JSON.stringify(format.schema);
    return isTold ? `Answer with one JSON object that satisfies this JSON Schema: ${schema}` : undefined;
  }
  return system.some(({ text }) => /json/i.test(text)) ? undefined : "Answer with one JSON object.";
}

function toolsToSend(request: Request, { target, quirks, notes }: ToolContext): readonly ToolDefinition[] {
  const tools = request.tools ?? [];
  if (tools.length === 0) return [];
  if (!target.model.capabilities.tools) {
    notes.push(leftOut("tools", `${target.model.id} has none`));
    return [];
  }
  if (quirks.tool_choice === "none" && request.tool_choice?.mode === "none") {
    notes.push(leftOut("tools", "this server cannot be told to call none"));
    return [];
  }
  return tools;
}

function encodeTools(tools: readonly ToolDefinition[], context: ToolContext): WireToolDefinition[] {
  const { quirks, cache_control, notes } = context;
  return tools.map((tool, place) => {
    const { name, description, parameters } = tool;
    const wanted = quirks.strict_tools && tool.strict !== false;
    const strict = wanted ? strictly(parameters, `Tool ${name}`, notes) : undefined;
    const shape =
      strict === undefined
        ? { parameters: objectSchema(parameters) }
        : { parameters: strict.schema, strict: true as const };
    const marked = cache_control !== undefined && place === tools.length - 1 ? { cache_control } : {};
    return {
      type: "function",
      function: { name, ...(description === undefined ? {} : { description }), ...shape },
      ...marked,
    };
  });
}

/** Undefined where strict mode cannot say what the schema says. */
function strictly(schema: JsonObject, whose: string, notes: Note[]): StrictForm | undefined {
  const strict = strictSchema(schema);
  if (strict.ok) return strict;
  notes.push({ code: "not_strict", message: `${whose} is sent without strict mode; ${strict.reason}` });
  return undefined;
}

type StrictForm = { readonly schema: JsonObject; readonly nulls_added: boolean };

/** Functions take an object even where their schema forgets to say so. */
function objectSchema(schema: JsonObject): JsonObject {
  return schema["type"] === undefined ? { type: "object", properties: {}, ...schema } : schema;
}

function toolChoice(
  { tool_choice }: Request,
  { target, quirks, thinking, notes }: ToolContext,
): Pick<WireToolFields, "tool_choice"> {
  if (tool_choice === undefined) return {};
  const { mode } = tool_choice;
  const { forced_tools } = target.model.capabilities;
  const forced = mode === "required" || mode === "specific";
  const refused = forced_tools === "never" || (forced_tools === "without_thinking" && thinking);
  if (forced && (refused || quirks.tool_choice === "none")) {
    const whose = quirks.tool_choice === "none" ? "This server" : target.model.id;
    notes.push({ code: "tool_choice_moved", message: `${whose} cannot be made to call a tool; sent: auto` });
    return quirks.tool_choice === "none" ? {} : { tool_choice: "auto" };
  }
  if (quirks.tool_choice === "none") return {};
  if (mode !== "specific") return { tool_choice: mode };
  if (quirks.tool_choice === "all") return { tool_choice: { type: "function", function: { name: tool_choice.name } } };
  notes.push({ code: "tool_choice_moved", message: "This server takes no tool by name; sent: required" });
  return { tool_choice: "required" };
}

function parallel(
  { tool_choice }: Request,
  { quirks, notes }: ToolContext,
): Pick<WireToolFields, "parallel_tool_calls"> {
  if (tool_choice?.parallel_allowed !== false) return {};
  if (quirks.parallel_tool_calls) return { parallel_tool_calls: false };
  notes.push(leftOut("parallel_allowed", "this server has no such setting"));
  return {};
}
