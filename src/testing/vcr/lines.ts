/** A recording as it lies on disk: JSON Lines, one file for one scenario. */
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from "../../core/json.ts";
import { RecordingError } from "./error.ts";

export const recordingVersion = 1;

/** The first line. `recorded_against` says who answered: a host, or `emulator`. */
export type HeadLine = {
  readonly type: "recording";
  readonly version: typeof recordingVersion;
  readonly recorded_against: string;
  readonly recorded_at: string;
};

/** A body that is JSON is kept as JSON; the order of its fields says nothing. */
export type RequestLine = {
  readonly type: "request";
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
  readonly body_text?: string;
  readonly body_base64?: string;
};

export type ResponseLine = {
  readonly type: "response";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
};

/** How a body ended: all of it came, the connection broke, or its reader left. */
export type BodyEnd = "whole" | "broken" | "left";
export type EndLine = { readonly type: "end"; readonly how: BodyEnd; readonly message?: string };

/** There was no response at all. */
export type FailureLine = { readonly type: "failure"; readonly message: string; readonly code?: string };

export type Answered = {
  readonly response: ResponseLine;
  /** As they were read: the same bytes in the same pieces. */
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
  readonly end: EndLine;
};
export type Exchange = { readonly request: RequestLine; readonly outcome: Answered | FailureLine };

export function writeRecording(head: HeadLine, exchanges: readonly Exchange[]): string {
  const lines = exchanges.flatMap(({ request, outcome }): readonly object[] => [request, ...outcomeLines(outcome)]);
  return [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

function outcomeLines(outcome: Exchange["outcome"]): readonly object[] {
  if ("type" in outcome) return [outcome];
  return [outcome.response, ...outcome.chunks.map(chunkLine), outcome.end];
}

/** Throws with the place where a file is not what `writeRecording` writes. */
export function readRecording(text: string, file: string): { head: HeadLine; exchanges: readonly Exchange[] } {
  const lines = text
    .split("\n")
    .flatMap((line, index) => (line === "" ? [] : [parseLine(line, `${file}:${index + 1}`)]));
  const [first, ...rest] = lines;
  if (first?.fields["type"] !== "recording" || first.fields["version"] !== recordingVersion) {
    throw new RecordingError(`${file}:1 is not the first line of a recording of version ${recordingVersion}`);
  }
  const head: HeadLine = {
    type: "recording",
    version: recordingVersion,
    recorded_against: first.text("recorded_against"),
    recorded_at: first.text("recorded_at"),
  };
  return { head, exchanges: exchangesOf(rest, file) };
}

/** Text where the bytes are whole characters, base64 where a piece ends inside one or is not text at all. */
function chunkLine(bytes: Uint8Array): { type: "chunk"; text: string } | { type: "chunk"; base64: string } {
  const text = utf8Text(bytes);
  return text === undefined ? { type: "chunk", base64: base64(bytes) } : { type: "chunk", text };
}

export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

type Line = {
  readonly place: string;
  readonly fields: JsonObject;
  readonly text: (field: string) => string;
  readonly strings: (field: string) => Readonly<Record<string, string>>;
};

function exchangesOf(lines: readonly Line[], file: string): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  const waiting = [...lines];
  for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
    const request = requestOf(line);
    const next = waiting.shift();
    if (next?.fields["type"] === "failure") exchanges.push({ request, outcome: failureOf(next) });
    else exchanges.push({ request, outcome: answeredOf(next, waiting, file) });
  }
  return exchanges;
}

function requestOf(line: Line): RequestLine {
  expectType(line, "request");
  const { body, body_text, body_base64 } = line.fields;
  return {
    type: "request",
    method: line.text("method"),
    url: line.text("url"),
    headers: line.strings("headers"),
    ...(body === undefined ? {} : { body }),
    ...(body_text === undefined ? {} : { body_text: line.text("body_text") }),
    ...(body_base64 === undefined ? {} : { body_base64: line.text("body_base64") }),
  };
}

function answeredOf(line: Line | undefined, waiting: Line[], file: string): Answered {
  if (line === undefined) throw new RecordingError(`${file} ends with a request and no response`);
  expectType(line, "response");
  const status = line.fields["status"];
  if (typeof status !== "number") throw new RecordingError(`${line.place}: status must be a number`);
  const response: ResponseLine = { type: "response", status, headers: line.strings("headers") };
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (;;) {
    const next = waiting.shift();
    if (next === undefined) throw new RecordingError(`${file} ends inside a response`);
    if (next.fields["type"] === "chunk") chunks.push(chunkOf(next));
    else return { response, chunks, end: endOf(next) };
  }
}

function chunkOf(line: Line): Uint8Array<ArrayBuffer> {
  if (line.fields["base64"] !== undefined) return new Uint8Array(Buffer.from(line.text("base64"), "base64"));
  return new TextEncoder().encode(line.text("text"));
}

function endOf(line: Line): EndLine {
  expectType(line, "end");
  const how = bodyEnds.find((word) => word === line.fields["how"]);
  if (how === undefined) throw new RecordingError(`${line.place}: how must be one of ${bodyEnds.join(", ")}`);
  return { type: "end", how, ...(line.fields["message"] === undefined ? {} : { message: line.text("message") }) };
}

function failureOf(line: Line): FailureLine {
  const code = line.fields["code"] === undefined ? {} : { code: line.text("code") };
  return { type: "failure", message: line.text("message"), ...code };
}

function expectType(line: Line, type: string): void {
  if (line.fields["type"] === type) return;
  throw new RecordingError(`${line.place}: a line of type ${type} belongs here, not ${String(line.fields["type"])}`);
}

function parseLine(line: string, place: string): Line {
  const fields = parseJson(line);
  if (!isJsonObject(fields)) throw new RecordingError(`${place} is not a JSON object`);
  const text = (field: string): string => {
    const value = fields[field];
    if (typeof value !== "string") throw new RecordingError(`${place}: ${field} must be a text`);
    return value;
  };
  const strings = (field: string): Readonly<Record<string, string>> => {
    const value = fields[field];
    if (!isJsonObject(value)) throw new RecordingError(`${place}: ${field} must be an object`);
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, String(entry)]));
  };
  return { place, fields, text, strings };
}

/** Without `ignoreBOM` the first bytes of a body that begins with one would be lost. */
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const bodyEnds: readonly BodyEnd[] = ["whole", "broken", "left"];
