/** A script with a mistake fails where it is handed over, not where it is used. */
import { isJsonObject } from "../../core/json.ts";
import { allErrorNames } from "./errors.ts";
import { faultKinds } from "./faults.ts";
import type { ScriptEntry } from "./types.ts";

export function checkedScript(entries: readonly unknown[]): readonly ScriptEntry[] {
  return entries.map((entry, index) => {
    const problem = problemOf(entry);
    if (problem !== undefined) throw new Error(`script entry ${index}: ${problem}`);
    if (!isEntry(entry)) throw new Error(`script entry ${index}: not an entry`);
    return entry;
  });
}

function problemOf(entry: unknown): string | undefined {
  if (!isJsonObject(entry)) return "not an object";
  for (const [name, fields] of Object.entries(knownFields)) {
    const part: unknown = name === "entry" ? entry : entry[name];
    if (!isJsonObject(part)) continue;
    const unknown = Object.keys(part).find((field) => !fields.includes(field));
    if (unknown !== undefined) return `${name} has no field "${unknown}"; known: ${fields.join(", ")}`;
  }
  return faultProblem(entry["fault"]) ?? errorProblem(entry["error"]);
}

function faultProblem(fault: unknown): string | undefined {
  if (fault === undefined) return undefined;
  const kind: unknown = isJsonObject(fault) ? fault["kind"] : fault;
  const known: readonly unknown[] = faultKinds;
  return known.includes(kind) ? undefined : `no fault is called "${String(kind)}"; known: ${faultKinds.join(", ")}`;
}

function errorProblem(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  if (isJsonObject(error)) return typeof error["status"] === "number" ? undefined : "error has no status";
  const known: readonly unknown[] = allErrorNames();
  return known.includes(error)
    ? undefined
    : `no error is called "${String(error)}"; known: ${allErrorNames().join(", ")}`;
}

function isEntry(value: unknown): value is ScriptEntry {
  return problemOf(value) === undefined;
}

const knownFields: Readonly<Record<string, readonly string[]>> = {
  entry: ["match", "answer", "error", "fault", "chunk_size", "delay_ms", "times"],
  match: ["wire", "dialect", "model", "text", "pattern", "tool_results", "stream"],
  answer: [
    "thinking",
    "text",
    "tool_calls",
    "refusal",
    "citations",
    "blocks",
    "finish",
    "raw_finish",
    "usage",
    "model",
    "blocked",
  ],
  error: ["status", "message", "type", "code", "headers", "body"],
  fault: ["kind", "after_frames", "after_bytes", "delay_ms", "size", "text", "content_type", "error", "form"],
};
