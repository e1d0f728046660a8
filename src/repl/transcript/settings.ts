import type { LogEntry } from "../../core/index.ts";
import { beginningOf } from "./pieces.ts";

type Setting = Extract<LogEntry, { readonly kind: "system" | "pin" | "unpin" | "toolset" | "capture" }>;

export function settingText(entry: Setting): string {
  switch (entry.kind) {
    case "system":
      return entry.content === "" ? "no system prompt of your own" : `system prompt: ${inOneLine(entry.content)}`;
    case "pin":
      return `pinned ${entry.content}`;
    case "unpin":
      return entry.content === undefined ? "nothing is pinned any more" : `no longer pinned: ${entry.content}`;
    case "toolset":
      return entry.data.tools.length === 0 ? "no tools" : `tools: ${entry.data.tools.join(", ")}`;
    case "capture":
      return `captured for a child: ${inOneLine(entry.content)}`;
  }
}

function inOneLine(text: string): string {
  return beginningOf(text.replaceAll(/\s+/g, " ").trim(), shownMax);
}

const shownMax = 200;
