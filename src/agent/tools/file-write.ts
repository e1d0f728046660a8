import { defineTool, readArguments, textIn } from "./arguments.ts";
import { applyChange, digestOf, pathFor, readWhole, shownPath, unifiedDiff } from "./files.ts";
import { failure, outcomeOf, textOutcome } from "./output.ts";
import type { Tool } from "./types.ts";

export const fileWrite: Tool = {
  definition: defineTool(
    "file_write",
    "Writes a whole file, with its folders. A file that exists must have been read before; for a change in a part of " +
      "one, use file_edit.",
    {
      path: { type: "string", says: "Absolute, or relative to the working folder." },
      content: { type: "string", says: "Everything the file is to hold." },
    },
  ),
  intent(args, context) {
    const path = textIn(args, "path");
    if (path === undefined) return { effect: "unknown", summary: "write a file that is not named" };
    const absolute = pathFor(path, context);
    return { effect: "write", paths: [absolute], summary: `write ${shownPath(absolute, context)}` };
  },
  async preview(args, context) {
    const read = readArguments(args);
    const path = pathFor(read.text("path"), context);
    const { bytes } = await readWhole(path, context);
    return unifiedDiff(shownPath(path, context), bytes, Buffer.from(read.text("content")));
  },
  run: (args, context) =>
    outcomeOf(context.signal, async () => {
      const read = readArguments(args);
      const path = pathFor(read.text("path"), context);
      const after = Buffer.from(read.text("content"));
      const { real, bytes: before } = await readWhole(path, context);
      if (before !== null) {
        const seen = context.files.seen(real);
        if (seen === undefined) return failure(`${path}: exists. Read it before you write over it.`);
        if (seen.digest !== digestOf(before)) return failure(`${path}: changed since you read it. Read it again.`);
        if (before.equals(after)) return textOutcome(`${path}: holds exactly that already; nothing was changed.`);
      }
      const data = await applyChange({ path, real, before, after }, context);
      return textOutcome(`${before === null ? "Created" : "Wrote"} ${path} (${after.length} bytes).`, data);
    }),
};
