/** The lists of models, page by page, in the shape of each provider. */
import type { JsonObject } from "../../core/json.ts";
import type { World } from "./exchange.ts";
import { findModel, type GeminiModel, type MessagesModel, type OpenAiModel } from "./models.ts";
import type { Route } from "./route.ts";
import type { Incoming, Refusal } from "./types.ts";

export function listModels(route: Route, incoming: Incoming, world: World): JsonObject {
  switch (route.dialect.family) {
    case "messages":
      return messagesPage(world.models.messages.filter(served), incoming.query);
    case "openai":
      return {
        object: "list",
        data: openAiRows(route, world)
          .filter(served)
          .map((row) => openAiEntry(row, route)),
      };
    case "gemini":
      return geminiPage(world.models.gemini.filter(served), incoming.query);
  }
}

export function oneModel(route: Route, world: World): JsonObject | Refusal {
  const id = route.model ?? "";
  switch (route.dialect.family) {
    case "messages": {
      const found = findModel(world.models.messages, id);
      return found === undefined ? { status: 404, message: `model: ${id}` } : messagesEntry(found);
    }
    case "openai": {
      const found = findModel(openAiRows(route, world), id);
      const message = `The model '${id}' does not exist`;
      return found === undefined
        ? { status: 404, code: "model_not_found", param: "model", message }
        : openAiEntry(found, route);
    }
    case "gemini": {
      const found = findModel(world.models.gemini, id);
      const message = `Model is not found: models/${id} for api version v1beta`;
      return found === undefined ? { status: 404, message } : geminiEntry(found);
    }
  }
}

function openAiRows(route: Route, world: World): readonly OpenAiModel[] {
  return world.models.openai[route.dialect.catalogue] ?? [];
}

function served(row: { readonly retired: boolean }): boolean {
  return !row.retired;
}

function messagesPage(rows: readonly MessagesModel[], query: URLSearchParams): JsonObject {
  const limit = Math.max(1, Math.min(1_000, Number(query.get("limit") ?? "20") || 20));
  const after = rows.findIndex((row) => row.id === query.get("after_id"));
  const before = rows.findIndex((row) => row.id === query.get("before_id"));
  const start = before >= 0 ? Math.max(0, before - limit) : after + 1;
  const end = before >= 0 ? before : start + limit;
  const page = rows.slice(start, end);
  return {
    data: page.map(messagesEntry),
    has_more: before >= 0 ? start > 0 : end < rows.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function messagesEntry(row: MessagesModel): JsonObject {
  const supported = (yes: boolean): JsonObject => ({ supported: yes });
  const types = ["adaptive", "enabled", "disabled", "between_tools"];
  const efforts = ["low", "medium", "high", "xhigh", "max"];
  return {
    type: "model",
    id: row.id,
    display_name: row.name,
    created_at: row.created,
    lifecycle: row.retired ? "retired" : "active",
    deprecated_at: null,
    retires_at: null,
    max_input_tokens: row.context,
    max_tokens: row.max_output,
    capabilities: {
      image_input: supported(true),
      pdf_input: supported(true),
      structured_outputs: supported(true),
      thinking: {
        supported: true,
        types: Object.fromEntries(types.map((type) => [type, supported(row.thinking_types.includes(type))])),
      },
      effort: {
        supported: row.efforts.length > 0,
        ...Object.fromEntries(efforts.map((effort) => [effort, supported(row.efforts.includes(effort))])),
      },
    },
  };
}

function openAiEntry(row: OpenAiModel, route: Route): JsonObject {
  const plain = { id: row.id, object: "model", created: 1_760_000_000, owned_by: "system" };
  switch (route.dialect.quirks.model_card) {
    case "routed":
      return routedEntry(row);
    case "max_model_len":
      return { ...plain, max_model_len: row.context };
    case "n_ctx":
      return { ...plain, meta: { n_ctx_train: row.context } };
    default:
      return { ...plain, shutdown_date: null };
  }
}

function routedEntry(row: OpenAiModel): JsonObject {
  const thinks = row.efforts.length > 0;
  const reasoning = { mandatory: !row.efforts.includes("none"), supported_efforts: row.efforts };
  return {
    id: row.id,
    canonical_slug: row.id,
    name: row.id,
    created: 1_760_000_000,
    description: "Simulated by the emulator.",
    context_length: row.context,
    architecture: { input_modalities: ["text", "image"], output_modalities: ["text"], tokenizer: "Other" },
    pricing: { prompt: "0.000001", completion: "0.000005", input_cache_read: "0.000001" },
    top_provider: { context_length: row.context, max_completion_tokens: row.max_output, is_moderated: false },
    supported_parameters: ["tools", "tool_choice", "max_tokens", ...(thinks ? ["reasoning"] : [])],
    ...(thinks ? { reasoning } : {}),
  };
}

function geminiPage(rows: readonly GeminiModel[], query: URLSearchParams): JsonObject {
  const size = Math.max(1, Math.min(1_000, Number(query.get("pageSize") ?? "50") || 50));
  const start = Number(query.get("pageToken") ?? "0") || 0;
  const end = start + size;
  const next = end < rows.length ? { nextPageToken: String(end) } : {};
  return { models: rows.slice(start, end).map(geminiEntry), ...next };
}

function geminiEntry(row: GeminiModel): JsonObject {
  return {
    name: `models/${row.id}`,
    version: "001",
    displayName: row.id,
    description: "Simulated by the emulator.",
    inputTokenLimit: row.context,
    outputTokenLimit: row.max_output,
    supportedGenerationMethods: ["generateContent", "countTokens"],
    thinking: row.levels.length > 0 || row.budget !== undefined,
    temperature: 1,
    maxTemperature: 2,
    topP: 0.95,
    topK: 64,
  };
}
