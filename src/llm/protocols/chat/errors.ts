import { isJsonObject, parseJson, type ErrorInfo, type JsonObject } from "../../../core/index.ts";
import type { DecoderContext, Refusal } from "../../adapter.ts";
import { maskSecrets } from "../../error-patterns.ts";
import { openAiError } from "../openai-errors.ts";

/** A refusal by status, in whatever shape the server writes them. */
export function decodeError(refusal: Refusal): ErrorInfo {
  const body = parseJson(refusal.text);
  return withGeneration(openAiError(body, refusal), body);
}

/**
 * The error inside a success, if there is one: in a chunk, in its choice, or instead of a chunk. Read like the same
 * error by status.
 */
export function errorWithin(
  chunk: JsonObject,
  context: Pick<DecoderContext, "headers" | "now">,
): ErrorInfo | undefined {
  const body = errorBody(chunk);
  if (body === undefined) return undefined;
  const { headers, now } = context;
  return withGeneration(openAiError(body, { status: 200, headers, now }), body);
}

function errorBody(chunk: JsonObject): JsonObject | undefined {
  const { error, choices, object, type, detail } = chunk;
  const isSaid = isJsonObject(error) ? Object.keys(error).length > 0 : typeof error === "string" && error !== "";
  if (isSaid) return chunk;
  if (Array.isArray(choices)) {
    const first: unknown = choices[0];
    const inside = isJsonObject(first) ? first["error"] : undefined;
    return isJsonObject(inside) ? { error: inside } : undefined;
  }
  const isError = object === "error" || type === "error" || detail !== undefined || isBareError(chunk);
  return isError ? chunk : undefined;
}

/** `{code, message, type}` without anything around it. */
function isBareError({ code, message }: JsonObject): boolean {
  return typeof message === "string" && code !== undefined && code !== null;
}

/** Servers that check calls themselves say what the model wrote instead of a legal one. */
function withGeneration(info: ErrorInfo, body: unknown): ErrorInfo {
  const error = isJsonObject(body) && isJsonObject(body["error"]) ? body["error"] : {};
  const written = error["failed_generation"];
  if (typeof written !== "string" || written.trim() === "") return info;
  const short = written.length > generationCharactersMax ? `${written.slice(0, generationCharactersMax)}…` : written;
  return { ...info, message: `${info.message}; the model wrote: ${maskSecrets(short.trim())}` };
}

const generationCharactersMax = 300;
