import { structuredPatch } from "diff";

/** What became of a file. */
export type FileDiff =
  | { readonly type: "lines"; readonly lines: readonly string[] }
  /** No lines to show: why. */
  | { readonly type: "no_lines"; readonly reason: string };

/** "none": there was, or is, no such file. Undefined: nobody knows any more what it held. */
export function diffFiles(before: Uint8Array | "none" | undefined, after: Uint8Array | "none" | undefined): FileDiff {
  if (before === undefined || after === undefined) return without("what it held is no longer kept");
  const [old, now] = [bytesOf(before), bytesOf(after)];
  const [oldText, newText] = [textFrom(old), textFrom(now)];
  if (oldText === undefined || newText === undefined) return without(`not text: ${old.length} → ${now.length} bytes`);
  if (old.length + now.length > bytesMax) return without(`too long to compare: ${old.length} → ${now.length} bytes`);
  const patch = structuredPatch("", "", oldText, newText, undefined, undefined, { context: 3, maxEditLength });
  if (patch === undefined) return without("too different to compare");
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  return { type: "lines", lines };
}

function without(reason: string): FileDiff {
  return { type: "no_lines", reason };
}

function bytesOf(bytes: Uint8Array | "none"): Uint8Array {
  return bytes === "none" ? new Uint8Array() : bytes;
}

function textFrom(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const bytesMax = 2 * 1024 * 1024;
/** Lines that may be added and removed in all: the work grows with their square. */
const maxEditLength = 4_000;
