/** From what a script says to what a model with this request would send: shown thinking, pieces, limits, usage. */
import type { JsonObject } from "../../core/json.ts";
import type { Random } from "./random.ts";
import { countTokens, totalTokens, type CacheUse, type Segment } from "./tokens.ts";
import type { Answer, AnswerBlock, Citation, FinishWord, MockRequest, Pieces, ScriptedToolCall } from "./types.ts";

export type ThinkingBlock = {
  readonly type: "thinking";
  readonly pieces: Iterable<string>;
  readonly text: string;
  readonly form: "shown" | "omitted" | "redacted";
};
export type TextBlock = {
  readonly type: "text";
  readonly pieces: Iterable<string>;
  readonly text: string;
  readonly refusal: boolean;
  readonly phase?: "commentary" | "final_answer";
  readonly citations: readonly Citation[];
};
export type CallBlock = {
  readonly type: "tool_call";
  readonly id?: string;
  readonly name: string;
  readonly pieces: Iterable<string>;
  readonly text: string;
  /** The limit fell inside the arguments. */
  readonly cut: boolean;
};
export type TurnBlock = ThinkingBlock | TextBlock | CallBlock;

export type TurnUsage = {
  readonly input: number;
  readonly cache: CacheUse;
  readonly output: number;
  readonly thinking: number;
};

export type Turn = {
  readonly blocks: readonly TurnBlock[];
  readonly finish: FinishWord;
  readonly raw_finish?: string;
  readonly stop_sequence?: string;
  readonly blocked?: string;
  readonly model?: string;
  readonly usage: TurnUsage;
};

export type TurnInput = {
  readonly answer: Answer;
  readonly request: MockRequest;
  readonly segments: readonly Segment[];
  readonly cache: CacheUse;
  readonly random: Random;
  readonly chunk_size?: number;
  /** All of the limit goes into thinking. */
  readonly thinking_eats_limit: boolean;
  /** The last text block never ends. */
  readonly never_ending: boolean;
};

export function planTurn(input: TurnInput): Turn {
  const { answer, request } = input;
  const wanted = blocksOf(answer).filter((block) => request.thinking.on || !block.type.endsWith("thinking"));
  const limited = input.thinking_eats_limit ? eatLimit(request) : limitBlocks(wanted, request);
  const blocks = limited.blocks.map((block) => streamBlock(block, input));
  const calls = blocks.some((block) => block.type === "tool_call");
  const refused = answer.blocked !== undefined || blocks.some((block) => block.type === "text" && block.refusal);
  const natural = refused ? "content_filter" : calls ? "tool_use" : "stop";
  const total = totalTokens(input.segments);
  const cached = input.cache.read + input.cache.written;
  const given = answer.usage ?? {};
  return {
    blocks: input.never_ending ? withoutEnd(blocks) : blocks,
    finish: limited.cut ? "length" : (answer.finish ?? natural),
    ...(answer.raw_finish === undefined ? {} : { raw_finish: answer.raw_finish }),
    ...(limited.stop_sequence === undefined ? {} : { stop_sequence: limited.stop_sequence }),
    ...(answer.blocked === undefined ? {} : { blocked: answer.blocked }),
    ...(answer.model === undefined ? {} : { model: answer.model }),
    usage: {
      input: given.input_tokens ?? Math.max(0, total - cached),
      cache: {
        read: given.cache_read_tokens ?? input.cache.read,
        written: given.cache_write_tokens ?? input.cache.written,
        written_1h: given.cache_write_tokens === undefined ? input.cache.written_1h : 0,
      },
      output: given.output_tokens ?? sumTokens(blocks, ["text", "tool_call"]),
      thinking: given.thinking_tokens ?? limited.thinking_tokens,
    },
  };
}

function blocksOf(answer: Answer): readonly AnswerBlock[] {
  if (answer.blocks !== undefined) return answer.blocks;
  const blocks: AnswerBlock[] = [];
  if (answer.thinking === "redacted") blocks.push({ type: "redacted_thinking" });
  else if (answer.thinking === "omitted") blocks.push({ type: "omitted_thinking" });
  else if (answer.thinking !== undefined) blocks.push({ type: "thinking", text: answer.thinking });
  if (answer.text !== undefined) {
    const cited = answer.citations === undefined ? {} : { citations: answer.citations };
    blocks.push({ type: "text", text: answer.text, ...cited });
  }
  if (answer.refusal !== undefined) blocks.push({ type: "refusal", text: answer.refusal });
  for (const call of answer.tool_calls ?? []) blocks.push({ type: "tool_call", ...call });
  return blocks;
}

type Limited = {
  readonly blocks: readonly LimitedBlock[];
  readonly cut: boolean;
  readonly stop_sequence?: string;
  readonly thinking_tokens: number;
};
type LimitedBlock = { readonly block: AnswerBlock; readonly text: string; readonly cut: boolean };

/** Redacted and omitted thinking has no text here, but the provider counts what it cost. */
const hiddenThinkingTokens = 64;

