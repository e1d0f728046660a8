/** Server-sent events as the providers write them, with the noise of the real thing. */
import type { JsonValue } from "../../core/json.ts";
import { alphanumeric, type Random } from "./random.ts";

export function namedFrame(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}

export function dataFrame(data: string): string {
  return `data: ${data}\n\n`;
}

export function crlfFrame(data: string): string {
  return `data: ${data}\r\n\r\n`;
}

export function commentFrame(text: string): string {
  return `: ${text}\n\n`;
}

/** Anthropic hides the length of a frame with spaces before the last brace. */
export function paddedJson(value: JsonValue, random: Random | undefined): string {
  const text = JSON.stringify(value);
  if (random === undefined) return text;
  return `${text.slice(0, -1)}${" ".repeat(random.between(0, 15))}}`;
}

/** OpenAI does it with a field. */
export function obfuscation(random: Random | undefined): { obfuscation?: string } {
  return random === undefined ? {} : { obfuscation: random.letters(random.between(0, 15), alphanumeric) };
}
