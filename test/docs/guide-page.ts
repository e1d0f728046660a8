import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../tools/files.mjs";

/** A page of the guide as its reader meets it: blocks to try, one after the other, and what they promise. */
export type Page = {
  readonly path: string;
  /** What the reader is taken to have: providers with a key, local servers, a database. */
  readonly with: readonly string[];
  readonly blocks: readonly Block[];
  /** Blocks nobody can run here, each with the reason that stands beside it. */
  readonly not_run: readonly string[];
};

export type Block = {
  readonly kind: "sh" | "ts" | "json" | "repl";
  readonly line: number;
  readonly text: string;
  /** What it prints. Absent: nothing is said of that. */
  readonly promised?: string;
  /** Where the block is a file of the reader's folder. Settings without a name are the reader's config.json. */
  readonly file?: string;
  /** What a person types meanwhile. */
  readonly typed?: string;
  readonly exit_code: number;
};

/**
 * Reads fenced blocks. What is special about one is said in a comment right before it:
 * `not run: WHY`, `exit code N`, `file: NAME`, `typed: WORDS`; of the whole page `with: NAMES`.
 */
export function readPage(path: string): Page {
  const text = readFileSync(join(root, path), "utf8");
  const blocks: Block[] = [];
  const notRun: string[] = [];
  for (const { language, body, line, notes } of fences(text)) {
    const where = `${path}:${line}`;
    const reason = noteOf(notes, "not run:");
    const last = blocks.at(-1);
    if (reason !== undefined) {
      notRun.push(`${where}: ${reason}`);
    } else if (language === "text") {
      if (last === undefined || last.promised !== undefined) throw new Error(`${where}: output of what?`);
      blocks[blocks.length - 1] = { ...last, promised: body };
    } else {
      blocks.push(blockFrom(where, { language, body, line, notes }));
    }
  }
  return { path, with: noteOf(text, "with:")?.split(" ") ?? [], blocks, not_run: notRun };
}

type Fence = { readonly language: string; readonly body: string; readonly line: number; readonly notes: string };

function* fences(text: string): Generator<Fence> {
  for (const match of text.matchAll(/((?:<!--.*-->\s*)*)^(`{3,})(.*)\n([\s\S]*?)^\2$/gm)) {
    const [, notes = "", , language = "", body = ""] = match;
    const line = text.slice(0, match.index + notes.length).split("\n").length;
    yield { language, body, line, notes };
  }
}

function blockFrom(where: string, { language, body, line, notes }: Fence): Block {
  const kind = kinds.find((known) => known === language);
  if (kind === undefined) throw new Error(`${where}: nobody knows how to run "${language}"; say why with "not run:"`);
  const file = noteOf(notes, "file:");
  const typed = noteOf(notes, "typed:");
  const promised = kind === "ts" ? promisesIn(body) : undefined;
  return {
    kind,
    line,
    text: body,
    exit_code: Number(noteOf(notes, "exit code") ?? 0),
    ...(file === undefined ? {} : { file }),
    ...(typed === undefined ? {} : { typed }),
    ...(promised === undefined ? {} : { promised }),
    ...(kind === "repl" ? conversation(body) : {}),
  };
}

function noteOf(comments: string, name: string): string | undefined {
  return new RegExp(`^<!-- ${name} (.*) -->$`, "m").exec(comments)?.[1];
}

/** `console.log(…); // this` promises to print this. */
function promisesIn(code: string): string | undefined {
  const lines = [...code.matchAll(/console\.log\(.*\);\s+\/\/ (.*)$/gm)].map((match) => match[1] ?? "");
  return lines.length === 0 ? undefined : lines.join("\n");
}

/**
 * What a person types begins with `> `. It is shown again, in one way or another, before what it leads to. What stands before
 * the first of it is only looked at where the page shows it: each block is a program of its own, which says first where it was.
 */
function conversation(body: string): { readonly typed: string; readonly promised: string } {
  const lines = body.split("\n");
  return {
    typed: lines.flatMap((line) => (line.startsWith("> ") ? [`${line.slice(2)}\n`] : [])).join(""),
    promised: [...(body.startsWith("> ") ? ["…"] : []), ...lines.map((line) => line.replace(/^> /, "…"))].join("\n"),
  };
}

/** Whether a text is what was promised. `…` stands for anything in a line; alone in a line, for any lines. */
export function keeps(promised: string, printed: string): boolean {
  const lines = tidy(promised)
    .split("\n")
    .map((line) => (line.trim() === "…" ? "(?:.*\n)*?" : `${line.split("…").map(literal).join(".*")}\n`));
  return new RegExp(`^${lines.join("")}$`).test(`${tidy(printed)}\n`);
}

/** Spaces at the end of a line and empty lines around it all cannot be seen. */
export function tidy(text: string): string {
  return text.replaceAll(/[ \t\r]+$/gm, "").replace(/^\n+|\n+$/g, "");
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

const kinds = ["sh", "ts", "json", "repl"] as const;