function limitBlocks(wanted: readonly AnswerBlock[], request: MockRequest): Limited {
  const blocks: LimitedBlock[] = [];
  let left = request.max_tokens;
  let thinking = 0;
  for (const block of wanted) {
    const whole = textOfBlock(block);
    const stop = block.type === "text" ? findStop(whole, request.stop_sequences) : undefined;
    const text = stop === undefined ? whole : whole.slice(0, stop.at);
    const cost = block.type === "redacted_thinking" || block.type === "omitted_thinking" ? hiddenThinkingTokens : 0;
    const tokens = cost + countTokens(text);
    if (block.type.endsWith("thinking")) thinking += Math.min(tokens, left);
    if (tokens > left) {
      if (left > 0) blocks.push({ block, text: wholeCharacters(text.slice(0, left * 4)), cut: true });
      return { blocks, cut: true, thinking_tokens: thinking };
    }
    left -= tokens;
    blocks.push({ block, text, cut: false });
    if (stop !== undefined) return { blocks, cut: false, stop_sequence: stop.sequence, thinking_tokens: thinking };
  }
  return { blocks, cut: false, thinking_tokens: thinking };
}

function eatLimit(request: MockRequest): Limited {
  const text = "Let me think about this from one more side. ".repeat(8);
  const block: AnswerBlock = { type: "thinking", text };
  const blocks = request.thinking.on ? [{ block, text, cut: true }] : [];
  return { blocks, cut: true, thinking_tokens: request.max_tokens };
}

function textOfBlock(block: AnswerBlock): string {
  switch (block.type) {
    case "thinking":
    case "text":
    case "refusal":
      return typeof block.text === "string" ? block.text : block.text.join("");
    case "tool_call":
      return argumentsText(block);
    case "redacted_thinking":
    case "omitted_thinking":
      return "";
  }
}

export function argumentsText(call: ScriptedToolCall): string {
  if (call.arguments === undefined) return "";
  if (typeof call.arguments === "string") return call.arguments;
  return isEmpty(call.arguments) ? "" : JSON.stringify(call.arguments);
}

function isEmpty(value: JsonObject): boolean {
  return Object.keys(value).length === 0;
}

function findStop(text: string, sequences: readonly string[]): { at: number; sequence: string } | undefined {
  let best: { at: number; sequence: string } | undefined;
  for (const sequence of sequences) {
    const at = text.indexOf(sequence);
    if (at >= 0 && (best === undefined || at < best.at)) best = { at, sequence };
  }
  return best;
}

function streamBlock({ block, text, cut }: LimitedBlock, input: TurnInput): TurnBlock {
  switch (block.type) {
    case "redacted_thinking":
      return { type: "thinking", pieces: [], text: "", form: "redacted" };
    case "omitted_thinking":
      return { type: "thinking", pieces: [], text: "", form: "omitted" };
    case "thinking": {
      const shown = input.request.thinking.shown;
      const pieces = shown ? piecesOf(block.text, text, cut, input) : [];
      return { type: "thinking", pieces, text: shown ? text : "", form: shown ? "shown" : "omitted" };
    }
    case "tool_call": {
      const id = block.id === undefined ? {} : { id: block.id };
      return { type: "tool_call", ...id, name: block.name, pieces: piecesOf(text, text, cut, input), text, cut };
    }
    case "text":
    case "refusal": {
      const citations = block.type === "text" ? (block.citations ?? []) : [];
      const phase = block.type === "text" && block.phase !== undefined ? { phase: block.phase } : {};
      const pieces = piecesOf(block.text, text, cut, input);
      return { type: "text", pieces, text, refusal: block.type === "refusal", citations, ...phase };
    }
  }
}

function piecesOf(given: Pieces, text: string, cut: boolean, input: TurnInput): readonly string[] {
  if (typeof given !== "string" && !cut && given.join("") === text) return given;
  return splitText(text, input.random, input.chunk_size);
}

/** Providers never cut inside a character, so neither does this. */
export function splitText(text: string, random: Random, size?: number): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const piece = wholeCharacters(text.slice(start, start + (size ?? random.between(2, 14))));
    const step = piece.length > 0 ? piece : text.slice(start, start + 2);
    pieces.push(step);
    start += step.length;
  }
  return pieces;
}

function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

function withoutEnd(blocks: readonly TurnBlock[]): readonly TurnBlock[] {
  const before = blocks.filter((block) => block.type === "thinking");
  const endless: TextBlock = { type: "text", pieces: forever(), text: "", refusal: false, citations: [] };
  return [...before, endless];
}

function* forever(): Iterable<string> {
  for (let count = 1; ; count++) yield `and ${count} more `;
}

function sumTokens(blocks: readonly TurnBlock[], types: readonly TurnBlock["type"][]): number {
  return blocks.reduce((sum, block) => sum + (types.includes(block.type) ? countTokens(block.text) : 0), 0);
}
