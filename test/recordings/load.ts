import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { JsonObject } from "../../src/core/index.ts";

/** One recorded exchange, as the folder's INDEX.md describes it. */
export type Recording = {
  readonly id: string;
  readonly source: { readonly repo: string; readonly index: number; readonly notes?: readonly string[] };
  readonly provider: string;
  readonly api: string;
  readonly model: string;
  readonly session: string;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: JsonObject | null;
    readonly elided?: readonly unknown[];
  } | null;
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly sse?: string;
    readonly ndjson?: string;
    readonly text?: string;
  };
  readonly tags: readonly string[];
  readonly finish: readonly string[];
};

export type RecordingFile = { readonly file: string; readonly recording: Recording };

export const recordingsFolder = resolve(
  process.env["IKIGAI_RECORDINGS"] ?? join(import.meta.dirname, "../../../shared/recordings"),
);
export const haveRecordings = existsSync(recordingsFolder);
/** The very recordings the tables here were made from, not others or a part of them. */
export const haveAllRecordings = existsSync(join(recordingsFolder, "manifest.shared.json"));

let loaded: readonly RecordingFile[] | undefined;

/** Every recording of the folder, by path. None where the folder is absent: say so, and skip. */
export function loadRecordings(): readonly RecordingFile[] {
  if (!haveRecordings) return [];
  loaded ??= findFiles(recordingsFolder).map((path) => ({
    file: relative(recordingsFolder, path).replaceAll("\\", "/"),
    recording: parseRecording(readFileSync(path, "utf8")),
  }));
  return loaded;
}

/** One line for the report of a suite: what it read, or why it did not. */
export function recordingsMessage(suite: string): string {
  if (!haveRecordings) {
    return `${suite}: skipped, no recordings at ${recordingsFolder} (set IKIGAI_RECORDINGS to their folder)`;
  }
  return `${suite}: ${loadRecordings().length} recordings from ${recordingsFolder}`;
}

function findFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json") && !entry.name.startsWith("manifest"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function parseRecording(text: string): Recording {
  return JSON.parse(text) as Recording;
}
