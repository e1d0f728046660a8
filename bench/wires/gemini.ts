import type { Part } from "../traffic.ts";
import { seal } from "./frames.ts";

/** Gemini: CRLF, a blank after every colon, the counts repeated on every chunk, a call whole in one of them. */
export function geminiFrames(parts: readonly Part[], model: string): readonly string[] {
  const frames: string[] = [];
  const push = (part: object, finish: object = {}): void => {
    const candidate = { content: { parts: [part], role: "model" }, ...finish, index: 0 };
    const usageMetadata = {
      promptTokenCount: 131,
      candidatesTokenCount: frames.length,
      totalTokenCount: 226 + frames.length,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 131 }],
      thoughtsTokenCount: 95,
    };
    const chunk = {
      candidates: [candidate],
      usageMetadata,
      modelVersion: model,
      responseId: "B94haYr_OovWjMcPjJy_6Qk",
    };
    frames.push(`data: ${spaced(chunk)}\r\n\r\n`);
  };
  for (const { kind, deltas } of parts) {
    if (kind === "text") for (const text of deltas) push({ text });
    else if (kind === "thinking") for (const text of deltas) push({ text, thought: true });
    else push({ functionCall: { name: "write_file", args: JSON.parse(deltas.join("")) }, thoughtSignature: seal(700) });
  }
  push({ text: "" }, { finishReason: "STOP" });
  return frames;
}

/** JSON as this server prints it: a blank after each colon between a name and its value. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
    .join(",")}}`;
}
