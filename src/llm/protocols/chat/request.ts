import {
  isJsonObject,
  unansweredToolCalls,
  type CacheHint,
  type JsonObject,
  type Note,
  type Request,
} from "../../../core/index.ts";
import type { Call, Target } from "../../adapter.ts";
import { invalidArgument } from "../../failure.ts";
import { encodeMessages } from "./messages.ts";
import { chatQuirks, type ChatQuirks } from "./quirks.ts";
import { outputFormat, thinkingFields, toolFields, type ToolContext } from "./tools.ts";

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
    ...extraBody(quirks),
    ...(quirks.store ? { store: false } : {}),
    ...planned.fields,
    ...sampling(request, context),
    ...stop(request, context),
    ...outputFormat(request.output_format, context),
    ...cacheKey(request, quirks),
    ...(cache_control === undefined ? {} : { cache_control }),
    ...toolFields(request, context),
  };
  const system_role = systemRole(target, quirks);
  const messages = encodeMessages(request, { quirks, system_role, cache_control, notes });
  const { messages: replaced, ...options } = request.provider_options?.[target.provider] ?? {};
  return {
    method: "POST",
    url: `${target.base_url}${quirks.path.replace("{model}", encodeURIComponent(target.model.id))}`,
    headers: { "content-type": "application/json", ...cacheHeader(request, quirks) },
    body: { ...fields, ...options, messages: replaced ?? messages },
    framing: target.stream ? "sse" : "json",
    notes,
  };
}

function streamFields(target: Target, quirks: ChatQuirks): JsonObject {
  if (!target.stream) return {};
  return { stream: true, ...(quirks.stream_options ? { stream_options: { include_usage: true } } : {}) };
}

function extraBody({ extra_body }: ChatQuirks): JsonObject {
  if (extra_body === "") return {};
  try {
    const parsed: unknown = JSON.parse(extra_body);
    if (isJsonObject(parsed)) return parsed;
  } catch {
    // Told below.
  }
  throw invalidArgument(`The quirk extra_body must be a JSON object, not ${extra_body}`);
}

function systemRole({ model }: Target, { system_role }: ChatQuirks): "system" | "developer" | "first_user" {
  if (system_role !== "developer_if_thinking") return system_role;
  return model.thinking.kind === "none" ? "system" : "developer";
}

function sampling(request: Request, { target, quirks, thinking, notes }: ToolContext): JsonObject {
  const { sampling: allowed } = target.model.capabilities;
  const refused = allowed === "never" || (allowed === "without_thinking" && thinking);
  const known = {
    temperature: true,
    top_p: true,
    top_k: quirks.top_k,
    presence_penalty: quirks.penalties,
    frequency_penalty: quirks.penalties,
  };
  const names = ["temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty"] as const;
  const asked = names.filter((name) => request[name] !== undefined);
  const sent = refused ? [] : asked.filter((name) => known[name]);
  const left = asked.filter((name) => !sent.includes(name));
  if (left.length > 0) {
    const why = refused && allowed === "without_thinking" ? " while it thinks" : "";
    const message = `${target.model.id} does not take ${left.join(", ")} here${why}; left out`;
    notes.push({ code: "sampling_unsupported", message });
  }
  return { ...Object.fromEntries(sent.map((name) => [name, request[name]])), ...seed(request, quirks, notes) };
}

function seed({ seed: value }: Request, { seed_field }: ChatQuirks, notes: Note[]): JsonObject {
  if (value === undefined) return {};
  if (seed_field !== "") return { [seed_field]: value };
  notes.push({ code: "seed_unsupported", message: "This server has no seed; left out" });
  return {};
}

function stop(request: Request, { target, quirks, notes }: ToolContext): JsonObject {
  const wanted = request.stop_sequences ?? [];
  if (wanted.length === 0) return {};
  const limit = target.model.capabilities.stop_sequences ? quirks.stop_limit : 0;
  if (limit === 0) {
    notes.push({ code: "stop_unsupported", message: `${target.model.id} takes no stop sequences here; left out` });
    return {};
  }
  if (wanted.length > limit) {
    notes.push({
      code: "stop_reduced",
      message: `At most ${limit} stop sequences are taken; the first ${limit} were sent`,
    });
  }
  return { stop: wanted.slice(0, limit) };
}

function cacheKey(request: Request, { cache_key_field }: ChatQuirks): JsonObject {
  const key = request.cache === "off" ? undefined : request.cache_key;
  return key === undefined || cache_key_field === "" ? {} : { [cache_key_field]: key };
}

function cacheHeader(request: Request, { cache_key_header }: ChatQuirks): Record<string, string> {
  const key = request.cache === "off" ? undefined : request.cache_key;
  // A header holds visible ASCII only.
  return key === undefined || cache_key_header === "" || !/^[!-~]+$/.test(key) ? {} : { [cache_key_header]: key };
}

/**
 * What a cache mark looks like for this model. At the top of the body it asks for everything up to the last message;
 * on the system prompt and the last tool it holds what does not change. A mark that moves from message to message
 * would change bytes already sent.
 */
function cacheControl(request: Request, { model }: Target, quirks: ChatQuirks): JsonObject | undefined {
  const prefixes = quirks.cache_control_models.split(" ").filter((prefix) => prefix !== "");
  const takesMarks = prefixes.some((prefix) => prefix === "*" || model.id.startsWith(prefix));
  if (!takesMarks || request.cache === "off") return undefined;
  const length: CacheHint = request.cache === "long" ? "long" : "short";
  return { type: "ephemeral", ...(length === "long" ? { ttl: "1h" } : {}) };
}
