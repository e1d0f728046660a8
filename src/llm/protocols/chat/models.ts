import { isJsonObject, type JsonObject } from "../../../core/index.ts";
import type { Adapter, ListedModel } from "../../adapter.ts";

/** The models of a server, with whatever it tells about them: each kind of server has its own name for the context. */
export const listModels: NonNullable<Adapter["listModels"]> = {
  encode: (base_url) => ({ method: "GET", url: `${base_url}/models`, headers: {}, framing: "json", notes: [] }),
  decode(body) {
    const list: unknown = isJsonObject(body) ? (body["data"] ?? body["models"]) : body;
    const entries: readonly unknown[] = Array.isArray(list) ? list : [];
    return { models: entries.filter(isJsonObject).flatMap((entry) => modelFrom(entry) ?? []) };
  },
};

function modelFrom(entry: JsonObject): ListedModel | undefined {
  const id = firstText(entry, ["id", "key", "model"]);
  if (id === undefined) return undefined;
  // Some facts are one level down, under names of the server's own.
  const nested = Object.values(entry).filter(isJsonObject);
  const context_tokens = firstCount([entry, ...nested], contextFields);
  const output_tokens_max = firstCount([entry, ...nested], outputFields);
  const display_name = firstText(entry, ["name", "display_name"]);
  const retires_at = firstText(entry, ["expiration_date", "deprecation"]);
  return {
    id,
    ...(display_name === undefined || display_name === id ? {} : { display_name }),
    ...(context_tokens === undefined ? {} : { context_tokens }),
    ...(output_tokens_max === undefined ? {} : { output_tokens_max }),
    ...(retires_at === undefined ? {} : { retires_at }),
  };
}

function firstText(entry: JsonObject, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = entry[field];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

function firstCount(places: readonly JsonObject[], fields: readonly string[]): number | undefined {
  for (const place of places) {
    for (const field of fields) {
      const value = place[field];
      if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
    }
  }
  return undefined;
}

const contextFields = ["context_length", "max_model_len", "context_window", "max_context_length", "n_ctx_train"];
const outputFields = ["max_completion_tokens", "max_output_tokens"];
