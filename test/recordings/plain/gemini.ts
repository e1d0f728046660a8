import type { JsonObject } from "../../../src/core/index.ts";
import type { Recording } from "../load.ts";
import { framesOf, sealedIn, usageOf, type PlainUsage, type Reading } from "./reading.ts";

type PartialArg = { jsonPath: string; stringValue?: string };
type FunctionCall = {
  id?: string;
  name?: string;
  args?: JsonObject;
  partialArgs?: PartialArg[];
  willContinue?: boolean;
};
type Part = { text?: string; thought?: boolean; thoughtSignature?: string; functionCall?: FunctionCall };
type WireUsage = {
  promptTokenCount?: number;
  toolUsePromptTokenCount?: number;
  cachedContentTokenCount?: number;
  candidatesTokenCount?: number;
  thoughtsTokenCount?: number;
  totalTokenCount?: number;
};
type Frame = {
  candidates?: { index?: number; content?: { parts?: Part[] } | null; finishReason?: string | number }[];
  promptFeedback?: { blockReason?: string };
  usageMetadata?: WireUsage;
  error?: unknown;
};
type OpenCall = { id?: string; name: string; arguments: { [name: string]: string | JsonObject[string] } };

/** Gemini generateContent, first candidate: parts in order, text appended by kind, the last counted usage holds. */
export function readGemini(response: Recording["response"]): Reading {
  const parts: Part[] = [];
  let usage: WireUsage | undefined;
  let raw_finish = "";
  let failed = false;
  for (const frame of framesOf<Frame>(response)) {
    const candidate = frame.candidates?.[0];
    parts.push(...(candidate?.content?.parts ?? []));
    // Vertex sends `trafficType` alone until the end.
    if (Object.keys(frame.usageMetadata ?? {}).some((key) => key.endsWith("TokenCount"))) usage = frame.usageMetadata;
    if (candidate?.finishReason !== undefined) raw_finish = String(candidate.finishReason);
    if (frame.promptFeedback?.blockReason) raw_finish = frame.promptFeedback.blockReason;
    if (frame.error) failed = true;
  }
  return {
    text: parts.map((part) => (part.thought ? "" : (part.text ?? ""))).join(""),
    thinking: parts.map((part) => (part.thought ? (part.text ?? "") : "")).join(""),
    tool_calls: readCalls(parts.flatMap((part) => part.functionCall ?? [])),
    usage: usage ? readUsage(usage) : null,
    raw_finish,
    sealed: parts.flatMap(sealedIn),
    refused: false,
    failed,
  };
}

/** A name starts a call; what has none continues the last one. All recorded partial arguments are `$.name` strings. */
function readCalls(given: readonly FunctionCall[]): readonly OpenCall[] {
  const calls: OpenCall[] = [];
  for (const { id, name, args, partialArgs } of given) {
    if (name !== undefined) calls.push({ ...(id ? { id } : {}), name, arguments: { ...args } });
    const open = calls.at(-1);
    for (const { jsonPath, stringValue } of partialArgs ?? []) {
      const key = jsonPath.replace("$.", "");
      if (open) open.arguments[key] = `${open.arguments[key] ?? ""}${stringValue ?? ""}`;
    }
  }
  return calls;
}

function readUsage(usage: WireUsage): PlainUsage {
  const cache_read_tokens = usage.cachedContentTokenCount ?? 0;
  return usageOf(
    {
      input_tokens: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0) - cache_read_tokens,
      cache_read_tokens,
      cache_write_tokens: 0,
      output_tokens: usage.candidatesTokenCount ?? 0,
      thinking_tokens: usage.thoughtsTokenCount ?? 0,
    },
    usage.totalTokenCount,
  );
}
