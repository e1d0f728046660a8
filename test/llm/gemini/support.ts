import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  project,
  type AssistantBlock,
  type AssistantMessage,
  type Conversation,
  type JsonObject,
  type Message,
  type ModelInfo,
  type Note,
  type Loss,
  type Opaque,
} from "../../../src/core/index.ts";
import type { Call, Target } from "../../../src/llm/adapter.ts";
import { decodeResponse, type DecodedResponse } from "../../../src/llm/decode.ts";
import { gemini } from "../../../src/llm/protocols/gemini/index.ts";
import { loadRecordings, recordingsFolder, type Recording } from "../../recordings/load.ts";

export const baseUrl = "https://gemini.test/v1beta";

const base: Omit<ModelInfo, "id"> = {
  provider: "google",
  display_name: "Gemini",
  aliases: [],
  context_tokens: 1_048_576,
  output_tokens_max: 65_536,
  thinking: { kind: "level", levels: ["low", "medium", "high"] },
  capabilities: {
    tools: true,
    vision: true,
    streaming: true,
    sampling: "always",
    forced_tools: "always",
    stop_sequences: true,
  },
};
const old = { function_call_ids: false, validates_signatures: false };

export const argon: ModelInfo = {
  ...base,
  id: "gemini-4-argon",
  capabilities: { ...base.capabilities, sampling: "never" },
};
export const flash3: ModelInfo = {
  ...base,
  id: "gemini-3.5-flash",
  aliases: ["gemini-3.5-flash-001"],
  thinking: { kind: "level", levels: ["minimal", "low", "medium", "high"] },
  traits: { function_call_ids: true, validates_signatures: true },
};
export const pro3: ModelInfo = {
  ...base,
  id: "gemini-3-pro-preview",
  thinking: { kind: "level", levels: ["low", "high"] },
};
export const pro25: ModelInfo = {
  ...base,
  id: "gemini-2.5-pro",
  thinking: { kind: "budget", min: 128, max: 32_768, can_disable: false, omitted: "on", dynamic: true },
  traits: old,
};
export const flash25: ModelInfo = {
  ...base,
  id: "gemini-2.5-flash",
  thinking: { kind: "budget", min: 0, max: 24_576, can_disable: true, omitted: "on", dynamic: true },
  traits: old,
};
export const lite25: ModelInfo = {
  ...base,
  id: "gemini-2.5-flash-lite",
  thinking: { kind: "budget", min: 512, max: 24_576, can_disable: true, omitted: "off", dynamic: true },
  traits: old,
};
export const flash20: ModelInfo = { ...base, id: "gemini-2.0-flash", thinking: { kind: "none" }, traits: old };
export const gemma: ModelInfo = {
  ...base,
  id: "gemma-4-31b-it",
  output_tokens_max: 32_768,
  thinking: { kind: "level", levels: ["minimal", "high"] },
  traits: { ...old, system_instruction: false },
};

export type Encoded = {
  readonly body: JsonObject;
  readonly call: Call;
  readonly notes: readonly Note[];
  readonly losses: readonly Loss[];
};

export type Contents = readonly { readonly role: string; readonly parts: readonly JsonObject[] }[];

export function targetFor(model: ModelInfo, conversation: Omit<Conversation, "messages"> = {}, stream = true): Target {
  const { max_output_tokens, thinking } = conversation;
  const plan = gemini.plan(model, thinking ?? {}, max_output_tokens === undefined ? {} : { max_output_tokens });
  return { provider: "google", api: "generateContent", model, base_url: baseUrl, stream, plan, quirks: {} };
}

/** Project and encode, as every request is made. */
export function encode(model: ModelInfo, conversation: Conversation, stream = true): Encoded {
  const target = targetFor(model, conversation, stream);
  const rules = gemini.projection({ provider: "google", model, quirks: {} });
  const { messages, losses } = project(conversation.messages, rules);
  const call = gemini.encode({ ...conversation, messages, model: model.id }, target);
  return { body: call.body ?? {}, call, notes: call.notes, losses };
}

export function contentsOf(encoded: { readonly body: JsonObject }): Contents {
  return encoded.body["contents"] as unknown as Contents;
}

export function partsOf(encoded: { readonly body: JsonObject }): readonly JsonObject[] {
  return contentsOf(encoded).flatMap(({ parts }) => parts);
}

export function assistant(model: ModelInfo | string, ...content: readonly AssistantBlock[]): AssistantMessage {
  const id = typeof model === "string" ? model : model.id;
  const provider = id.startsWith("claude") ? "anthropic" : "google";
  return { role: "assistant", content, origin: { provider, api: "any", model: id } };
}

export function call(id: string, name = "f", opaque?: Opaque): AssistantBlock {
  return { type: "tool_call", id, name, arguments: { x: 1 }, ...(opaque === undefined ? {} : { opaque }) };
}

export function sealed(model: ModelInfo, data: JsonObject): Opaque {
  return { provider: "google", model: model.id, data };
}

/** Decodes chunks given as objects, as a stream or (one) as a body. */
export function decodeChunks(
  chunks: readonly unknown[],
  how: { readonly framing?: "sse" | "json"; readonly model?: string; readonly tail?: string } = {},
): DecodedResponse {
  const framing = how.framing ?? "sse";
  const frames = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join("");
  const text = framing === "sse" ? frames + (how.tail ?? "") : JSON.stringify(chunks[0]);
  return decodeText(text, framing, how.model);
}

export function decodeText(text: string, framing: "sse" | "json" = "sse", model = flash3.id): DecodedResponse {
  const response = { provider: "google", api: "generateContent", model, status: 200, headers: {}, text, framing };
  return decodeResponse(gemini, response, { newId: idMaker(), now: 0 });
}

export function textOfRecording({ response }: Recording): string {
  return response.sse ?? response.text ?? JSON.stringify(response.body);
}

export function decodeRecording(recording: Recording, pieces?: readonly string[]): DecodedResponse {
  const { model, response } = recording;
  const framing = response.sse === undefined ? "json" : "sse";
  return decodeResponse(
    gemini,
    {
      provider: "google",
      api: "generateContent",
      model,
      status: response.status,
      headers: response.headers,
      text: textOfRecording(recording),
      framing,
    },
    { newId: idMaker(), now: 0, ...(pieces === undefined ? {} : { pieces }) },
  );
}

/** Every recording of this wire, from either deployment. */
export function geminiRecordings(): readonly Recording[] {
  return loadRecordings()
    .map(({ recording }) => recording)
    .filter(({ api }) => api === "generateContent" || api === "streamGenerateContent");
}

export function recordingById(id: string): Recording {
  const found = geminiRecordings().find((recording) => recording.id === id);
  if (found === undefined) throw new Error(`no recording ${id}`);
  return found;
}

export const vendorFolder = join(recordingsFolder, "../recordings-vendor-written");
export const haveVendorFiles = existsSync(join(vendorFolder, "google-firebase"));

export function vendorFile(path: string): string {
  return readFileSync(join(vendorFolder, path), "utf8");
}

function idMaker(): () => string {
  let made = 0;
  return () => `made-${++made}`;
}

export function toolMessage(...ids: readonly string[]): Message {
  return {
    role: "tool",
    content: ids.map((id) => ({
      type: "tool_result",
      tool_call_id: id,
      content: [{ type: "text", text: `result of ${id}` }],
      is_error: false,
    })),
  };
}
