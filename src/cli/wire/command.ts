import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { ConfigError } from "../../config/index.ts";
import { IkigaiError, project } from "../../llm/index.ts";
import { failed } from "../failed.ts";
import { helpFor } from "../help.ts";
import type { Io } from "../io.ts";
import { announce, openWorld } from "../world.ts";
import { parseConversation } from "./conversation.ts";
import { decodeJson, failedLine, type DecodedLine } from "./decode.ts";
import { looksLikeExchange } from "./exchange.ts";
import { findFiles, readJsonFile, type FoundFile } from "./files.ts";
import { summaryLine } from "./summary.ts";

/** `ikigai wire decode …` and `ikigai wire encode …`. Resolves to the exit code. */
export async function runWire(args: readonly string[], io: Io): Promise<number> {
  const [command, ...rest] = args;
  if (command === "decode") return runDecode(rest, io);
  if (command === "encode") return runEncode(rest, io);
  return wrongUse(io, command === undefined ? "say decode or encode" : `"${command}" is neither decode nor encode`);
}

async function runDecode(args: readonly string[], io: Io): Promise<number> {
  const parsed = parseOptions(args, { json: { type: "boolean" } });
  if ("problem" in parsed) return wrongUse(io, parsed.problem);
  if (parsed.positionals.length === 0) return wrongUse(io, "decode needs at least one file or folder");
  const json = parsed.values["json"] === true;
  const counts = { answers: 0, errors: 0, unreadable: 0 };
  for await (const file of findFiles(parsed.positionals)) {
    for await (const line of decodeFile(file, io)) {
      if (line.ok) counts.answers += 1;
      else if (line.error?.provider_code === unreadableCode) counts.unreadable += 1;
      else counts.errors += 1;
      io.stdout(`${json ? JSON.stringify(line) : summaryLine(line)}\n`);
    }
  }
  const { answers, errors, unreadable } = counts;
  const total = answers + errors + unreadable;
  if (!json) io.stdout(`${total} read: ${answers} answers, ${errors} errors, ${unreadable} unreadable\n`);
  return unreadable > 0 ? 1 : 0;
}

/** A file holds one exchange or an array of them. What a folder holds besides recordings is passed over aloud. */
async function* decodeFile({ path, named }: FoundFile, io: Io): AsyncGenerator<DecodedLine> {
  const file = await readJsonFile(path);
  if ("problem" in file) {
    yield failedLine(path, unreadableCode, `The file cannot be read: ${file.problem}`);
  } else if (!looksLikeExchange(file.json)) {
    if (named) yield await decodeJson(path, file.json);
    else io.stderr(`${path}: passed over, it holds no recorded exchange\n`);
  } else if (Array.isArray(file.json)) {
    for (const [index, json] of file.json.entries()) yield await decodeJson(`${path}#${index}`, json);
  } else {
    yield await decodeJson(path, file.json);
  }
}

async function runEncode(args: readonly string[], io: Io): Promise<number> {
  const parsed = parseOptions(args, { model: { type: "string" }, stream: { type: "boolean" } });
  if ("problem" in parsed) return wrongUse(io, parsed.problem);
  const { model, stream } = parsed.values;
  if (typeof model !== "string") return wrongUse(io, "encode needs --model MODEL[/LEVEL]");
  if (parsed.positionals.length > 0) return wrongUse(io, "encode reads the conversation from its standard input");
  const text = await readText(io.stdin);
  if (text === undefined)
    return wrongUse(io, `the conversation is larger than ${conversationCharactersMax} characters`);
  if (text.trim() === "") return wrongUse(io, "nothing came on standard input; encode reads a conversation from it");
  const read = parseConversation(text);
  if ("problems" in read) {
    for (const problem of read.problems) io.stderr(`ikigai wire: ${problem}\n`);
    return 2;
  }
  for (const warning of read.warnings) io.stderr(`ikigai wire: ${warning}\n`);
  try {
    const world = await openWorld(io);
    announce(world, io);
    const conversation = { max_output_tokens: world.config.get("max_output_tokens"), ...read.conversation };
    const described = await project(conversation, model, { ...world.options(), stream: stream === true });
    io.stdout(`${JSON.stringify(described, undefined, 2)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof IkigaiError || error instanceof ConfigError)) throw error;
    return failed(error, io);
  }
}

type Options = {
  readonly values: { readonly [name: string]: string | boolean | undefined };
  readonly positionals: readonly string[];
};

function parseOptions(
  args: readonly string[],
  options: ParseArgsOptionsConfig,
): Options | { readonly problem: string } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const single = Object.entries(values).filter(([, value]) => !Array.isArray(value));
    return { values: Object.fromEntries(single) as Options["values"], positionals };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

async function readText(stdin: Io["stdin"]): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const piece = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    size += piece.length;
    if (size > conversationCharactersMax) return undefined;
    pieces.push(piece);
  }
  return pieces.join("") + decoder.decode();
}

function wrongUse(io: Io, ...problems: readonly string[]): number {
  for (const problem of problems) io.stderr(`ikigai wire: ${problem}\n`);
  io.stderr(`\n${helpFor("wire")}`);
  return 2;
}

const unreadableCode = "unreadable_file";
const conversationCharactersMax = 256 * 1024 * 1024;
