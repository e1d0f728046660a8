import type { FunctionResponse, FunctionResponsePart, Part } from "@google/genai";
import {
  isTextDocument,
  type AssistantMessage,
  type DocumentBlock,
  type ImageBlock,
  type Message,
  type Note,
  type ToolCallBlock,
  type ToolMessage,
  type ToolResultBlock,
  type UserBlock,
} from "../../../core/index.ts";
import type { Target } from "../../adapter.ts";
import { ownData, signaturePlaceholder } from "./signatures.ts";
import { traitsOf, type GeminiTraits } from "./traits.ts";
import { asPart, type GeminiContent } from "./wire.ts";

export type Contents = { readonly contents: GeminiContent[]; readonly notes: readonly Note[] };

/**
 * Messages as contents of the roles `user` and `model`. Neighbours of one role become one content, which only ever
 * adds to its end, so a longer history begins with the bytes of the shorter one. Tool results stay by themselves.
 */
export function encodeContents(messages: readonly Message[], target: Target): Contents {
  const turn: Turn = { target, traits: traitsOf(target.model), calls: [], placeholders: 0 };
  const contents: GeminiContent[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "user":
        append(contents, "user", message.content.flatMap(userPart));
        break;
      case "assistant":
        turn.calls = message.content.filter((block) => block.type === "tool_call");
        append(contents, "model", modelParts(message, turn));
        break;
      case "tool":
        appendResults(contents, message, turn);
    }
  }
  return { contents, notes: turn.placeholders > 0 ? [placeholderNote] : [] };
}

type Turn = {
  readonly target: Target;
  readonly traits: GeminiTraits;
  /** Calls of the last model turn, which the next results answer. */
  calls: readonly ToolCallBlock[];
  placeholders: number;
};

function append(contents: GeminiContent[], role: "user" | "model", parts: Part[]): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  const open = last?.role === role && !last.parts.some((part) => part.functionResponse !== undefined);
  if (open) last.parts.push(...parts);
  else contents.push({ role, parts });
}

/** Empty text is refused. */
function userPart(block: UserBlock): Part[] {
  if (block.type === "text") return block.text === "" ? [] : [{ text: block.text }];
  const title = block.type === "document" && block.title ? [{ text: `Document: ${block.title}` }] : [];
  return [...title, mediaPart(block)];
}

type Media = ImageBlock | DocumentBlock;

function mediaPart(block: Media): Pick<Part, "inlineData" | "fileData"> {
  const mimeType = mediaType(block);
  if ("data" in block) return { inlineData: { ...mimeType, data: block.data } };
  return { fileData: { ...mimeType, fileUri: block.url } };
}

/** Kinds of text the API has not heard of are still text. */
function mediaType(block: Media): { readonly mimeType?: string } {
  if (block.media_type === undefined) return block.type === "document" ? { mimeType: "application/pdf" } : {};
  const isForeignText = block.type === "document" && isTextDocument(block) && !block.media_type.startsWith("text/");
  return { mimeType: isForeignText ? "text/plain" : block.media_type };
}

/** What a part once carried goes back in the same part and place. Thoughts go back only where they are signed. */
function modelParts(message: AssistantMessage, turn: Turn): Part[] {
  const { target } = turn;
  let calls = 0;
  return message.content.flatMap((block): Part[] => {
    const data = ownData(block.opaque, target) ?? {};
    const bare = Object.keys(data).length === 0;
    switch (block.type) {
      case "provider":
        return bare ? [] : [asPart(data)];
      case "thinking":
        return bare ? [] : [asPart({ text: block.text, thought: true, ...data })];
      case "text":
        if (bare) return block.text === "" ? [] : [{ text: block.text }];
        return [asPart({ text: block.text, ...data })];
      case "tool_call":
        calls += 1;
        return [callPart(block, turn, calls === 1)];
    }
  });
}

function callPart(block: ToolCallBlock, turn: Turn, first: boolean): Part {
  const { id_missing: _missing, ...data } = ownData(block.opaque, turn.target) ?? {};
  const functionCall = { ...idOf(block, turn), name: callName(block.name), args: { ...block.arguments } };
  const unsigned = first && turn.traits.validates_signatures && data["thoughtSignature"] === undefined;
  if (unsigned) turn.placeholders += 1;
  const signature = unsigned ? { thoughtSignature: signaturePlaceholder } : {};
  return { functionCall, ...asPart(data), ...signature };
}

/** In a turn this model made, ids go back as they came, or not at all; elsewhere only where ids are understood. */
function idOf(block: ToolCallBlock, { target, traits, calls }: Turn): { id?: string } {
  const made = calls.some((call) => ownData(call.opaque, target) !== undefined);
  const missing = ownData(block.opaque, target)?.["id_missing"] === true;
  return (made && !missing) || (!made && traits.function_call_ids) ? { id: block.id } : {};
}

/** Other providers allow names that would be refused here. */
function callName(name: string): string {
  const legal = name.replace(/[^A-Za-z0-9_.:-]/g, "_").slice(0, functionNameLengthMax);
  return /^[A-Za-z_]/.test(legal) ? legal : `_${legal}`.slice(0, functionNameLengthMax);
}

/** One result for each call, in the order of the calls, all in one content. */
function appendResults(contents: GeminiContent[], message: ToolMessage, turn: Turn): void {
  const left = [...message.content];
  const answered = turn.calls.flatMap((call) => {
    const index = left.findIndex((result) => result.tool_call_id === call.id);
    return index === -1 ? [] : left.splice(index, 1).map((result) => ({ call, result }));
  });
  const { images_in_results } = turn.traits;
  contents.push({
    role: "user",
    parts: answered.map(({ call, result }) => {
      const media = images_in_results ? mediaOf(result).map((block): FunctionResponsePart => mediaPart(block)) : [];
      return { functionResponse: responseOf(call, result, { turn, media }) };
    }),
  });
  if (images_in_results) return;
  for (const { call, result } of answered) {
    const media = mediaOf(result);
    if (media.length === 0) continue;
    append(contents, "user", [{ text: `Returned by ${call.name}:` }, ...media.map(mediaPart)]);
  }
}

function responseOf(
  call: ToolCallBlock,
  result: ToolResultBlock,
  { turn, media }: { readonly turn: Turn; readonly media: FunctionResponsePart[] },
): FunctionResponse {
  const texts = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const [first] = mediaOf(result);
  const text = texts.length === 0 && first !== undefined ? `See the ${first.type}.` : texts.join("\n");
  return {
    ...idOf(call, turn),
    name: callName(call.name),
    response: result.is_error ? { error: text } : { output: text },
    ...(media.length > 0 ? { parts: media } : {}),
  };
}

function mediaOf(result: ToolResultBlock): readonly Media[] {
  return result.content.filter((block) => block.type !== "text");
}

const functionNameLengthMax = 128;

const placeholderNote: Note = {
  code: "signature_placeholder",
  message: "Tool calls that this model did not sign are sent with a placeholder in place of a thought signature",
};
