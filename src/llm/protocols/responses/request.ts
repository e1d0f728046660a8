import {
  fingerprint,
  isJsonObject,
  unansweredToolCalls,
  type JsonObject,
  type Loss,
  type Note,
  type Request,
  type TextBlock,
} from "../../../core/index.ts";
import type { Adapter, Call, Target } from "../../adapter.ts";
import { Failure, invalidArgument } from "../../failure.ts";
import { unreadable } from "./errors.ts";
import { inputItems, noteLeftOut, openingItems } from "./input.ts";
import { responsesQuirks, type ResponsesQuirks } from "./quirks.ts";
import { effortOf, isThinking } from "./thinking.ts";
import { textFields, toolFields } from "./tools.ts";
import type { WireHead } from "./wire.ts";

/** A request as one POST that asks the server to keep nothing. */
export function encode(request: Request, target: Target): Call {
  const quirks = responsesQuirks(target.quirks, target.model.traits);
  const notes: Note[] = [];
  const { head, input, losses } = describe(request, target, { quirks, notes });
  const cacheKey = cacheKeyFor(request);
  const options = request.provider_options?.[target.provider] ?? {};
  const fixed: JsonObject = {
    ...head,
    ...(cacheKey === undefined || quirks.cache_key_field === "" ? {} : { [quirks.cache_key_field]: cacheKey }),
    ...extraBody(quirks),
    ...options,
  };
  return {
    method: "POST",
    url: urlFor(target, quirks.path),
    headers: {
      "content-type": "application/json",
      accept: target.stream ? "text/event-stream" : "application/json",
      ...(cacheKey === undefined || quirks.cache_key_header === "" ? {} : { [quirks.cache_key_header]: cacheKey }),
    },
    // The input last: the next turn's body then begins with the bytes of this one.
    body: { ...fixed, input: fixed["input"] ?? input },
    framing: target.stream ? "sse" : "json",
    notes,
    ...(losses.length > 0 ? { losses } : {}),
  };
}

export const countTokens: NonNullable<Adapter["countTokens"]> = {
  encode(request, target) {
    const quirks = responsesQuirks(target.quirks, target.model.traits);
    if (quirks.count_path === "") throw invalidArgument(`${target.provider} cannot count tokens`);
    const { head, input } = describe(request, target, { quirks, notes: [] });
    const counted = Object.fromEntries(Object.entries(head).filter(([field]) => countedFields.has(field)));
    return {
      method: "POST",
      url: urlFor(target, quirks.count_path),
      headers: { "content-type": "application/json", accept: "application/json" },
      body: { ...counted, input },
      framing: "json",
      notes: [],
    };
  },
  decode(body) {
    const count = isJsonObject(body) ? body["input_tokens"] : undefined;
    if (typeof count !== "number") throw new Failure(unreadable("it holds no count of tokens"));
    return count;
  },
};

type Options = { readonly quirks: ResponsesQuirks; readonly notes: Note[] };

function describe(
  request: Request,
  target: Target,
  options: Options,
): {
  readonly head: JsonObject;
  readonly input: readonly JsonObject[];
  readonly losses: readonly Loss[];
} {
  const { quirks, notes } = options;
  const problem = unansweredToolCalls(request.messages)[0];
  if (problem !== undefined) throw invalidArgument(`${problem.place}: ${problem.message}`);
  const { items, losses } = inputItems(request.messages, target, quirks);
  if (items.length === 0) throw invalidArgument("There is nothing to send: every message is empty for this model");
  const { model, plan } = target;
  const system = systemText(request.system ?? []);
  const thinks = isThinking(model, plan);
  const { forced_tools } = model.capabilities;
  const canForce = forced_tools === "always" || (forced_tools === "without_thinking" && !thinks);
  // Some models think as much as they like and let nobody change that.
  const reasons = model.thinking.kind !== "none" || model.traits?.["fixed_thinking"] === true;
  const wantsEncrypted = reasons && quirks.encrypted_reasoning;
  const head: WireHead = {
    model: request.model,
    ...(system === "" || quirks.system_role !== "instructions" ? {} : { instructions: system }),
    ...toolFields(request, { quirks, canForce, canCall: model.capabilities.tools, notes, effort: effortOf(plan) }),
    ...textFields(request.output_format, quirks, notes),
    ...(wantsEncrypted ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(quirks.store ? { store: false } : {}),
    stream: target.stream,
    ...cacheFields(request, options),
  };
  const fields: JsonObject = {
    ...head,
    ...plan.parameters,
    ...samplingFields(request, target, { ...options, thinks }),
  };
  return { head: fields, input: [...openingItems(system, request.output_format, quirks), ...items], losses };
}

function systemText(system: readonly TextBlock[]): string {
  return system
    .map(({ text }) => text.toWellFormed())
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Temperature and its kin: what the model takes as planned; the rest is named in a note. */
function samplingFields(
  request: Request,
  { model }: Target,
  { quirks, notes, thinks }: Options & { readonly thinks: boolean },
): JsonObject {
  const { sampling } = model.capabilities;
  const canSample = sampling === "always" || (sampling === "without_thinking" && !thinks);
  const refusal = sampling === "never" ? `${model.id} does not take it` : `${model.id} does not take it while thinking`;
  const fields: { [field: string]: JsonObject[string] } = {};
  const take = (name: string, value: JsonObject[string], field: string): void => {
    if (value === undefined) return;
    if (field === "") notes.push(noteLeftOut(name, "this API has no such field"));
    else if (!canSample) notes.push(noteLeftOut(name, refusal));
    else fields[field] = value;
  };
  take("temperature", request.temperature, "temperature");
  take("top_p", request.top_p, "top_p");
  take("top_k", request.top_k, quirks.top_k ? "top_k" : "");
  take("presence_penalty", request.presence_penalty, quirks.penalties ? "presence_penalty" : "");
  take("frequency_penalty", request.frequency_penalty, quirks.penalties ? "frequency_penalty" : "");
  take("seed", request.seed, quirks.seed_field);
  const stops = request.stop_sequences ?? [];
  if (stops.length > 0 && quirks.stop_limit === 0)
    notes.push(noteLeftOut("stop_sequences", "this API has no such field"));
  if (stops.length > 0 && quirks.stop_limit > 0) {
    fields["stop"] = stops.slice(0, quirks.stop_limit);
    if (stops.length > quirks.stop_limit)
      notes.push(noteLeftOut("stop_sequences", `only ${quirks.stop_limit} are taken`));
  }
  return fields;
}

function cacheFields(request: Request, { quirks, notes }: Options): Pick<WireHead, "prompt_cache_options"> {
  if (request.cache !== "long") return {};
  if (quirks.prompt_cache_options) return { prompt_cache_options: { ttl: "12h" } };
  notes.push(noteLeftOut("cache", "this model keeps prompts for as long as it sees fit"));
  return {};
}

/** The API takes 64 characters. */
function cacheKeyFor({ cache, cache_key }: Request): string | undefined {
  if (cache === "off" || cache_key === undefined || cache_key === "") return undefined;
  return cache_key.length <= 64 ? cache_key : `${cache_key.slice(0, 49)}_${fingerprint(cache_key)}`;
}

function extraBody({ extra_body }: ResponsesQuirks): JsonObject {
  if (extra_body === "") return {};
  const parsed: unknown = JSON.parse(extra_body);
  return isJsonObject(parsed) ? parsed : {};
}

function urlFor(target: Target, path: string): string {
  return target.base_url.replace(/\/+$/, "") + path;
}

const countedFields: ReadonlySet<string> = new Set([
  "model",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning",
  "text",
]);
