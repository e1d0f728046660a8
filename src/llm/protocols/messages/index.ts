import { isJsonObject, type Request } from "../../../core/index.ts";
import type { Adapter, Call, ListedModel, ProjectionTarget, Target } from "../../adapter.ts";
import { decodeError } from "./errors.ts";
import { baseHeaders, encode, endpoint } from "./request.ts";
import { decoder } from "./stream.ts";
import { plan } from "./thinking.ts";

/** The Messages protocol. */
export const messages: Adapter = {
  plan,
  projection: ({ provider, model }: ProjectionTarget) => ({
    provider,
    models: [model.id, ...model.aliases],
    tool_call_id: { character: "[A-Za-z0-9_-]", length_max: 64 },
    thinking_needs_opaque: true,
    tool_calls_last: true,
    images: model.capabilities.vision,
    documents: model.capabilities.documents ?? model.capabilities.vision,
    foreign_thinking: "omit",
  }),
  encode,
  authorize,
  decoder,
  decodeError,
  listModels: { encode: encodeListing, decode: decodeListing },
  countTokens: { encode: encodeCount, decode: decodeCount },
};

/** OAuth tokens are taken as bearer only. */
function authorize(key: string): Record<string, string> {
  return key.includes("sk-ant-oat") ? { authorization: `Bearer ${key}` } : { "x-api-key": key };
}

function encodeListing(base_url: string, page?: string): Call {
  const after = page === undefined ? "" : `&after_id=${encodeURIComponent(page)}`;
  const url = `${endpoint(base_url, "/v1/models")}?limit=1000${after}`;
  return { method: "GET", url, headers: baseHeaders(), framing: "json", notes: [] };
}

function decodeListing(body: unknown): { models: readonly ListedModel[]; next_page?: string } {
  if (!isJsonObject(body) || !Array.isArray(body["data"])) return { models: [] };
  const models = body["data"].filter(isJsonObject).map((model): ListedModel => {
    const { id, display_name, max_input_tokens, max_tokens, retires_at } = model;
    return {
      id: String(id),
      ...(typeof display_name === "string" ? { display_name } : {}),
      ...(typeof max_input_tokens === "number" ? { context_tokens: max_input_tokens } : {}),
      ...(typeof max_tokens === "number" ? { output_tokens_max: max_tokens } : {}),
      ...(typeof retires_at === "string" ? { retires_at } : {}),
    };
  });
  const { has_more, last_id } = body;
  return { models, ...(has_more === true && typeof last_id === "string" ? { next_page: last_id } : {}) };
}

/** The same body without what concerns the answer only. */
function encodeCount(request: Request, target: Target): Call {
  const call = encode(request, { ...target, stream: false });
  const body = Object.fromEntries(Object.entries(call.body ?? {}).filter(([field]) => countedFields.has(field)));
  return { ...call, url: endpoint(target.base_url, "/v1/messages/count_tokens"), headers: baseHeaders(), body };
}

function decodeCount(body: unknown): number {
  return isJsonObject(body) && typeof body["input_tokens"] === "number" ? body["input_tokens"] : 0;
}

const countedFields: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "cache_control",
]);
