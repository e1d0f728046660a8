import { isJsonObject, type JsonObject } from "../../../core/index.ts";
import type { Adapter, ListedModel } from "../../adapter.ts";

/** `GET /models`: ids, and on some servers how much fits into them. */
export const listModels: NonNullable<Adapter["listModels"]> = {
  encode: (base_url) => ({
    method: "GET",
    url: `${base_url.replace(/\/+$/, "")}/models`,
    headers: { accept: "application/json" },
    framing: "json",
    notes: [],
  }),
  decode(body) {
    const data = isJsonObject(body) ? body["data"] : undefined;
    return { models: Array.isArray(data) ? data.filter(isJsonObject).flatMap(listed) : [] };
  },
};

function listed(entry: JsonObject): readonly ListedModel[] {
  const { id, name, shutdown_date } = entry;
  if (typeof id !== "string") return [];
  const context_tokens = [entry["context_length"], entry["max_model_len"], entry["context_window"]].find(isCount);
  const output_tokens_max = [entry["max_output_tokens"], entry["max_completion_tokens"]].find(isCount);
  return [
    {
      id,
      ...(typeof name === "string" ? { display_name: name } : {}),
      ...(context_tokens === undefined ? {} : { context_tokens }),
      ...(output_tokens_max === undefined ? {} : { output_tokens_max }),
      ...(typeof shutdown_date === "string" ? { retires_at: shutdown_date } : {}),
    },
  ];
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value > 0;
}
