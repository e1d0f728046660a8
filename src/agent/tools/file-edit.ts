import type { JsonObject } from "../../core/index.ts";
import { ArgumentProblem, defineTool, readArguments, textIn } from "./arguments.ts";
import { applyChange, digestOf, pathFor, readWhole, shownPath, unifiedDiff } from "./files.ts";
import { failure, outcomeOf, textOutcome } from "./output.ts";
import type { Tool } from "./types.ts";

export const fileEdit: Tool = {
  definition: defineTool(
    "file_edit",
    "Replaces text in a file that you have read. old_text must stand in the file exactly so, with its blanks and line " +
      "ends and without line numbers, and exactly once unless all is true.",
    {
      path: { type: "string", says: "Absolute, or relative to the working folder." },
      old_text: { type: "string", says: "What stands there now." },
      new_text: { type: "string", says: "What is to stand there." },
      all: { type: "boolean", says: "Replace every occurrence.", optional: true },
    },
  ),
  intent(args, context) {
    const path = textIn(args, "path");
    if (path === undefined) return { effect: "unknown", summary: "edit a file that is not named" };
    const absolute = pathFor(path, context);
    return { effect: "write", paths: [absolute], summary: `edit ${shownPath(absolute, context)}` };
  },
  async preview(args, context) {
    const read = readArguments(args);
    const path = pathFor(read.text("path"), context);
    const { bytes: before } = await readWhole(path, context);
    const text = before?.toString("utf8") ?? "";
    const edited = replaced(text, editFrom(args));
    // What cannot be done will fail; it is shown all the same what was wanted.
    const [old, now] = "problem" in edited ? [read.text("old_text"), read.text("new_text")] : [text, edited.text];
    return unifiedDiff(shownPath(path, context), Buffer.from(old), Buffer.from(now));
  },
  run: (args, context) =>
    outcomeOf(context.signal, async () => {
      const read = readArguments(args);
      const path = pathFor(read.text("path"), context);
      const { real, bytes: before } = await readWhole(path, context);
      if (before === null) return failure(`${path}: there is no such file. Create it with file_write.`);
      const seen = context.files.seen(real);
      if (seen === undefined) return failure(`${path}: read it before you edit it.`);
      if (seen.digest !== digestOf(before)) return failure(`${path}: changed since you read it. Read it again.`);
      const text = before.toString("utf8");
      if (!Buffer.from(text).equals(before))
        return failure(`${path}: is not UTF-8 text; edit it with a program (bash).`);
      const edited = replaced(text, editFrom(args));
      if ("problem" in edited) return failure(`${path}: ${edited.problem}`);
      const data = await applyChange({ path, real, before, after: Buffer.from(edited.text) }, context);
      const times = edited.count === 1 ? "" : ` in ${edited.count} places`;
      return textOutcome(`Edited ${path}${times}.`, { ...data, replaced: edited.count });
    }),
};

type Edit = { readonly from: string; readonly to: string; readonly all: boolean };
type Edited = { readonly text: string; readonly count: number } | { readonly problem: string };

function editFrom(args: JsonObject): Edit {
  const read = readArguments(args);
  return { from: read.text("old_text"), to: read.text("new_text"), all: read.flag("all") };
}

function replaced(text: string, edit: Edit): Edited {
  if (edit.from === "") throw new ArgumentProblem('"old_text" is empty. To create a file use file_write.');
  if (edit.from === edit.to) throw new ArgumentProblem('"old_text" and "new_text" are the same.');
  // Models write \n; a file whose lines end in \r\n keeps doing so.
  const { from, to } = text.includes(edit.from) || !text.includes("\r\n") ? edit : withCarriageReturns(edit);
  const parts = text.split(from);
  const count = parts.length - 1;
  if (count === 0) return { problem: notFound(text, edit.from) };
  if (count > 1 && !edit.all) {
    return {
      problem: `old_text stands there ${count} times (lines ${linesOf(parts, from)}). Give more around it, or all: true.`,
    };
  }
  return { text: parts.join(to), count };
}

function withCarriageReturns({ from, to, all }: Edit): Edit {
  const carried = (text: string): string => text.replace(/\r?\n/g, "\r\n");
  return { from: carried(from), to: carried(to), all };
}

/** Where only the blanks differ, that is worth a hint. */
function notFound(text: string, wanted: string): string {
  const bare = (line: string): string => line.trim().replace(/\s+/g, " ");
  const first = wanted
    .split("\n")
    .map(bare)
    .find((line) => line !== "");
  const near = first === undefined ? -1 : text.split("\n").findIndex((line) => bare(line) === first);
  const hint = near === -1 ? "" : ` Line ${near + 1} is like its beginning: compare blanks and what follows.`;
  return `old_text does not stand there.${hint} Read the file again and copy it exactly.`;
}

function linesOf(parts: readonly string[], wanted: string): string {
  const height = wanted.split("\n").length - 1;
  let end = 1;
  const starts = parts.slice(0, -1).map((part) => {
    const start = end + part.split("\n").length - 1;
    end = start + height;
    return start;
  });
  const shown = starts.slice(0, 10).join(", ");
  return starts.length > 10 ? `${shown} …` : shown;
}
