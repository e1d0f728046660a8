import { fingerprint, unansweredToolCalls, type JsonObject, type Note, type Request } from "../../../core/index.ts";
import type { Call, Target } from "../../adapter.ts";
import { invalidArgument } from "../../failure.ts";
import { encodeMessages } from "./messages.ts";
import { leftOut } from "./notes.ts";
import { chatQuirks, jsonFields, type ChatQuirks } from "./quirks.ts";
import { formatWords, outputFormat, thinkingFields, toolFields, type ToolContext } from "./tools.ts";
import type { WireCacheControl } from "./wire.ts";

/** One request in the words of one server. `messages` stand last, so that a longer history only lengthens the body. */
export function encode(request: Request, target: Target): Call {
  const problem = unansweredToolCalls(request.messages)[0];
  if (problem !== undefined) throw invalidArgument(`${problem.place}: ${problem.message}`);
  const quirks = chatQuirks(target.quirks, target.model.traits);
  const notes: Note[] = [];
  const cache_control = cacheControl(request, target, quirks);
  const planned = thinkingFields(request, { target, quirks, notes });
  const context: ToolContext = { target, quirks, thinking: planned.thinking, cache_control, notes };
  const fields: JsonObject = {
    model: target.model.id,
    ...streamFields(target, quirks),
    ...jsonFields(quirks.extra_body, "extra_body"),
    ...(quirks.store ? { store: false } : {}),
    ...planned.fields,
    ...sampling(request, context),
    ...stop(request, context),
    ...outputFormat(request.output_format, context),
    ...cacheFields(request, context),
    ...toolFields(request, context),
  };
  const messages = encodeMessages(request, {
    quirks,
    system_role: systemRole(target, quirks),
    cache_control,
    format_words: formatWords(request, quirks),
    notes,
  });
  if (messages.length === 0) throw invalidArgument("There is nothing to send: every message is empty for this model");
  const { messages: replaced, ...options } = request.provider_options?.[target.provider] ?? {};
  return {
    method: "POST",
    url: urlFor(target, quirks),
    headers: {
      "content-type": "application/json",
      accept: target.stream ? "text/event-stream" : "application/json",
      ...cacheHeader(request, quirks),
    },
    body: { ...fields, ...options, messages: replaced ?? messages },
    framing: target.stream ? "sse" : "json",
    notes,
  };
}

function urlFor({ base_url, model }: Target, { path }: ChatQuirks): string {
  return base_url.replace(/\/+$/, "") + path.replace("{model}", encodeURIComponent(model.id));
}

function streamFields(target: Target, quirks: ChatQuirks): JsonObject {
  if (!target.stream) return {};
  return { stream: true, ...(quirks.stream_options ? { stream_options: { include_usage: true } } : {}) };
}

function systemRole({ model }: Target, { system_role }: ChatQuirks): "system" | "developer" | "first_user" {
  if (system_role !== "developer_if_thinking") return system_role;
  return model.thinking.kind === "none" ? "system" : "developer";
}

function sampling(request: Request, { target, quirks, thinking, notes }: ToolContext): JsonObject {
  const { id, capabilities } = target.model;
  const { sampling: allowed } = capabilities;
  const refusal =
    allowed === "never"
      ? `${id} does not take it`
      : allowed === "without_thinking" && thinking
        ? `${id} does not take it while it thinks`
        : undefined;
  const fields: { [field: string]: number } = {};
  const take = (name: string, value: number | undefined, field: string, why = refusal): void => {
    if (value === undefined) return;
    if (field !== "" && why === undefined) fields[field] = value;
    else notes.push(leftOut(name, why ?? "this server has no such setting"));
  };
  take("temperature", request.temperature, "temperature");
  take("top_p", request.top_p, "top_p");
  take("top_k", request.top_k, quirks.top_k ? "top_k" : "");
  take("presence_penalty", request.presence_penalty, quirks.penalties ? "presence_penalty" : "");
  take("frequency_penalty", request.frequency_penalty, quirks.penalties ? "frequency_penalty" : "");
  if (request.seed !== undefined && quirks.seed_field !== "") fields[quirks.seed_field] = request.seed;
  else if (request.seed !== undefined) notes.push(leftOut("seed", "this server has no such setting"));
  return fields;
}

function stop(request: Request, { target, quirks, notes }: ToolContext): JsonObject {
  const wanted = request.stop_sequences ?? [];
  if (wanted.length === 0) return {};
  const limit = target.model.capabilities.stop_sequences ? quirks.stop_limit : 0;
  if (limit === 0) {
    notes.push(leftOut("stop_sequences", `${target.model.id} takes none here`));
    return {};
  }
  if (wanted.length > limit) notes.push(leftOut("stop_sequences", `only ${limit} are taken`));
  return { stop: wanted.slice(0, limit) };
}

/** Who keeps the prompt, and for how long, where the server lets us say so. */
function cacheFields(request: Request, { quirks, cache_control, notes }: ToolContext): JsonObject {
  const key = cacheKey(request);
  const asksLong = request.cache === "long" && cache_control === undefined;
  if (asksLong && !quirks.prompt_cache_options) {
    notes.push(leftOut("cache", "this model keeps prompts for as long as it sees fit"));
  }
  return {
    ...(key === undefined || quirks.cache_key_field === "" ? {} : { [quirks.cache_key_field]: key }),
    ...(asksLong && quirks.prompt_cache_options ? { prompt_cache_options: { ttl: "12h" } } : {}),
    ...(cache_control === undefined ? {} : { cache_control }),
  };
}

function cacheHeader(request: Request, { cache_key_header }: ChatQuirks): Record<string, string> {
  const key = cacheKey(request);
  // A header holds visible ASCII only.
  return key === undefined || cache_key_header === "" || !/^[!-~]+$/.test(key) ? {} : { [cache_key_header]: key };
}

function cacheKey({ cache, cache_key }: Request): string | undefined {
  if (cache === "off" || cache_key === undefined || cache_key === "") return undefined;
  return cache_key.length <= cacheKeyCharactersMax ? cache_key : `${cache_key.slice(0, 49)}_${fingerprint(cache_key)}`;
}

/**
 * What a cache mark looks like for this model. At the top of the body it asks for everything up to the last message;
 * on the system prompt and the last tool it holds what does not change. A mark that moves from message to message
 * would change bytes already sent.
 */
function cacheControl(request: Request, { model }: Target, quirks: ChatQuirks): WireCacheControl | undefined {
  const prefixes = quirks.cache_control_models.split(" ").filter((prefix) => prefix !== "");
  const takesMarks = prefixes.some((prefix) => prefix === "*" || model.id.startsWith(prefix));
  if (!takesMarks || request.cache === "off") return undefined;
  return request.cache === "long" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

const cacheKeyCharactersMax = 64;
