import {
  errorInfo,
  isJsonObject,
  parseJson,
  unreportedUsage,
  type ErrorInfo,
  type JsonObject,
  type Usage,
} from "../../../core/index.ts";
import type { Decoder, DecoderContext } from "../../adapter.ts";
import { cutOff } from "../../writer.ts";
import { groundedCitations } from "./citations.ts";
import { decodeError, errorObject } from "./errors.ts";
import { finishReasonOf } from "./finish.ts";
import { createPartReader } from "./parts.ts";
import { createRemarks } from "./remarks.ts";
import { hasCounts, isCount, readUsage } from "./usage.ts";

/** Frames of a stream, elements of an array and a whole body are the same chunks and go the same way. */
export function decoder(context: DecoderContext): Decoder {
  const { out, headers, now } = context;
  const parts = createPartReader(context);
  const remarks = createRemarks();
  /** Counts are cumulative: the last ones hold. They come with every chunk and are read once. */
  let counts: JsonObject | undefined;
  let finish: Finish | undefined;

  const usage = (): Usage | undefined => (counts === undefined ? undefined : readUsage(counts));
  const fail = (error: ErrorInfo): void => out.error(error, usage());

  const chunk = (json: unknown): void => {
    if (out.ended()) return;
    if (errorObject(json) !== undefined) {
      return fail(decodeError({ status: 200, headers, text: JSON.stringify(json), now }));
    }
    if (!isJsonObject(json)) return fail(unreadable("a chunk that is no object"));
    const { candidates, usageMetadata, promptFeedback } = json;
    if (!out.started()) out.start(...answeredBy(json, context.model));
    remarks.add(json, isReadFromChunk);
    finish = blockOf(promptFeedback) ?? finish;
    const first = Array.isArray(candidates) ? candidates.find(isFirst) : undefined;
    if (isJsonObject(first)) readCandidate(first);
    if (!isJsonObject(usageMetadata)) return;
    if (hasCounts(usageMetadata)) counts = usageMetadata;
    remarks.add(usageMetadata, isCount);
  };

  const readCandidate = (candidate: JsonObject): void => {
    const { content, finishReason } = candidate;
    const given = isJsonObject(content) ? content["parts"] : undefined;
    if (Array.isArray(given)) given.forEach((part) => parts.add(part));
    // Code execution says STOP more than once: the last word counts, and more may follow it.
    const raw = wordOf(finishReason);
    if (raw !== undefined) finish = { raw, blocked: false };
    remarks.add(candidate, isReadFromCandidate);
  };

  const done = ({ raw, blocked }: Finish): void => {
    if (out.ended()) return;
    parts.close(finishReasonOf(raw, false) === "stop" ? "whole" : "cut");
    const finish_reason = blocked ? "content_filter" : finishReasonOf(raw, out.hasCompleteToolCall());
    const provider_data = remarks.all();
    for (const { block, citation } of groundedCitations(provider_data?.["groundingMetadata"], parts.texts())) {
      out.citation(block, citation);
    }
    out.done({ finish_reason, raw_finish_reason: raw, usage: usage() ?? unreportedUsage, provider_data });
  };

  const end = (): void => {
    if (out.ended()) return;
    if (finish === undefined) fail(cutOff());
    else done(finish);
  };

  return {
    frame(data, event) {
      // Gateways end with a word of another protocol.
      if (out.ended() || data.trim() === "[DONE]") return;
      const json = parseJson(data);
      if (json === undefined) fail(unreadable("a frame that is no JSON"));
      else if (Array.isArray(json)) json.forEach((element) => chunk(element));
      else chunk(event === "error" && errorObject(json) === undefined ? { error: json } : json);
    },
    body(json) {
      if (Array.isArray(json)) {
        json.forEach((element) => chunk(element));
        return end();
      }
      chunk(json);
      // A whole body was not cut off: without a reason it is an answer whose reason is unknown.
      if (isAnswer(json)) done(finish ?? { raw: "", blocked: false });
      else if (!out.ended()) fail(unreadable("neither an answer nor an error"));
    },
    end,
    settled: () => finish !== undefined,
    usage,
  };
}

/** How the provider said it ended. A blocked prompt ends without an answer. */
type Finish = { readonly raw: string; readonly blocked: boolean };

function answeredBy({ modelVersion, responseId }: JsonObject, asked: string): [model: string, requestId?: string] {
  const model = typeof modelVersion === "string" ? modelVersion.replace(/^models\//, "") : asked;
  return typeof responseId === "string" ? [model, responseId] : [model];
}

function blockOf(promptFeedback: unknown): Finish | undefined {
  if (!isJsonObject(promptFeedback)) return undefined;
  const { blockReason, blockReasonMessage } = promptFeedback;
  const raw = wordOf(blockReason) ?? (blockReasonMessage === undefined ? undefined : "");
  return raw === undefined ? undefined : { raw, blocked: true };
}

/** Some gateways send enums as numbers. */
function wordOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function isReadFromChunk(key: string): boolean {
  return key === "candidates" || key === "usageMetadata";
}

function isReadFromCandidate(key: string): boolean {
  return key === "content" || key === "finishReason" || key === "index";
}

function isFirst(candidate: unknown): boolean {
  return isJsonObject(candidate) && (candidate["index"] ?? 0) === 0;
}

function isAnswer(json: unknown): boolean {
  return isJsonObject(json) && (Array.isArray(json["candidates"]) || isJsonObject(json["promptFeedback"]));
}

function unreadable(what: string): ErrorInfo {
  const message = `The answer cannot be read: the server sent ${what}`;
  return errorInfo({ category: "server", message, provider_code: "malformed_frame" });
}
