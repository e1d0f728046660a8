/** Thinking as a router passes it on: entries in the format of whoever made it, sealed so that they can go back. */
import type { JsonObject } from "../../../../core/json.ts";
import { has, textOf } from "../../json.ts";
import { hex, type Random } from "../../random.ts";
import type { Claim } from "../../signatures.ts";
import type { ThinkingBlock } from "../../turn.ts";
import type { ChatContext } from "./read.ts";

type Format = {
  readonly vendor: string;
  readonly format: string;
  readonly text: "reasoning.text" | "reasoning.summary";
  readonly seal: "signature" | "encrypted" | "none";
};

/** The entries of one piece of text. */
export function textDetail(context: ChatContext, index: number, text: string): JsonObject {
  const { format, text: type } = formatOf(context);
  return { type, [type === "reasoning.text" ? "text" : "summary"]: text, format, index };
}

/** The entry that closes a block: its signature, or the whole of it encrypted. */
export function sealDetail(context: ChatContext, block: ThinkingBlock, index: number, random: Random): JsonObject[] {
  const { format, seal } = formatOf(context);
  if (seal === "none") return [];
  const sign = (content: string): string =>
    context.exchange.world.signatures.sign(claimOf(context, seal, content), random.letters(12));
  if (seal === "signature") return [{ type: "reasoning.text", signature: sign(block.text), format, index }];
  return [{ type: "reasoning.encrypted", data: sign(""), format, id: `rs_${random.letters(32, hex)}`, index }];
}

export function isGenuineDetail(context: ChatContext, detail: JsonObject): boolean {
  const { world } = context.exchange;
  if (world.options.signatures === "any") return true;
  const { seal } = formatOf(context);
  if (has(detail, "signature")) {
    const claim = claimOf(context, "signature", textOf(detail["text"]));
    return seal === "signature" && world.signatures.verify(textOf(detail["signature"]), claim) === "good";
  }
  if (detail["type"] !== "reasoning.encrypted") return true;
  return world.signatures.verify(textOf(detail["data"]), claimOf(context, "encrypted", "")) === "good";
}

function claimOf(context: ChatContext, seal: "signature" | "encrypted", content: string): Claim {
  return { shape: "anthropic", kind: `routed ${seal}`, model: context.model.id, content };
}

function formatOf(context: ChatContext): Format {
  const vendor = context.model.id.split("/")[0];
  return formats.find((format) => format.vendor === vendor) ?? unknownFormat;
}

const unknownFormat: Format = { vendor: "", format: "unknown", text: "reasoning.text", seal: "none" };

const formats: readonly Format[] = [
  { vendor: "anthropic", format: "anthropic-claude-v1", text: "reasoning.text", seal: "signature" },
  { vendor: "openai", format: "openai-responses-v1", text: "reasoning.summary", seal: "encrypted" },
  { vendor: "google", format: "google-gemini-v1", text: "reasoning.text", seal: "encrypted" },
  { vendor: "x-ai", format: "xai-responses-v1", text: "reasoning.summary", seal: "encrypted" },
  { vendor: "meta", format: "meta-responses-v1", text: "reasoning.summary", seal: "encrypted" },
];
