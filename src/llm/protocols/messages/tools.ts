import type { Message, Note, Request, ToolDefinition } from "../../../core/index.ts";
import { mendedObject } from "./mend.ts";
import { addCost, fits, grammarSchema, type GrammarCost } from "./schema.ts";
import type { WireSearchTool, WireTool, WireToolChoice } from "./wire.ts";

export function encodeTools(request: Request): { readonly tools: WireTool[]; readonly notes: readonly Note[] } {
  const given = request.tools ?? [];
  if (given.length > 0) return encodeGiven(given);
  const names = toolsUsed(request.messages);
  if (names.length === 0) return { tools: [], notes: [] };
  const message = `The history calls ${names.join(", ")} but the request brings no tools; empty definitions were sent`;
  return {
    tools: names.map((name) => ({ name, input_schema: { type: "object" } })),
    notes: [{ code: "tools_synthesised", message }],
  };
}

/** The server's own search. It has one name, which a tool of the caller's may have taken. */
export function encodeSearch(request: Request): { readonly search?: WireSearchTool; readonly notes: readonly Note[] } {
  const { web_search, tools = [] } = request;
  if (web_search === undefined || web_search.enabled === false) return { notes: [] };
  if (tools.some(({ name }) => name === "web_search")) {
    const message = "web_search was left out: a tool of the request has that name";
    return { notes: [{ code: "parameter_left_out", message }] };
  }
  const { max_uses, allowed_domains = [], blocked_domains = [] } = web_search;
  const both = allowed_domains.length > 0 && blocked_domains.length > 0;
  const message = "blocked_domains was left out: this API takes either list, not both";
  return {
    search: {
      type: "web_search_20250305",
      name: "web_search",
      ...(max_uses === undefined ? {} : { max_uses }),
      ...(allowed_domains.length > 0 ? { allowed_domains: [...allowed_domains] } : {}),
      ...(blocked_domains.length > 0 && !both ? { blocked_domains: [...blocked_domains] } : {}),
    },
    notes: both ? [{ code: "parameter_left_out", message }] : [],
  };
}

/** A mode the model refuses becomes `auto`, so that a change of model never breaks a conversation. */
export function encodeToolChoice(
  request: Request,
  options: { readonly canForce: boolean; readonly searches: boolean },
): { readonly tool_choice?: WireToolChoice; readonly notes: readonly Note[] } {
  const { tool_choice: choice, tools = [] } = request;
  if (tools.length === 0) {
    // Definitions that were made up for the history are not for calling. A search beside them is.
    const isIdle = toolsUsed(request.messages).length > 0 && !options.searches;
    return isIdle ? { tool_choice: { type: "none" }, notes: [] } : { notes: [] };
  }
  if (choice === undefined) return { notes: [] };
  if (choice.mode === "none") return { tool_choice: { type: "none" }, notes: [] };
  const parallel = choice.parallel_allowed === false ? ({ disable_parallel_tool_use: true } as const) : {};
  if (choice.mode !== "auto" && !options.canForce) {
    const asked = choice.mode === "specific" ? `the tool ${choice.name}` : "a tool call";
    const message = `This model cannot be made to use ${asked} here; it was left to choose`;
    return { tool_choice: { type: "auto", ...parallel }, notes: [{ code: "tool_choice_moved", message }] };
  }
  const wire: WireToolChoice =
    choice.mode === "specific"
      ? { type: "tool", name: choice.name, ...parallel }
      : { type: choice.mode === "required" ? "any" : "auto", ...parallel };
  return { tool_choice: wire, notes: [] };
}

/** Other models make up names that this API refuses, even in the past. */
export function legalName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, nameCharactersMax) || "unnamed";
}

/** The grammar behind `strict` has limits that ordinary schemas exceed, so it is used only where it is asked for. */
function encodeGiven(given: readonly ToolDefinition[]): { tools: WireTool[]; notes: readonly Note[] } {
  let spent: GrammarCost = { tools: 0, optional: 0, unions: 0 };
  const loose: string[] = [];
  const tools = given.map((tool): WireTool => {
    if (tool.strict !== true) return encodeTool(tool);
    const grammar = grammarSchema(tool.parameters);
    const cost = grammar === undefined ? undefined : addCost(spent, grammar.cost);
    if (grammar === undefined || cost === undefined || !fits(cost)) {
      loose.push(tool.name);
      return encodeTool(tool);
    }
    spent = cost;
    return { ...encodeTool({ ...tool, parameters: grammar.schema }), strict: true };
  });
  if (loose.length === 0) return { tools, notes: [] };
  const message = `Sent without strict, their schemas are more than this provider can enforce: ${loose.join(", ")}`;
  return { tools, notes: [{ code: "not_strict", message }] };
}

function encodeTool({ name, description, parameters }: ToolDefinition): WireTool {
  return {
    name,
    ...(description === undefined ? {} : { description: description.toWellFormed() }),
    input_schema: { ...mendedObject(parameters), type: "object" },
  };
}

function toolsUsed(messages: readonly Message[]): readonly string[] {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) if (block.type === "tool_call") names.add(legalName(block.name));
  }
  return [...names];
}

/** Always safe; newer models take more. */
const nameCharactersMax = 64;
