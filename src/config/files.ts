import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, type JsonObject } from "../core/index.ts";
import { readJson, type ReadJson } from "./json-text.ts";
import { ConfigError, type Problem } from "./problem.ts";

/** What a file holds. Absent is not wrong; anything else that keeps it from being read is a problem to be told later. */
export type ReadFile =
  | { readonly state: "absent" }
  | { readonly state: "read"; readonly text: string; readonly json: ReadJson }
  | { readonly state: "broken"; readonly problem: Problem };

export function readJsonFile(path: string | undefined): ReadFile {
  if (path === undefined) return { state: "absent" };
  const broken = (message: string, place?: Problem["place"]): ReadFile => ({
    state: "broken",
    problem: { severity: "error", source: path, path: [], ...(place === undefined ? {} : { place }), message },
  });
  let bytes: Buffer;
  try {
    if (statSync(path).size > fileBytesMax) return broken(`is larger than ${fileBytesMax} bytes`);
    bytes = readFileSync(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return { state: "absent" };
    return broken(`cannot be read: ${reasons.get(code) ?? code}`);
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) return broken("is not UTF-8 text; save it as UTF-8");
  if (text.trim() === "") return broken("is empty; write {} into it or remove it");
  const read = readJson(text);
  if ("problem" in read) return broken(`not JSON: ${read.problem.message}`, read.problem);
  return { state: "read", text, json: read };
}

/**
 * Whoever reads meanwhile sees the old file or the new one, never half of one, and after a crash one of them is there.
 * A link stays a link: what it points to is replaced.
 */
export function writeFileAtomic(path: string, text: string, mode: number): void {
  makeFolder(dirname(path));
  const target = realPath(path);
  const draft = join(dirname(target), `.${randomBytes(6).toString("hex")}.tmp`);
  const file = openSync(draft, "wx", mode);
  try {
    // The mask of the process may have taken something away, and must not add anything.
    fchmodSync(file, mode);
    writeSync(file, text);
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * Changes a JSON file and leaves the rest of it as it was: other keys, their order, the indentation. `edit` answers
 * undefined where there is nothing to change; the result says whether something was. A file that cannot be read is never
 * written over.
 */
export function editJsonFile(path: string, edit: (value: JsonObject) => JsonObject | undefined, mode: number): boolean {
  if (!existsSync(dirname(path))) {
    if (edit({}) === undefined) return false;
    makeFolder(dirname(path));
  }
  return alone(path, () => editFile(path, edit, mode));
}

function editFile(path: string, edit: (value: JsonObject) => JsonObject | undefined, mode: number): boolean {
  const file = readJsonFile(path);
  if (file.state === "broken") throw new ConfigError([file.problem]);
  const before = file.state === "read" ? file.json.value : {};
  if (!isJsonObject(before)) {
    throw new ConfigError([{ severity: "error", source: path, path: [], message: "does not hold an object" }]);
  }
  const after = edit(before);
  if (after === undefined) return false;
  const indent = file.state === "read" ? indentOf(file.text) : 2;
  writeFileAtomic(path, `${JSON.stringify(after, undefined, indent)}\n`, mode);
  return true;
}

/** One process at a time: between reading and writing nobody else's change may come in. A lock of the dead is taken away. */
function alone<Result>(path: string, work: () => Result): Result {
  const lock = `${realPath(path)}.lock`;
  const until = Date.now() + lockWaitMs;
  while (!tryLock(lock)) {
    if (Date.now() > until) {
      const message = `another program is changing it; if none is, remove ${lock}`;
      throw new ConfigError([{ severity: "error", source: path, path: [], message }]);
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lockPauseMs);
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch (error) {
    // Where no file can be made, writing fails too, and says why.
    if (codeOf(error) !== "EEXIST") return true;
  }
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > lockStaleMs) rmSync(lock, { force: true });
  return false;
}

/** The permission bits of what is there, or undefined where nothing is or the system has none. */
export function modeOf(path: string): number | undefined {
  if (process.platform === "win32") return undefined;
  try {
    return statSync(path).mode & 0o777;
  } catch {
    return undefined;
  }
}

/** Takes away from others what is theirs in a file or folder, and nothing from its owner. */
export function makePrivate(path: string): void {
  const mode = modeOf(path);
  if (mode !== undefined) chmodSync(path, mode & 0o700);
}

export function isPrivate(path: string): boolean {
  return ((modeOf(path) ?? 0) & 0o077) === 0;
}

/**
 * Step by step: where a file system refuses to hold folders (`/proc`), Node's own recursion tries again for ever.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (!existsSync(path)) throw error;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    // Without the mark that some editors put at the beginning.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The first indented line shows how the person indents. */
function indentOf(text: string): string | number {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? 2;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** An edit takes milliseconds; who holds a lock for longer has died with it. */
const lockStaleMs = 5_000;
const lockWaitMs = 10_000;
const lockPauseMs = 5;

const fileBytesMax = 4 * 1024 * 1024;
const reasons: ReadonlyMap<string, string> = new Map([
  ["EACCES", "you may not read it"],
  ["EPERM", "you may not read it"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "a part of its path is no folder"],
  ["ELOOP", "its links go in a circle"],
]);
