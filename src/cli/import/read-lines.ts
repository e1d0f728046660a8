import { UsageError } from "../io.ts";

/** A line of a file, and which one. */
export type FileLine = { readonly number: number; readonly value: unknown };

/**
 * The values of a file of JSON Lines, one at a time. Lines end with U+000A and with nothing else: readers that also take
 * U+2028 for an end would cut a text in two.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array | string>,
  name: string,
): AsyncGenerator<FileLine, void, undefined> {
  let number = 0;
  for await (const bytes of splitLines(chunks)) {
    number += 1;
    const fail = (reason: string): UsageError => new UsageError(`${name}, line ${number}: ${reason}`);
    if (bytes === "too long") throw fail(`longer than ${lineBytesMax} bytes`);
    const text = decode(bytes);
    if (text === undefined) throw fail("not UTF-8");
    if (text.trim() === "") continue;
    yield { number, value: parse(text, fail) };
  }
}

async function* splitLines(
  chunks: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Buffer | "too long", void, undefined> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let rest =
      typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      yield Buffer.concat([...pieces, rest.subarray(0, end)]);
      rest = rest.subarray(end + 1);
      pieces = [];
      length = 0;
    }
    pieces.push(rest);
    length += rest.length;
    if (length > lineBytesMax) yield "too long";
  }
  if (length > 0) yield Buffer.concat(pieces);
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string, fail: (reason: string) => UsageError): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fail("not JSON; the file may have been cut off. What `ikigai export --format jsonl` writes can be imported");
  }
}

const newline = 0x0a;
/** Above what any line of an export has, and below what one text can hold. */
const lineBytesMax = 256 * 1024 * 1024;
/** Without the mark that some editors put at the beginning. */
const decoder = new TextDecoder("utf-8", { fatal: true });
