import type { Message, Note, Request, ToolDefinition } from "../../../core/index.ts";
import { mendedObject } from "./mend.ts";
import { addCost, fits, grammarSchema, type GrammarCost } from "./schema.ts";
import type { WireTool, WireToolChoice } from "./wire.ts";

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

/** A mode the model refuses becomes `auto`, so that a change of model never breaks a conversation. */
export function encodeToolChoice(
  request: Request,
  options: { readonly canForce: boolean },
): { readonly tool_choice?: WireToolChoice; readonly notes: readonly Note[] } {
  const { tool_choice: choice, tools = [] } = request;
  // Definitions that were made up for the history are not for calling.
  if (tools.length === 0)
    return toolsUsed(request.messages).length > 0 ? { tool_choice: { type: "none" }, notes: [] } : { notes: [] };
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
