import type { Recording } from "../load.ts";
import { argumentsOf, framesOf, sealedIn, usageOf, type PlainUsage, type Reading } from "./reading.ts";

type ContentPart = { type: string; text?: string; thinking?: { text?: string }[] };
type Call = {
  index?: number;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | null };
  custom?: { name: string; input: string };
};
type Detail = { type: string; text?: string; summary?: string; signature?: string | null; data?: string };
type Delta = {
  content?: string | null | ContentPart[];
  refusal?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  reasoning_details?: Detail[];
  tool_calls?: Call[] | null;
  function_call?: { name?: string; arguments?: string } | null;
};
type WireUsage = {
  prompt_tokens?: number | null;
  prompt_tokens_details?: { cached_tokens?: number | null; cache_write_tokens?: number | null } | null;
  prompt_cache_hit_tokens?: number | null;
  cached_tokens?: number | null;
  completion_tokens?: number | null;
  completion_tokens_details?: { reasoning_tokens?: number | null } | null;
  total_tokens?: number | null;
};
type Choice = {
  index?: number;
  delta?: Delta;
  message?: Delta;
  finish_reason?: string | null;
  finish_details?: { type: string };
  error?: unknown;
};
type Frame = { choices?: Choice[]; usage?: WireUsage | null; x_groq?: { usage?: WireUsage }; error?: unknown };
type OpenCall = { index: number | undefined; id?: string; name: string; text: string; input?: string };

/** Chat Completions, first choice: append what each delta holds; a whole answer is one delta. */
export function readChat(response: Recording["response"], provider: string): Reading {
  const calls: OpenCall[] = [];
  let text = "";
  let answered = false;
  let thinking = "";
  let raw_finish = "";
  let usage: WireUsage | undefined;
  let failed = false;
  const sealed: string[] = [];
  for (const frame of framesOf<Frame>(response)) {
    usage = frame.usage ?? frame.x_groq?.usage ?? usage;
    const choice = frame.choices?.find((candidate) => (candidate.index ?? 0) === 0);
    if (frame.error || choice?.error) failed = true;
    if (!choice) continue;
    // Perplexity puts both beside each other: the whole message so far in a stream, an empty delta in a whole answer.
    const delta = (response.sse === undefined ? choice.message : choice.delta) ?? {};
    const visible = visibleText(delta.content);
    text += visible + (delta.refusal ?? "");
    if (visible !== "") answered = true;
    thinking += thinkingText(delta);
    for (const call of delta.tool_calls ?? []) addCall(calls, call);
    if (delta.function_call?.name || delta.function_call?.arguments)
      addCall(calls, { index: 0, function: delta.function_call });
    sealed.push(...sealedIn(delta), ...(delta.reasoning_details ?? []).flatMap((detail) => detail.data ?? []));
    raw_finish = choice.finish_reason ?? choice.finish_details?.type ?? raw_finish;
  }
  return {
    text,
    thinking,
    tool_calls: calls.map(({ id, name, text: given, input }) => ({
      ...(id ? { id } : {}),
      name,
      arguments: input === undefined ? argumentsOf(given) : { input },
    })),
    usage: readUsage(usage, provider),
    raw_finish,
    sealed,
    refused: text !== "" && !answered,
    failed,
  };
}

function visibleText(content: Delta["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
}

/** Servers that send two fields send the same text in both. */
function thinkingText(delta: Delta): string {
  const parts = Array.isArray(delta.content) ? delta.content.flatMap((part) => part.thinking ?? []) : [];
  const listed = parts.map((part) => part.text ?? "").join("");
  const details = (delta.reasoning_details ?? []).map((detail) => detail.text ?? detail.summary ?? "").join("");
  return delta.reasoning_content || delta.reasoning || details || listed;
}

/** A new id is a new call, whatever the index says; without one the index decides, and without that the last call. */
function addCall(calls: OpenCall[], { index, id, ...call }: Call): void {
  const same = calls.findLast((open) => index === undefined || open.index === index);
  const name = call.function?.name ?? call.custom?.name ?? "";
  const isNew = same === undefined || (id ? id !== same.id : index === undefined);
  const open = isNew ? { index, ...(id ? { id } : {}), name: "", text: "" } : same;
  if (isNew) calls.push(open);
  if (open.name === "") open.name = name;
  open.text += call.function?.arguments ?? "";
  if (call.custom) Object.assign(open, { input: call.custom.input });
}

function readUsage(usage: WireUsage | undefined, provider: string): PlainUsage | null {
  if (!usage) return null;
  const completion = usage.completion_tokens ?? 0;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  const cache_read_tokens =
    usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? 0;
  const cache_write_tokens = usage.prompt_tokens_details?.cache_write_tokens ?? 0;
  // xAI counts reasoning beside completion tokens, all others inside.
  const thinking_tokens = provider === "xai" ? reasoning : Math.min(completion, reasoning);
  return usageOf(
    {
      input_tokens: (usage.prompt_tokens ?? 0) - cache_read_tokens - cache_write_tokens,
      cache_read_tokens,
      cache_write_tokens,
      output_tokens: provider === "xai" ? completion : completion - thinking_tokens,
      thinking_tokens,
    },
    usage.total_tokens,
  );
}
