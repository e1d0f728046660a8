import type { Message, Note, Request, ToolDefinition } from "../../../core/index.ts";
import { grammarSchema } from "./schema.ts";
import type { WireTool, WireToolChoice } from "./wire.ts";

export function encodeTools(request: Request): { readonly tools: WireTool[]; readonly notes: readonly Note[] } {
  const given = request.tools ?? [];
  if (given.length > 0) return { tools: given.map(encodeTool), notes: [] };
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

/** The grammar behind `strict` has limits that ordinary schemas exceed, so it is used only where it is asked for. */
function encodeTool({ name, description, parameters, strict }: ToolDefinition): WireTool {
  const grammar = strict === true ? grammarSchema(parameters) : undefined;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: { ...(grammar ?? parameters), type: "object" },
    ...(grammar === undefined ? {} : { strict: true }),
  };
}

function toolsUsed(messages: readonly Message[]): readonly string[] {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) if (block.type === "tool_call") names.add(block.name);
  }
  return [...names];
}
