/** The Gemini request, read without trust. Google takes both spellings of a field; from here on there is one. */
import type { JsonObject, JsonValue } from "../../../../core/json.ts";
import type { Exchange } from "../../exchange.ts";
import { has, listOf, numberOf, objectOf, objectsOf, once, textOf } from "../../json.ts";
import { findModel, permissiveModels, type GeminiModel } from "../../models.ts";
import { segmentOf, type Segment } from "../../tokens.ts";
import type { MockMessage, MockRequest } from "../../types.ts";

export type Content = { readonly role: string; readonly parts: readonly JsonObject[]; readonly index: number };

export type GeminiContext = {
  readonly exchange: Exchange;
  /** With camelCase names wherever the API has names. */
  readonly body: JsonObject;
  readonly model_id: string;
  readonly model: GeminiModel;
  readonly model_status: "known" | "unknown" | "retired";
  readonly contents: readonly Content[];
  /** Neighbours of one role made one, as the provider does. */
  readonly turns: readonly Content[];
  readonly config: JsonObject;
  readonly thinking: JsonObject;
  readonly declarations: readonly JsonObject[];
  readonly segments: () => readonly Segment[];
};

export function readGemini(exchange: Exchange): GeminiContext {
  const { route, world } = exchange;
  const model_id = (route.model ?? "").replace(/^models\//, "");
  const found = findModel(world.models.gemini, model_id);
  const sent = objectOf(camelCase(exchange.body));
  // countTokens may carry the whole request one level down.
  const body =
    route.endpoint === "count" && has(sent, "generateContentRequest") ? objectOf(sent["generateContentRequest"]) : sent;
  const contents = many(body["contents"]).map(readContent);
  const config = objectOf(body["generationConfig"]);
  return {
    exchange,
    body,
    model_id,
    model: found ?? permissiveModels.gemini,
    model_status: found === undefined ? "unknown" : found.retired ? "retired" : "known",
    contents,
    turns: mergeTurns(contents),
    config,
    thinking: objectOf(config["thinkingConfig"]),
    declarations: many(body["tools"]).flatMap((tool) => many(tool["functionDeclarations"])),
    segments: once(() => segmentsOf(body, contents)),
  };
}

/** Google's JSON reader takes one thing where a list is meant. */
export function many(value: JsonValue | undefined): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? objectsOf(value) : [objectOf(value)];
}

function readContent(content: JsonObject, index: number): Content {
  return { role: textOf(content["role"]) || "user", parts: many(content["parts"]), index };
}

function mergeTurns(contents: readonly Content[]): readonly Content[] {
  const turns: { role: string; parts: JsonObject[]; index: number }[] = [];
  for (const content of contents) {
    const last = turns.at(-1);
    const role = content.role === "function" ? "user" : content.role;
    if (last?.role === role) for (const part of content.parts) last.parts.push(part);
    else turns.push({ ...content, role, parts: [...content.parts] });
  }
  return turns;
}

/** Names of the API only: what a user chose (arguments, results, schemas) keeps its spelling. */
function camelCase(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((inner) => camelCase(inner) ?? null);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
      return [name, verbatim.has(name) ? inner : camelCase(inner)];
    }),
  );
}

const verbatim = new Set([
  "args",
  "response",
  "parameters",
  "parametersJsonSchema",
  "responseSchema",
  "responseJsonSchema",
]);

function segmentsOf(body: JsonObject, contents: readonly Content[]): readonly Segment[] {
  const segments = many(body["tools"]).map((tool) => segmentOf(tool));
  if (has(body, "systemInstruction")) segments.push(segmentOf({ system: body["systemInstruction"] }));
  for (const content of contents) {
    for (const part of content.parts) segments.push(segmentOf({ role: content.role, ...part }));
  }
  return segments;
}

export function neutralRequest(context: GeminiContext): MockRequest {
  const { body, config, thinking, model, exchange, declarations } = context;
  const level = textOf(thinking["thinkingLevel"]);
  const budget = numberOf(thinking["thinkingBudget"]);
  const on = budget === undefined ? level !== "" || model.thinks_by_default : budget !== 0;
  const schema = config["responseJsonSchema"] ?? config["responseSchema"];
  return {
    wire: "gemini",
    dialect: exchange.route.dialect.name,
    model: context.model_id,
    stream: exchange.route.stream === true,
    system: many(objectOf(body["systemInstruction"])["parts"])
      .map((part) => textOf(part["text"]))
      .join("\n\n"),
    messages: context.contents.map(neutralContent),
    tools: declarations.map((declared) => ({
      name: textOf(declared["name"]),
      schema: objectOf(declared["parametersJsonSchema"] ?? declared["parameters"]),
    })),
    tool_choice: neutralChoice(objectOf(objectOf(body["toolConfig"])["functionCallingConfig"])),
    thinking: { on, shown: thinking["includeThoughts"] === true },
    max_tokens: numberOf(config["maxOutputTokens"]) ?? model.max_output,
    stop_sequences: listOf(config["stopSequences"]).map(textOf).filter(Boolean),
    ...(schema === undefined ? {} : { format_schema: objectOf(schema) }),
    body,
  };
}

function neutralChoice(config: JsonObject): MockRequest["tool_choice"] {
  const names = listOf(config["allowedFunctionNames"]).map(textOf);
  const [name] = names;
  if (config["mode"] === "NONE") return "none";
  if (config["mode"] !== "ANY") return "auto";
  return names.length === 1 && name !== undefined ? { name } : "required";
}

function neutralContent(content: Content): MockMessage {
  const calls = content.parts.map((part) => part["functionCall"]).filter((call) => call !== undefined);
  const results = content.parts.map((part) => part["functionResponse"]).filter((result) => result !== undefined);
  return {
    role: content.role === "model" ? "assistant" : results.length > 0 ? "tool" : "user",
    text: content.parts
      .filter((part) => part["thought"] !== true)
      .map((part) => textOf(part["text"]))
      .filter(Boolean)
      .join("\n"),
    tool_calls: calls.map(objectOf).map((call) => ({
      id: textOf(call["id"]) || textOf(call["name"]),
      name: textOf(call["name"]),
      arguments: call["args"] ?? {},
    })),
    tool_results: results.map(objectOf).map((result) => {
      const response = objectOf(result["response"]);
      const said = response["output"] ?? response["error"] ?? response["result"] ?? response;
      return {
        id: textOf(result["id"]) || textOf(result["name"]),
        text: typeof said === "string" ? said : JSON.stringify(said),
        is_error: has(response, "error"),
      };
    }),
  };
}
