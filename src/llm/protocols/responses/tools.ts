import type { JsonObject, Note, OutputFormat, Request, ToolChoice, ToolDefinition } from "../../../core/index.ts";
import { strictSchema } from "../../schema.ts";
import { noteLeftOut } from "./input.ts";
import type { ResponsesQuirks } from "./quirks.ts";
import type { WireFormat, WireHead, WireSearch, WireTool, WireToolChoice } from "./wire.ts";

export type ToolFields = Pick<WireHead, "tools" | "tool_choice" | "parallel_tool_calls" | "max_tool_calls">;
type ToolOptions = {
  readonly quirks: ResponsesQuirks;
  readonly canForce: boolean;
  readonly canCall: boolean;
  readonly notes: Note[];
};

/** `canForce`: this model, thinking as planned, lets itself be told which tool to call. `canCall`: it has tools at all. */
export function toolFields(
  request: Request,
  options: ToolOptions & {
    /** The effort that is sent; the least of them rules the search out. */
    readonly effort: unknown;
  },
): ToolFields {
  const functions = functionFields(request.tools ?? [], request.tool_choice, options);
  const search = searchFields(request, options);
  if (search.tools === undefined) return functions;
  return { ...search, ...functions, tools: [...search.tools, ...(functions.tools ?? [])] };
}

function searchFields(
  { web_search }: Request,
  { quirks, notes, effort }: ToolOptions & { readonly effort: unknown },
): Pick<ToolFields, "tools" | "max_tool_calls"> {
  if (web_search === undefined || web_search.enabled === false) return {};
  if (!quirks.web_search || effort === "minimal") {
    const why = quirks.web_search ? "no model searches with minimal effort" : "this server has none";
    notes.push(noteLeftOut("web_search", why));
    return {};
  }
  const { max_uses, allowed_domains = [], blocked_domains = [] } = web_search;
  const field = quirks.blocked_domains_field;
  const blocks = blocked_domains.length > 0 && allowed_domains.length === 0 && field !== "";
  if (blocked_domains.length > 0 && !blocks) {
    const why = field === "" ? "this server has no such filter" : "this server takes either list, not both";
    notes.push(noteLeftOut("blocked_domains of web_search", why));
  }
  if (max_uses !== undefined && !quirks.max_tool_calls) {
    notes.push(noteLeftOut("max_uses of web_search", "this server has no such limit"));
  }
  const filters = {
    ...(allowed_domains.length > 0 ? { allowed_domains: [...allowed_domains] } : {}),
    ...(blocks ? { [field]: [...blocked_domains] } : {}),
  };
  const search: WireSearch = { type: "web_search", ...(Object.keys(filters).length > 0 ? { filters } : {}) };
  return {
    tools: [search],
    ...(max_uses === undefined || !quirks.max_tool_calls ? {} : { max_tool_calls: max_uses }),
  };
}

function functionFields(
  tools: readonly ToolDefinition[],
  choice: ToolChoice | undefined,
  options: ToolOptions,
): Omit<ToolFields, "max_tool_calls"> {
  const { quirks, canCall, notes } = options;
  if (tools.length === 0) return {};
  if (!canCall) {
    notes.push(noteLeftOut("tools", "this model has none"));
    return {};
  }
  if (choice?.mode === "none" && quirks.tool_choice === "none") {
    notes.push(noteLeftOut("tools", "this server cannot be told to call none"));
    return {};
  }
  const tool_choice = choice === undefined ? undefined : choiceFor(choice, options);
  const parallel = choice?.parallel_allowed;
  if (parallel !== undefined && !quirks.parallel_tool_calls) {
    notes.push(noteLeftOut("parallel_allowed", "this server has no such setting"));
  }
  return {
    tools: tools.map((tool) => toolFor(tool, quirks, notes)),
    ...(tool_choice === undefined ? {} : { tool_choice }),
    ...(parallel === undefined || !quirks.parallel_tool_calls ? {} : { parallel_tool_calls: parallel }),
  };
}

export function textFields(
  format: OutputFormat | undefined,
  quirks: ResponsesQuirks,
  notes: Note[],
): Pick<WireHead, "text"> {
  if (format === undefined) return {};
  if (quirks.output_schema === "none") {
    notes.push(noteLeftOut("output_format", "this server has no structured output"));
    return {};
  }
  return { text: { format: formatFor(format, quirks, notes) } };
}

function choiceFor(choice: ToolChoice, { quirks, canForce, notes }: ToolOptions): WireToolChoice | undefined {
  const isForced = choice.mode === "required" || choice.mode === "specific";
  const isPossible =
    quirks.tool_choice === "all" || (quirks.tool_choice === "modes" && choice.mode !== "specific") || !isForced;
  if (isForced && !(canForce && isPossible)) {
    const wanted = choice.mode === "specific" ? choice.name : "a tool";
    const message = `Calling ${wanted} cannot be forced on this model as it is set; it may choose`;
    notes.push({ code: "tool_choice_auto", message });
    return quirks.tool_choice === "none" ? undefined : "auto";
  }
  if (quirks.tool_choice === "none") return undefined;
  return choice.mode === "specific" ? { type: "function", name: choice.name } : choice.mode;
}

function toolFor(tool: ToolDefinition, quirks: ResponsesQuirks, notes: Note[]): WireTool {
  const { name, description, parameters } = tool;
  const head = { type: "function" as const, name, ...(description === undefined ? {} : { description }) };
  if (tool.strict === false || !quirks.strict_tools)
    return { ...head, parameters: objectSchema(parameters), strict: false };
  const strict = strictSchema(parameters);
  if (strict.ok) return { ...head, parameters: strict.schema, strict: true };
  notes.push({ code: "not_strict", message: `Tool ${name} is sent without strict mode; ${strict.reason}` });
  return { ...head, parameters: objectSchema(parameters), strict: false };
}

function formatFor(format: OutputFormat, quirks: ResponsesQuirks, notes: Note[]): WireFormat {
  if (format.type === "json" || quirks.output_schema === "object") return { type: "json_object" };
  const { name, description } = format;
  const head = { type: "json_schema" as const, name, ...(description === undefined ? {} : { description }) };
  const plain = { ...head, schema: format.schema, strict: false };
  if (format.strict === false || quirks.output_schema === "plain") return plain;
  const strict = strictSchema(format.schema);
  if (!strict.ok) {
    notes.push({ code: "not_strict", message: `Output format ${name} is sent without strict mode; ${strict.reason}` });
    return plain;
  }
  if (strict.nulls_added) {
    const message = `Optional properties of ${name} may come back as null: strict mode knows no other way`;
    notes.push({ code: "optional_as_null", message });
  }
  return { ...head, schema: strict.schema, strict: true };
}

/** Functions take an object even where their schema forgets to say so. */
function objectSchema(schema: JsonObject): JsonObject {
  return schema["type"] === undefined ? { type: "object", properties: {}, ...schema } : schema;
}
