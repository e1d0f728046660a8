import type { AssistantBlock, AssistantData, Citation, Hop, Loss, ProviderBlock, Usage } from "../../core/index.ts";
import { callBody } from "./calls.ts";
import { plural } from "./figures.ts";
import type { ItemBody } from "./items.ts";
import type { Part } from "./list.ts";

/** The blocks of an answer, in its order. Streams make parts with the same keys. */
export function answerParts(data: AssistantData, folder: string | undefined): readonly Part[] {
  const { blocks, usage, incomplete = false } = data;
  const tokens = thinkingTokens(blocks, usage);
  const last = blocks.length - 1;
  return blocks.flatMap((block, index): readonly Part[] => {
    const body = blockBody(block, { tokens, cut: incomplete && index === last, folder });
    const sources = block.type === "text" ? citationsText(block.citations ?? []) : "";
    return [
      ...(body === undefined ? [] : [{ key: blockKey(index), body }]),
      ...(sources === "" ? [] : [{ key: citationKey(index), body: { type: "extra", text: sources } as const }]),
    ];
  });
}

export function blockKey(index: number): string {
  return `b${index}`;
}

export function citationKey(index: number): string {
  return `c${index}`;
}

function blockBody(
  block: AssistantBlock,
  {
    tokens,
    cut,
    folder,
  }: { readonly tokens: number | undefined; readonly cut: boolean; readonly folder?: string | undefined },
): ItemBody | undefined {
  switch (block.type) {
    case "text":
      return block.text === "" ? undefined : { type: "text", text: block.text, growing: false, incomplete: cut };
    case "thinking": {
      const sealed = block.text === "";
      return {
        type: "thinking",
        text: block.text,
        growing: false,
        ...(tokens === undefined ? {} : { tokens }),
        sealed,
      };
    }
    case "tool_call":
      return callBody(block, folder);
    case "provider": {
      const text = providerText(block);
      return text === undefined ? undefined : { type: "extra", text };
    }
  }
}

/** Providers count the thinking of an answer, not that of a block. */
function thinkingTokens(blocks: readonly AssistantBlock[], usage: Usage | undefined): number | undefined {
  const count = blocks.filter(({ type }) => type === "thinking").length;
  const tokens = usage?.thinking_tokens ?? 0;
  return count === 1 && tokens > 0 ? tokens : undefined;
}

export function citationsText(citations: readonly Citation[]): string {
  const once = new Map(citations.map(({ url, title }) => [url, title]));
  const shown = [...once].map(([url, title]) => (title === undefined || title === "" ? url : `${title} (${url})`));
  return shown.length === 0 ? "" : `${shown.length === 1 ? "source" : "sources"}: ${shown.join(" · ")}`;
}

/** What a provider did on its own side, as far as it can be told: most of such data is for its maker alone. */
export function providerText({ opaque }: ProviderBlock): string | undefined {
  const { type, name, input, action } = opaque.data;
  if (typeof type !== "string" || !/search|fetch|execution|interpreter|image|server_tool/.test(type)) return undefined;
  const what = typeof name === "string" ? name : type;
  const query = wordIn(input) ?? wordIn(action);
  return `${opaque.provider}: ${what.replaceAll("_", " ")}${query === undefined ? "" : ` "${query}"`}`;
}

function wordIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("query" in value)) return undefined;
  return typeof value.query === "string" ? value.query : undefined;
}

export function hopText({ from, to, error }: Hop): string {
  return `${from} could not answer (${error.category}: ${error.message}); ${to} was asked instead`;
}

/** What the model that answers is not shown of the history; what was only renamed or repaired is left unsaid. */
export function lossesText(losses: readonly Loss[]): string {
  const counts = new Map<string, number>();
  for (const { code } of losses) counts.set(code, (counts.get(code) ?? 0) + 1);
  const said = [...counts].flatMap(([code, number]) => {
    const noun = lossNouns[code];
    return noun === undefined ? [] : [plural(number, noun)];
  });
  return said.length === 0 ? "" : `not shown to this model: ${said.join(", ")}`;
}

const lossNouns: { readonly [code: string]: string | undefined } = {
  foreign_thinking: "foreign thinking block",
  unsigned_thinking: "unsigned thinking block",
  broken_prefix: "outdated thinking block",
  unsupported_block: "attachment",
};
