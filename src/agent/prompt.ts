import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { TextBlock } from "../core/index.ts";

/** The system prompt of a folder: who is asked, where, and what the project's own instructions say. */
export async function readPrompt(cwd: string, options: { readonly home?: string } = {}): Promise<readonly TextBlock[]> {
  const files = await Promise.all(instructionFiles(cwd, options.home).map(readInstructions));
  const found = files.flatMap((file) => (file === undefined ? [] : [file]));
  return [
    { type: "text", text: `${base}\n\nThe working folder is ${cwd}.` },
    ...found.map(({ path, text }) => ({
      type: "text" as const,
      text: `<instructions path=${JSON.stringify(path)}>\n${text}\n</instructions>`,
    })),
  ];
}

/** A pinned file; undefined where there is none or it is too large to be read with every request. */
export async function readPinned(cwd: string, path: string): Promise<string | undefined> {
  const text = await readText(isAbsolute(path) ? path : resolve(cwd, path));
  return text === undefined || text.length > pinCharactersMax ? undefined : text;
}

/** From the outermost folder to this one: what is nearer is read later and counts more. Not above the home folder. */
export function instructionFiles(cwd: string, home: string | undefined): readonly string[] {
  const folders: string[] = [];
  const inHome = home !== undefined && !relative(home, cwd).startsWith("..") && !isAbsolute(relative(home, cwd));
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    folders.unshift(folder);
    const top = folder === dirname(folder) || folder.split(sep).length > depthMax || (inHome && folder === home);
    if (top) break;
  }
  return folders.flatMap((folder) => [join(folder, "AGENTS.md"), join(folder, ".ikigai", "prompt.md")]);
}

async function readInstructions(path: string): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const text = (await readText(path))?.trim();
  if (text === undefined || text === "") return undefined;
  const cut =
    text.length > instructionsMax
      ? `${text.slice(0, instructionsMax)}\n[cut after ${instructionsMax} characters]`
      : text;
  return { path, text: cut };
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}

const base = [
  "You are an agent of ikigai, a terminal program in which people work with many language models.",
  "Answer in Markdown, briefly and to the point. Where you have tools, use them to find out instead of guessing, say what",
  "you are about to change before you change it, and check that it works. Ask when something that matters is unclear.",
].join(" ");

const instructionsMax = 60_000;
const pinCharactersMax = 400_000;
const depthMax = 64;
