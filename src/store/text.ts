/**
 * Text as both engines can hold it. PostgreSQL has no U+0000, and neither engine takes half of a surrogate pair; each such
 * unit is written as a mark and four hexadecimal digits, and so is the mark itself. JSON needs none of this: there they
 * are escaped already.
 */
export function encodeText(text: string): string {
  if (text.isWellFormed() && !troublesome.test(text)) return text;
  return text.replace(units, (unit) => mark + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

export function decodeText(stored: string): string {
  if (!stored.includes(mark)) return stored;
  return stored.replace(marked, (_match, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** A code point that Unicode has set aside for such uses: it never stands for a character. */
const mark = "\uFDD0";
// oxlint-disable-next-line no-control-regex -- U+0000 is what this is about
const troublesome = /[\u0000\uFDD0]/;
// oxlint-disable-next-line no-control-regex
const units = /[\u0000\uFDD0]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const marked = /\uFDD0([0-9a-f]{4})/g;
