import type { JsonObject } from "../../core/index.ts";
import { ArgumentProblem } from "./arguments.ts";
import type { ToolContext, ToolOutcome } from "./types.ts";

/** What a model sees of one result, and what the store keeps of it, in bytes. */
export const shownBytes = 30 * 1024;
export const storedBytes = 1024 * 1024;

/** As this run is set. */
export function shownIn({ shown_bytes = shownBytes }: Pick<ToolContext, "shown_bytes">): number {
  return shown_bytes;
}

export function textOutcome(text: string, data?: JsonObject): ToolOutcome {
  return { content: [{ type: "text", text }], is_error: false, ...(data === undefined ? {} : { data }) };
}

export function failure(text: string, data?: JsonObject): ToolOutcome {
  return { ...textOutcome(text, data), is_error: true };
}

/** Runs a tool so that whatever goes wrong becomes a result the model can act on; only an abort is thrown. */
export async function outcomeOf(signal: AbortSignal, run: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  signal.throwIfAborted();
  try {
    return await run();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ArgumentProblem) return failure(error.message);
    return failure(problemText(error));
  }
}

export function problemText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : reasons[code];
  return reason === undefined ? error.message : `${path === undefined ? "" : `${path}: `}${reason}`;
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/**
 * The beginning and the end of a long text, cut between lines where there are any, with a line between them that says
 * what is missing and how to get it.
 */
export function cutMiddle(text: string, bytesMax: number, readOn: (missing: number) => string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  const head = cutHead(text, Math.floor(bytesMax / 3));
  const tail = tailOf(bytes, Math.floor((bytesMax * 2) / 3));
  const missing = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return `${head}${head.endsWith("\n") ? "" : "\n"}[… ${missing} bytes left out. ${readOn(missing)} …]\n${tail}`;
}

/** The beginning of a text in at most so many bytes: whole characters, and whole lines where it has any. */
export function cutHead(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  const newline = bytes.subarray(0, bytesMax).lastIndexOf(0x0a);
  // A line that is longer than half of the room is cut rather than left out.
  if (newline >= bytesMax / 2) return bytes.toString("utf8", 0, newline + 1);
  let end = bytesMax;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString("utf8", 0, end);
}

function tailOf(bytes: Buffer, bytesMax: number): string {
  let start = bytes.length - bytesMax;
  const newline = bytes.indexOf(0x0a, start);
  if (newline !== -1 && newline < start + bytesMax / 2) start = newline + 1;
  while (isContinuation(bytes[start])) start += 1;
  return bytes.toString("utf8", start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

const reasons: { readonly [code: string]: string } = {
  ENOENT: "there is no such file or folder",
  EACCES: "not permitted by the system",
  EPERM: "not permitted by the system",
  EISDIR: "is a folder",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "exists already",
  ELOOP: "links lead in a circle, or a link is where none was when this was permitted",
  ENAMETOOLONG: "the name is too long",
  ENOSPC: "the disk is full",
  EROFS: "is on a read-only file system",
};
