import type { FileHandle } from "node:fs/promises";
import { readdir } from "node:fs/promises";
import { ArgumentProblem, defineTool, readArguments, textIn } from "./arguments.ts";
import { digestOf, pathFor, shownPath } from "./files.ts";
import { openForReading, permittedPath } from "./opened.ts";
import { cutHead, failure, outcomeOf, shownIn, textOutcome } from "./output.ts";
import type { Tool, ToolContext, ToolOutcome } from "./types.ts";

export const fileRead: Tool = {
  definition: defineTool(
    "file_read",
    "Reads a file: text with line numbers (number, tab, line), or an image. Long files come in pages; the result says " +
      "how to read on. Read a file before you change it.",
    {
      path: { type: "string", says: "Absolute, or relative to the working folder." },
      offset: { type: "integer", says: "The first line, counted from 1.", optional: true },
      limit: { type: "integer", says: "How many lines at most; 2000 where left out.", optional: true },
    },
  ),
  intent(args, context) {
    const path = textIn(args, "path");
    if (path === undefined) return { effect: "unknown", summary: "read a file that is not named" };
    const absolute = pathFor(path, context);
    return { effect: "read", paths: [absolute], summary: `read ${shownPath(absolute, context)}` };
  },
  run: (args, context) =>
    outcomeOf(context.signal, async () => {
      const read = readArguments(args);
      const path = pathFor(read.text("path"), context);
      const real = permittedPath(path, context);
      const range = { offset: Math.max(read.wholeOr("offset", 1), 1), limit: read.wholeOr("limit", linesMax) };
      if (range.limit === 0) throw new ArgumentProblem('"limit" must be at least 1.');
      const handle = await openForReading(real);
      try {
        return await readOpened(handle, { path, real, ...range }, context);
      } finally {
        await handle.close();
      }
    }),
};

type Wanted = { readonly path: string; readonly real: string; readonly offset: number; readonly limit: number };

async function readOpened(handle: FileHandle, wanted: Wanted, context: ToolContext): Promise<ToolOutcome> {
  const { path, real } = wanted;
  const facts = await handle.stat();
  if (facts.isDirectory()) return failure(await folderText(wanted));
  if (!facts.isFile()) return failure(`${path}: is not a file but a device, a pipe or a socket.`);
  const start = Buffer.alloc(8192);
  const { bytesRead } = await handle.read(start, 0, start.length, 0);
  const head = start.subarray(0, bytesRead);
  const media_type = imageType(head);
  if (media_type !== undefined) return readImage(handle, { path, media_type, bytes: facts.size });
  if (head.includes(0)) return failure(`${path}: is binary, ${facts.size} bytes. Look at it with a program (bash).`);
  if (facts.size > textBytesMax) {
    return failure(`${path}: ${facts.size} bytes are too many to read. Use grep, or bash with sed -n 'FROM,TOp'.`);
  }
  const bytes = Buffer.alloc(facts.size);
  const read = await handle.read(bytes, 0, bytes.length, 0);
  const whole = bytes.subarray(0, read.bytesRead);
  context.files.remember(real, digestOf(whole));
  return page(whole.toString("utf8"), { ...wanted, bytes: shownIn(context) });
}

function page(text: string, { path, offset, limit, bytes }: Wanted & { readonly bytes: number }): ToolOutcome {
  if (text === "") return textOutcome("[The file is empty.]", { lines: 0 });
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  if (offset > lines.length) return failure(`${path}: has ${lines.length} lines; there is no line ${offset}.`);
  const chosen = lines.slice(offset - 1, offset - 1 + limit);
  const numbered = chosen.map((line, index) => `${offset + index}\t${shortened(line)}`);
  const shown = fitting(numbered, bytes);
  const last = offset + shown.length - 1;
  const rest =
    last < lines.length ? `[Lines ${offset} to ${last} of ${lines.length}. Read on with offset ${last + 1}.]` : "";
  return textOutcome([...shown, ...(rest === "" ? [] : [rest])].join("\n"), {
    lines: lines.length,
    from: offset,
    to: last,
  });
}

/** As many lines as the model may see; one at least, cut if it has to be. */
function fitting(lines: readonly string[], bytesMax: number): readonly string[] {
  let bytes = 0;
  const end = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > bytesMax);
  if (end === -1) return lines;
  return end === 0 ? lines.slice(0, 1).map((line) => cutHead(line, bytesMax)) : lines.slice(0, end);
}

function shortened(line: string): string {
  if (line.length <= lineCharactersMax) return line;
  return `${line.slice(0, lineCharactersMax)}[… ${line.length - lineCharactersMax} more characters in this line]`;
}

type Image = { readonly path: string; readonly media_type: string; readonly bytes: number };

async function readImage(handle: FileHandle, { path, media_type, bytes }: Image): Promise<ToolOutcome> {
  if (bytes > imageBytesMax)
    return failure(`${path}: an image of ${bytes} bytes; at most ${imageBytesMax} can be shown.`);
  const buffer = Buffer.alloc(bytes);
  await handle.read(buffer, 0, bytes, 0);
  return {
    content: [
      { type: "text", text: `[${path}: ${media_type}, ${bytes} bytes]` },
      { type: "image", media_type, data: buffer.toString("base64") },
    ],
    is_error: false,
    data: { media_type, bytes },
  };
}

/** Models read folders now and then. They are told what is in it, and how to ask better. */
async function folderText({ path, real }: Wanted): Promise<string> {
  const entries = await readdir(real, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted();
  const shown = names.slice(0, folderEntriesMax);
  const more = names.length > shown.length ? `\n… and ${names.length - shown.length} more` : "";
  return `${path}: is a folder. It holds:\n${shown.join("\n")}${more}`;
}

function imageType(head: Buffer): string | undefined {
  return imageStarts.find(({ start, at = 0 }) =>
    head.subarray(at, at + start.length).equals(Buffer.from(start, "latin1")),
  )?.media_type;
}

const linesMax = 2000;
const lineCharactersMax = 2000;
const folderEntriesMax = 200;
const textBytesMax = 64 * 1024 * 1024;
/** The smallest of the providers' limits for one image. */
const imageBytesMax = 5 * 1024 * 1024;

const imageStarts: readonly { readonly start: string; readonly at?: number; readonly media_type: string }[] = [
  { start: "\x89PNG\r\n\x1a\n", media_type: "image/png" },
  { start: "\xff\xd8\xff", media_type: "image/jpeg" },
  { start: "GIF8", media_type: "image/gif" },
  { start: "WEBP", at: 8, media_type: "image/webp" },
];
