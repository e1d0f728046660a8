import {
  isJsonObject,
  isThinkingLevel,
  thinkingLevels,
  unansweredToolCalls,
  type AssistantMessage,
  type CacheHint,
  type JsonObject,
  type JsonValue,
  type Message,
  type Note,
  type Request,
  type TextBlock,
} from "../../../core/index.ts";
import type { Call, Target } from "../../adapter.ts";
import { invalidArgument } from "../../failure.ts";
import { placeBreakpoints } from "./cache.ts";
import { encodeHistory, encodeText, unwrap, type History } from "./history.ts";
import { grammarSchema } from "./schema.ts";
import { encodeSearch, encodeToolChoice, encodeTools } from "./tools.ts";
import type { WireHead, WireText } from "./wire.ts";

/** A request as one HTTP call. Pure: the same request gives the same bytes. */
export function encode(request: Request, target: Target): Call {
  refuseBroken(request);
  const { tools: own, notes: toolNotes } = encodeTools(request);
  const { search, notes: searchNotes } = encodeSearch(request);
  const tools = search === undefined ? own : [search, ...own];
  const system = encodeSystem(request.system);
  const spec = target.model.thinking;
  const bound = spec.kind === "adaptive" && spec.bound === true;
  const before = bound ? JSON.stringify([tools, system.blocks]) : "";
  const history = encodeHistory(request.messages, { provider: target.provider, bound, before });
  if (history.messages.length === 0) throw invalidArgument("There is nothing to send: all messages are empty");
  const { thinking, notes: thinkingNotes } = thinkingFor(request.messages, target);
  const { tool_choice, notes: choiceNotes } = encodeToolChoice(request, {
    canForce: canForceTools(target, thinking),
    searches: search !== undefined,
  });
  const format = encodeFormat(request, target.plan.parameters["output_config"]);
  const sampling = encodeSampling(request, target, isThinking(thinking, target));
  const stops = encodeStops(request, target);
  const hints = new Map([...system.hints, ...history.hints]);
  const cacheNotes = placeBreakpoints({ tools, system: system.blocks, ...history, hints }, request.cache ?? "auto");
  const head: WireHead = {
    model: target.model.id,
    ...(target.stream ? { stream: true } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(tool_choice === undefined ? {} : { tool_choice }),
    ...(system.blocks.length > 0 ? { system: system.blocks } : {}),
    ...(stops.stop_sequences.length > 0 ? { stop_sequences: stops.stop_sequences } : {}),
  };
  const { thinking: _planned, output_config: _config, ...limits } = target.plan.parameters;
  const options = request.provider_options?.[target.provider] ?? {};
  const { betas, messages = history.messages.map(bodyMessage), ...fields } = options;
  return {
    method: "POST",
    url: endpoint(target.base_url, "/v1/messages"),
    headers: headersFor(sampling.fields, [...betasFor(thinking, own), ...betasOf(betas)]),
    // Messages last: then the body of one turn is the beginning of the next one's.
    body: {
      ...head,
      ...limits,
      ...(thinking === undefined ? {} : { thinking }),
      ...(format.output_config === undefined ? {} : { output_config: format.output_config }),
      ...sampling.fields,
      ...fields,
      messages,
    },
    framing: target.stream ? "sse" : "json",
    notes: [
      toolNotes,
      searchNotes,
      thinkingNotes,
      choiceNotes,
      format.notes,
      sampling.notes,
      stops.notes,
      cacheNotes,
    ].flat(),
    ...(bound ? { prefix_hash: history.prefix_hash } : {}),
    ...(history.losses.length > 0 ? { losses: history.losses } : {}),
  };
}

export function endpoint(base_url: string, path: string): string {
  const base = base_url.replace(/\/+$/, "");
  return base.endsWith("/v1") ? base + path.slice("/v1".length) : base + path;
}

export function baseHeaders(version: string = currentVersion): Record<string, string> {
  return { "content-type": "application/json", "anthropic-version": version };
}

function refuseBroken(request: Request): void {
  if (request.messages.length === 0)
    throw invalidArgument("There is nothing to send: every message is empty for this model");
  const level = request.thinking?.level;
  if (level !== undefined && !isThinkingLevel(level)) {
    throw invalidArgument(`"${String(level)}" is not a thinking level; use one of ${thinkingLevels.join(", ")}`);
  }
  const [problem] = unansweredToolCalls(request.messages);
  if (problem !== undefined) throw invalidArgument(`${problem.place}: ${problem.message}`);
}

function encodeSystem(system: readonly TextBlock[] = []): { blocks: WireText[]; hints: History["hints"] } {
  const hints = new Map<WireText, CacheHint>();
  const blocks = system.flatMap(({ text, cache_hint }) => {
    const block = encodeText(text);
    if (block !== undefined && cache_hint !== undefined) hints.set(block, cache_hint);
    return block === undefined ? [] : [block];
  });
  return { blocks, hints };
}

type Thinking = { readonly thinking?: JsonValue; readonly notes: readonly Note[] };

/** With a budget, the API takes tool results only for calls that were made with thinking in front of them. */
function thinkingFor(messages: readonly Message[], target: Target): Thinking {
  const { thinking } = target.plan.parameters;
  if (!isJsonObject(thinking)) return { notes: [] };
  if (thinking["type"] !== "enabled" || !loopLacksThinking(messages, target)) return { thinking, notes: [] };
  const spec = target.model.thinking;
  const omittedMeansOn = spec.kind === "budget" && spec.omitted === "on";
  const message = "Thinking is off until the tool calls in progress are answered: they were made without it";
  return {
    ...(omittedMeansOn ? { thinking: { type: "disabled" } } : {}),
    notes: [{ code: "thinking_left_out", message }],
  };
}

/** Looks at the turn that is still open: calls and results, back to what started them. */
function loopLacksThinking(messages: readonly Message[], target: Target): boolean {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const turn = messages[last];
  if (turn?.role !== "assistant" || !turn.content.some(({ type }) => type === "tool_call")) return false;
  let first = turn;
  for (let index = last - 2; messages[index + 1]?.role === "tool"; index -= 2) {
    const earlier = messages[index];
    if (earlier?.role !== "assistant") break;
    first = earlier;
  }
  // Later steps of one turn may come without thinking, but only from the model itself.
  return !beginsWithThinking(first, target) || (!beginsWithThinking(turn, target) && !isOwn(turn, target));
}

function beginsWithThinking(message: AssistantMessage, target: Target): boolean {
  const [first] = message.content;
  return first?.type === "thinking" && first.opaque?.provider === target.provider;
}

function isOwn({ origin }: AssistantMessage, { provider, model }: Target): boolean {
  return origin.provider === provider && [model.id, ...model.aliases].includes(origin.model);
}

function isThinking(thinking: JsonValue | undefined, target: Target): boolean {
  if (isJsonObject(thinking)) return thinking["type"] !== "disabled";
  const spec = target.model.thinking;
  return (spec.kind === "adaptive" || spec.kind === "budget") && spec.omitted === "on";
}

function canForceTools(target: Target, thinking: JsonValue | undefined): boolean {
  const { forced_tools } = target.model.capabilities;
  if (forced_tools === "never") return false;
  // A budget rules it out on every model, also on those that force tools while they think adaptively.
  if (isJsonObject(thinking) && thinking["type"] === "enabled") return false;
  return forced_tools === "always" || !isThinking(thinking, target);
}

function encodeFormat(
  request: Request,
  planned: JsonValue | undefined,
): { readonly output_config?: JsonValue; readonly notes: readonly Note[] } {
  const { output_format } = request;
  const unchanged = planned === undefined ? {} : { output_config: planned };
  if (output_format === undefined) return { ...unchanged, notes: [] };
  const schema = output_format.type === "json_schema" ? grammarSchema(output_format.schema)?.schema : undefined;
  if (schema === undefined) {
    const why =
      output_format.type === "json" ? "without a schema" : "with a schema this large or one that refers to itself";
    const message = `JSON output ${why} cannot be enforced by this provider; ask for it in the prompt`;
    return { ...unchanged, notes: [{ code: "output_format_left_out", message }] };
  }
  const config = isJsonObject(planned) ? planned : {};
  return { output_config: { ...config, format: { type: "json_schema", schema } }, notes: [] };
}

type Sampling = { readonly fields: JsonObject; readonly notes: readonly Note[] };

function encodeSampling(request: Request, target: Target, thinking: boolean): Sampling {
  const { temperature, top_p, top_k, presence_penalty, frequency_penalty, seed } = request;
  const unknown = namesOf({ presence_penalty, frequency_penalty, seed });
  const notes: Note[] = unknown.map((name) => leftOut(name, "this provider does not have it"));
  const { sampling } = target.model.capabilities;
  if (sampling === "never" || (sampling === "without_thinking" && thinking)) {
    const why = sampling === "never" ? "this model refuses it" : "this model refuses it while it thinks";
    return {
      fields: {},
      notes: [...notes, ...namesOf({ temperature, top_p, top_k }).map((name) => leftOut(name, why))],
    };
  }
  const fields: Record<string, number> = {};
  if (temperature !== undefined) fields["temperature"] = Math.min(temperature, 1);
  if (temperature !== undefined && temperature > 1) {
    notes.push({ code: "temperature_clamped", message: `temperature ${temperature} is above 1; 1 was sent` });
  }
  if (top_p !== undefined && temperature !== undefined) notes.push(leftOut("top_p", "temperature is set already"));
  else if (top_p !== undefined) fields["top_p"] = top_p;
  if (top_k !== undefined) fields["top_k"] = top_k;
  return { fields, notes };
}

function encodeStops(request: Request, target: Target): { stop_sequences: string[]; notes: readonly Note[] } {
  const asked = request.stop_sequences ?? [];
  if (asked.length > 0 && !target.model.capabilities.stop_sequences) {
    return { stop_sequences: [], notes: [leftOut("stop_sequences", "this model does not have them")] };
  }
  const stop_sequences = asked.filter((stop) => stop.trim() !== "");
  if (stop_sequences.length === asked.length) return { stop_sequences, notes: [] };
  return { stop_sequences, notes: [leftOut("a stop sequence", "it holds nothing but blanks")] };
}

function bodyMessage({ role, content }: History["messages"][number]): JsonObject {
  return { role, content: content.map(unwrap) };
}

/** Sampling parameters exist only in the old version of the API. */
function headersFor(sampling: JsonObject, betas: readonly string[]): Record<string, string> {
  const version = Object.keys(sampling).length > 0 ? samplingVersion : currentVersion;
  return { ...baseHeaders(version), ...(betas.length > 0 ? { "anthropic-beta": [...new Set(betas)].join(",") } : {}) };
}

/** With a budget, models think again after each tool result only if they are told that they may. */
function betasFor(thinking: JsonValue | undefined, tools: readonly unknown[]): readonly string[] {
  const budget = isJsonObject(thinking) && thinking["type"] === "enabled";
  return budget && tools.length > 0 ? ["interleaved-thinking-2025-05-14"] : [];
}

/** `betas` of the provider's options is a header, as in the vendor's own library. */
function betasOf(option: JsonValue | undefined): readonly string[] {
  const list = Array.isArray(option) ? option : [option];
  return list.filter((name) => typeof name === "string");
}

function namesOf(fields: { readonly [name: string]: unknown }): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name] !== undefined);
}

function leftOut(name: string, why: string): Note {
  return { code: "parameter_left_out", message: `${name} was left out: ${why}` };
}

const currentVersion = "2026-10-21";
const samplingVersion = "2023-06-01";
