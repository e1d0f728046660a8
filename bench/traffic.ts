import { createHash } from "node:crypto";
import { chatFrames } from "./wires/chat.ts";
import { geminiFrames } from "./wires/gemini.ts";
import { messagesFrames } from "./wires/messages.ts";
import { responsesFrames } from "./wires/responses.ts";

export const wires = ["messages", "responses", "chat", "gemini"] as const;
export type Wire = (typeof wires)[number];

/** A run of deltas of one kind. The deltas of `arguments` make one JSON object. */
export type Part = { readonly kind: "thinking" | "text" | "arguments"; readonly deltas: readonly string[] };

/** What a driver understood of an answer: everything of one kind in one string. */
export type Understood = { readonly text: string; readonly thinking: string; readonly arguments: string };

/** Names of answers: `text-20000`, `mix-2000`, `arguments-1048576`. */
export type AnswerName = `${"text" | "mix" | "arguments"}-${number}`;

export const models: { readonly [wire in Wire]: string } = {
  messages: "claude-opus-5-5",
  responses: "gpt-6.1-sol",
  chat: "gpt-5.4-mini",
  gemini: "gemini-4-argon",
};

/** The one tool that answers call and requests declare. */
export const tool = {
  name: "write_file",
  description: "Writes a file",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string" } },
    required: ["path", "content"],
    additionalProperties: false,
  },
} as const;

/** The same bytes for the same name, in this process and in any other. */
export function framesOf(wire: Wire, answer: AnswerName): readonly string[] {
  return renderers[wire](partsOf(wire, answer), models[wire]);
}

export function partsOf(wire: Wire, answer: AnswerName): readonly Part[] {
  const [kind = "", size = ""] = answer.split("-");
  const count = Number(size);
  const write = writer(deltaCharacters[wire]);
  if (kind === "text") return [{ kind: "text", deltas: write(count) }];
  if (kind === "arguments") return [{ kind: "arguments", deltas: argumentPieces(count, 20) }];
  const half = Math.floor(count * 0.4);
  return [
    { kind: "thinking", deltas: write(half) },
    { kind: "text", deltas: write(half) },
    { kind: "arguments", deltas: argumentPieces((count - 2 * half) * 20, 20) },
  ];
}

export function understoodFrom(parts: readonly Part[]): Understood {
  const all = (kind: Part["kind"]): string => parts.flatMap((part) => (part.kind === kind ? part.deltas : [])).join("");
  return { text: all("text"), thinking: all("thinking"), arguments: all("arguments") };
}

/** `without`: what a driver has no word for on this wire. */
export function digestOf(understood: Understood, without: readonly (keyof Understood)[] = []): string {
  const kept = (["text", "thinking", "arguments"] as const).map((key) =>
    without.includes(key) ? "" : understood[key],
  );
  return createHash("sha256").update(JSON.stringify(kept)).digest("hex");
}

/** Words of usual length with line ends, quotes, code and, now and then, characters beyond ASCII. */
function writer(characters: number): (count: number) => readonly string[] {
  const random = generator(characters);
  const word = (): string => vocabulary[Math.floor(random() * vocabulary.length)] ?? "";
  return (count) =>
    Array.from({ length: count }, () => {
      let delta = ` ${word()}`;
      const wanted = characters * (0.5 + random());
      while (delta.length < wanted) delta += ` ${word()}`;
      return delta;
    });
}

/** `{"path":"…","content":"…"}`, about `size` characters long, cut into equal pieces. */
function argumentPieces(size: number, length: number): readonly string[] {
  const line = 'const answer = await ask("model", `Größe: ${width} × ${height}`);\n';
  const count = Math.round(size / (JSON.stringify(line).length - 2));
  const text = JSON.stringify({ path: "notes/today.ts", content: line.repeat(count) });
  return Array.from({ length: Math.ceil(text.length / length) }, (_, at) => text.slice(at * length, (at + 1) * length));
}

/** A small generator of numbers from 0 to 1 (mulberry32), so that every run sends the same bytes. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** How long a delta usually is: a token or two with one vendor, a few words or a sentence with the others. */
const deltaCharacters: { readonly [wire in Wire]: number } = { messages: 18, responses: 5, chat: 5, gemini: 75 };

const renderers: { readonly [wire in Wire]: (parts: readonly Part[], model: string) => readonly string[] } = {
  messages: messagesFrames,
  responses: responsesFrames,
  chat: chatFrames,
  gemini: geminiFrames,
};

const vocabulary = (
  "the of and a to in is that it for as was with be by on not he his but at are this have from or had an they which " +
  "one you were her all she there would their we him been has when who will more no if out so said what up its about " +
  "into than them can only other new some could time these two may then do first any my now such like our over man " +
  "even most made after also did many before must through years where much your way well down should because each " +
  "just those people how too little state good very make world still own see men work long get here between both " +
  'function const return value stream tokens request response provider model context **bold** `code` "quoted" it’s ' +
  "naïve — déjà-vu über 日本 🙂 x²\n\n- item\n1. first\n"
).split(" ");
