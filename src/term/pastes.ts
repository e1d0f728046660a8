/** Long pastes by the one character that stands for each of them in the text. */
export type Pastes = { readonly [character: string]: string };

/** Private characters nobody else uses, each one grapheme, so that they move and vanish whole. */
const firstPlaceholder = 0x10f000;
export const placeholders = /[\u{10f000}-\u{10ffff}]/gu;

export function nextPlaceholder(pastes: Pastes): string {
  return String.fromCodePoint(firstPlaceholder + Object.keys(pastes).length);
}

/** What is shown in the place of a paste. */
export function pasteLabel(pastes: Pastes, character: string): string {
  const text = (pastes[character] ?? "").replace(/\n$/, "");
  const number = (character.codePointAt(0) ?? 0) - firstPlaceholder + 1;
  const lines = text.split("\n").length;
  return `[paste ${number}: ${lines === 1 ? `${text.length} characters` : `${lines} lines`}]`;
}

export function expandPastes(text: string, pastes: Pastes): string {
  return text.replace(placeholders, (character) => pastes[character] ?? "");
}
