import type { GenerationConfig, GoogleSearch } from "@google/genai";
import {
  isJsonObject,
  unansweredToolCalls,
  type Conversation,
  type JsonObject,
  type Note,
  type Request,
  type ToolDefinition,
} from "../../../core/index.ts";
import type { Call, Target } from "../../adapter.ts";
import { invalidArgument } from "../../failure.ts";
import { encodeContents } from "./contents.ts";
import { geminiSchema } from "./schema.ts";
import { traitsOf } from "./traits.ts";
import { asJson, type GeminiBody, type GeminiContent } from "./wire.ts";

export function encode(request: Request, target: Target): Call {
  const encoded = encodeBody(request, target);
  const { body, notes } = withCachedContent(encoded, request, target);
  const method = target.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return {
    method: "POST",
    url: `${modelUrl(target)}:${method}`,
    headers: { "content-type": "application/json" },
    body: withOptions(asJson(body), request.provider_options?.[target.provider]),
    framing: target.stream ? "sse" : "json",
    notes,
  };
}

/**
 * A cache that a person made beforehand holds system, tools and the beginning of the contents; beside its name the API
 * takes none of the first two. Without one, prompts are cached by the server as it sees fit.
 */
function withCachedContent(
  { body, notes }: { readonly body: GeminiBody; readonly notes: readonly Note[] },
  request: Request,
  { provider }: Target,
): { readonly body: GeminiBody; readonly notes: readonly Note[] } {
  if (request.provider_options?.[provider]?.["cachedContent"] === undefined) {
    const why = "prompts are kept for as long as this provider sees fit; make a cache of your own and name it";
    return request.cache === "long" ? { body, notes: [...notes, leftOut("cache", why)] } : { body, notes };
  }
  const { systemInstruction, tools, toolConfig, ...rest } = body;
  if ((systemInstruction ?? tools ?? toolConfig) === undefined) return { body, notes };
  return { body: rest, notes: [...notes, leftOut("system and tools", "they are part of the cached content")] };
}

/** The body before a user's own fields are merged into it. The model is not part of it: it stands in the address. */
export function encodeBody(request: Request, target: Target): { readonly body: GeminiBody; readonly notes: Note[] } {
  const [problem] = unansweredToolCalls(request.messages);
  if (problem !== undefined) throw invalidArgument(`${problem.place}: ${problem.message}`);
  const notes: Note[] = [];
  const encoded = encodeContents(request.messages, target);
  const { systemInstruction, contents } = placeSystem(request, encoded.contents, target);
  if (contents.length === 0) throw invalidArgument("messages: nothing is left to send to this model");
  notes.push(...encoded.notes);
  const body: GeminiBody = {
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
    ...encodeTools(request, target, notes),
    generationConfig: generationConfig(request, target, notes),
    contents,
  };
  return { body, notes };
}

/** `models/…`, or the id itself where it names another collection (a tuned model). */
export function modelUrl({ base_url, model }: Pick<Target, "base_url" | "model">): string {
  const path = model.id.includes("/") ? model.id : `models/${encodeURIComponent(model.id)}`;
  return `${base_url.replace(/\/+$/, "")}/${path}`;
}

type PlacedSystem = {
  readonly systemInstruction?: GeminiBody["systemInstruction"];
  readonly contents: GeminiContent[];
};

/** Models without a system instruction get it at the head of the first user text. */
function placeSystem(request: Request, contents: GeminiContent[], target: Target): PlacedSystem {
  const parts = (request.system ?? []).filter(({ text }) => text !== "").map(({ text }) => ({ text }));
  if (parts.length === 0) return { contents };
  if (traitsOf(target.model).system_instruction) return { systemInstruction: { parts }, contents };
  const system = parts.map(({ text }) => text).join("\n\n");
  const [first, ...later] = contents;
  if (first?.role !== "user") return { contents: [{ role: "user", parts: [{ text: system }] }, ...contents] };
  const [head, ...tail] = first.parts;
  const merged =
    head?.text === undefined ? [{ text: system }, ...first.parts] : [{ text: `${system}\n\n${head.text}` }, ...tail];
  return { contents: [{ role: "user", parts: merged }, ...later] };
}

type ToolFields = Pick<GeminiBody, "tools" | "toolConfig">;

function encodeTools(request: Request, target: Target, notes: Note[]): ToolFields {
  const functions = encodeFunctions(request, target, notes);
  const search = searchTool(request, target, notes);
  if (search === undefined) return functions;
  if (functions.tools === undefined) return { tools: [search] };
  // What the server's tool did goes back with the history only where it is asked to be shown.
  const toolConfig = { ...functions.toolConfig, includeServerSideToolInvocations: true as const };
  return { tools: [search, ...functions.tools], toolConfig };
}

function encodeFunctions(request: Request, target: Target, notes: Note[]): ToolFields {
  const tools = request.tools ?? [];
  if (tools.length === 0) return {};
  if (!target.model.capabilities.tools) {
    notes.push(leftOut("tools", "this model has no tools"));
    return {};
  }
  const functionDeclarations = tools.map(declaration);
  if (request.tool_choice?.parallel_allowed === false) {
    notes.push(leftOut("parallel_allowed", "this API has no place for it"));
  }
  return { tools: [{ functionDeclarations }], ...toolConfig(request, target, notes) };
}

