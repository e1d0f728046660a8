import {
  project,
  type AssistantMessage,
  type JsonObject,
  type Message,
  type ModelInfo,
  type Request,
  type ThinkingConfig,
} from "../../../src/core/index.ts";
import type { Call, Quirks, Target } from "../../../src/llm/adapter.ts";
import { decodeResponse, type DecodedResponse } from "../../../src/llm/decode.ts";
import { chat } from "../../../src/llm/protocols/chat/index.ts";
import { loadRecordings, type Recording } from "../../recordings/load.ts";

/** A model as plain as can be; each test says what differs. */
export function modelWith(
  differences: Omit<Partial<ModelInfo>, "capabilities"> & { capabilities?: Partial<ModelInfo["capabilities"]> } = {},
): ModelInfo {
  const { capabilities, ...rest } = differences;
  return {
    id: "test-model",
    provider: "server",
    display_name: "Test model",
    aliases: [],
    context_tokens: 200_000,
    output_tokens_max: 100_000,
    thinking: { kind: "none" },
    ...rest,
    capabilities: {
      tools: true,
      vision: true,
      streaming: true,
      sampling: "always",
      forced_tools: "always",
      stop_sequences: true,
      ...capabilities,
    },
  };
}

export type Setting = {
  readonly model?: ModelInfo;
  readonly quirks?: Quirks;
  readonly thinking?: ThinkingConfig;
  readonly stream?: boolean;
  readonly provider?: string;
};

function targetWith({ model = modelWith(), quirks = {}, thinking = {}, ...rest }: Setting = {}): Target {
  return {
    provider: rest.provider ?? "server",
    api: "chat",
    model,
    base_url: "https://server.test/v1",
    stream: rest.stream ?? true,
    plan: chat.plan(model, thinking, {}, quirks),
    quirks,
  };
}

/** Encodes as it stands, without projecting. */
export function encode(request: Partial<Request> & { readonly messages: readonly Message[] }, setting?: Setting): Call {
  const target = targetWith(setting);
  return chat.encode({ model: target.model.id, ...request }, target);
}

export function bodyOf(
  request: Partial<Request> & { readonly messages: readonly Message[] },
  setting?: Setting,
): JsonObject {
  return encode(request, setting).body ?? {};
}

export function messagesOf(
  request: Partial<Request> & { readonly messages: readonly Message[] },
  setting?: Setting,
): readonly JsonObject[] {
  const { messages } = bodyOf(request, setting);
  return Array.isArray(messages) ? messages : [];
}

/** Projects as the driver does, then encodes. */
export function projectAndEncode(history: readonly Message[], setting: Setting = {}): readonly JsonObject[] {
  const { model = modelWith(), quirks = {}, provider = "server" } = setting;
  const { messages } = project(history, chat.projection({ provider, model, quirks }));
  return messagesOf({ messages }, setting);
}

export type Source = {
  readonly quirks?: Quirks;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces?: readonly string[];
};

export function decodeText(text: string, source: Source = {}): DecodedResponse {
  let ids = 0;
  return decodeResponse(
    chat,
    {
      provider: "server",
      api: "chat",
      model: "test-model",
      status: source.status ?? 200,
      headers: source.headers ?? {},
      text,
      framing: "sse",
      quirks: source.quirks ?? {},
    },
    { newId: () => `generated-${ids++}`, now: 0, ...(source.pieces ? { pieces: source.pieces } : {}) },
  );
}

export function sse(...frames: readonly (JsonObject | string)[]): string {
  return frames.map((frame) => `data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`).join("");
}

export function chunk(delta: JsonObject, rest: JsonObject = {}): JsonObject {
  const { finish_reason = null, ...top } = rest;
  return {
    id: "c-1",
    object: "chat.completion.chunk",
    model: "test-model",
    ...top,
    choices: [{ index: 0, delta, finish_reason }],
  };
}

export const stop = chunk({}, { finish_reason: "stop" });

export function decodeFrames(frames: readonly (JsonObject | string)[], source?: Source): DecodedResponse {
  return decodeText(sse(...frames), source);
}

export function decodeBody(body: JsonObject, source?: Source): DecodedResponse {
  return decodeText(JSON.stringify(body), source);
}

export function doneOf({ end }: DecodedResponse): Extract<DecodedResponse["end"], { type: "done" }> {
  if (end.type !== "done") throw new Error(`ended with an error: ${end.error.message}`);
  return end;
}

export function errorOf({ end }: DecodedResponse): Extract<DecodedResponse["end"], { type: "error" }> {
  if (end.type !== "error") throw new Error("ended without an error");
  return end;
}

/** Blocks in short: what a reader of the answer sees. */
export function blocksOf(message: AssistantMessage): readonly unknown[] {
  return message.content.map((block) => {
    if (block.type === "tool_call") {
      const { id, name, arguments: parsed } = block;
      return { call: name, id, arguments: parsed, ...(block.invalid ? { invalid: true } : {}) };
    }
    return block.type === "provider" ? block : { [block.type]: block.text };
  });
}

/** Chat recordings, and what a server's row will say about it. */
export const chatRecordings = loadRecordings().filter(({ recording }) => recording.api === "chat");

export function recordingBy(hash: string): Recording {
  const found = chatRecordings.find(({ file }) => file.endsWith(`-${hash}.json`));
  if (found === undefined) throw new Error(`no chat recording ends in ${hash}`);
  return found.recording;
}

export function textOfRecording({ response }: Recording): string {
  return response.sse ?? response.text ?? JSON.stringify(response.body);
}

export function decodeRecording(recording: Recording, source: Source = {}): DecodedResponse {
  let ids = 0;
  const { response, provider, model } = recording;
  return decodeResponse(
    chat,
    {
      provider,
      api: "chat",
      model,
      status: response.status,
      headers: response.headers,
      text: textOfRecording(recording),
      framing: response.sse === undefined ? "json" : "sse",
      quirks: source.quirks ?? {},
    },
    { newId: () => `generated-${ids++}`, now: 0, ...(source.pieces ? { pieces: source.pieces } : {}) },
  );
}