function searchTool(request: Request, target: Target, notes: Note[]): { googleSearch: GoogleSearch } | undefined {
  if (!searches(request, target)) {
    const wanted = request.web_search !== undefined && request.web_search.enabled !== false;
    const why = traitsOf(target.model).web_search ? "this model cannot combine it with tools" : "this model has none";
    if (wanted) notes.push(leftOut("web_search", why));
    return undefined;
  }
  for (const name of ["max_uses", "allowed_domains", "blocked_domains"] as const) {
    if (request.web_search?.[name] !== undefined) {
      notes.push(leftOut(`${name} of web_search`, "this API has no place for it"));
    }
  }
  return { googleSearch: {} };
}

function searches({ web_search, tools = [] }: Request, { model }: Target): boolean {
  const traits = traitsOf(model);
  if (web_search === undefined || web_search.enabled === false || !traits.web_search) return false;
  return traits.search_with_tools || tools.length === 0 || !model.capabilities.tools;
}

function declaration({ name, description, parameters }: ToolDefinition): {
  name: string;
  description?: string;
  parametersJsonSchema: JsonObject;
} {
  if (!functionName.test(name)) {
    throw invalidArgument(
      `tools: "${name}" is refused as a function name here: a letter or underscore, then at most 127 of A–Z a–z 0–9 _ . : -`,
    );
  }
  return {
    name,
    ...(description === undefined || description === "" ? {} : { description }),
    parametersJsonSchema: geminiSchema(parameters),
  };
}

function toolConfig(request: Request, target: Target, notes: Note[]): Pick<GeminiBody, "toolConfig"> {
  const choice = request.tool_choice;
  if (choice === undefined) return {};
  const forced = choice.mode === "required" || choice.mode === "specific";
  if (forced && !allowed(target.model.capabilities.forced_tools, target)) {
    notes.push({ code: "tool_choice_moved", message: `This model cannot be made to call a tool; "auto" is sent` });
    return { toolConfig: { functionCallingConfig: { mode: "AUTO" } } };
  }
  switch (choice.mode) {
    case "auto":
      return { toolConfig: { functionCallingConfig: { mode: "AUTO" } } };
    case "none":
      return { toolConfig: { functionCallingConfig: { mode: "NONE" } } };
    case "required":
      return { toolConfig: { functionCallingConfig: { mode: "ANY" } } };
    case "specific":
      return { toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [choice.name] } } };
  }
}

function generationConfig(request: Request, target: Target, notes: Note[]): GenerationConfig {
  const planned = target.plan.parameters["generationConfig"];
  return {
    ...sampling(request, target, notes),
    ...stops(request, target, notes),
    ...outputFormat(request, target, notes),
    ...(isJsonObject(planned) ? planned : {}),
  };
}

function sampling(request: Request, target: Target, notes: Note[]): GenerationConfig {
  const free = allowed(target.model.capabilities.sampling, target);
  const penalties = free && traitsOf(target.model).penalties;
  const config: GenerationConfig = {};
  for (const [name, key, legal] of [
    ["temperature", "temperature", free],
    ["top_p", "topP", free],
    ["top_k", "topK", free],
    ["presence_penalty", "presencePenalty", penalties],
    ["frequency_penalty", "frequencyPenalty", penalties],
    ["seed", "seed", true],
  ] as const satisfies readonly (readonly [keyof Conversation, keyof GenerationConfig, boolean])[]) {
    const value = request[name];
    if (value === undefined) continue;
    if (legal) config[key] = value;
    else notes.push(leftOut(name, "this model does not take it"));
  }
  return config;
}

function stops(request: Request, target: Target, notes: Note[]): GenerationConfig {
  const sequences = request.stop_sequences ?? [];
  if (sequences.length === 0) return {};
  if (target.model.capabilities.stop_sequences) return { stopSequences: [...sequences] };
  notes.push(leftOut("stop_sequences", "this model does not take them"));
  return {};
}

function outputFormat(request: Request, target: Target, notes: Note[]): GenerationConfig {
  const format = request.output_format;
  if (format === undefined) return {};
  const hasFunctions = (request.tools ?? []).length > 0 && target.model.capabilities.tools;
  const hasTools = hasFunctions || searches(request, target);
  if (hasTools && !traitsOf(target.model).json_with_tools) {
    notes.push(leftOut("output_format", "this model cannot combine it with tools"));
    return {};
  }
  const schema = format.type === "json_schema" ? { responseJsonSchema: geminiSchema(format.schema) } : {};
  return { responseMimeType: "application/json", ...schema };
}

function allowed(when: "always" | "without_thinking" | "never", target: Target): boolean {
  return when === "always" || (when === "without_thinking" && target.plan.level_applied === "none");
}

/** A user's own fields win; the two nested objects are merged one level down, and `contents` stays last. */
function withOptions(body: JsonObject, options: JsonObject | undefined): JsonObject {
  if (options === undefined) return body;
  const { contents, ...head } = body;
  const merged: { [key: string]: JsonObject[string] } = { ...head };
  for (const [key, value] of Object.entries(options)) {
    const ours = merged[key];
    merged[key] = isJsonObject(ours) && isJsonObject(value) ? { ...ours, ...value } : value;
  }
  return { ...merged, contents: options["contents"] ?? contents };
}

function leftOut(what: string, why: string): Note {
  return { code: "parameter_left_out", message: `${what} was left out: ${why}` };
}

const functionName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;
