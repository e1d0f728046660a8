/** From a path to who is meant: dialect, wire, endpoint, and the model where the path names it. */
import type { Dialect } from "./dialect.ts";
import { dialects } from "./dialects.ts";
import type { Incoming, WireName } from "./types.ts";

export type Endpoint = "create" | "count" | "models" | "model";

export type Route = {
  readonly dialect: Dialect;
  readonly wire: WireName;
  readonly endpoint: Endpoint;
  readonly method: "GET" | "POST";
  /** Where the path names the model (Gemini, `GET /models/{id}`). */
  readonly model?: string;
  /** Where the path says whether to stream (Gemini). */
  readonly stream?: boolean;
};

export function routeOf(incoming: Incoming): Route | undefined {
  for (const dialect of dialects) {
    if (incoming.path.startsWith(`${dialect.prefix}/`)) {
      return match(dialect, incoming.path.slice(dialect.prefix.length), incoming.method);
    }
  }
  // Without a prefix the list of models is ambiguous; only one provider demands a version header.
  const plain = dialects.filter((dialect) => dialect.plain);
  const wanted = incoming.headers["anthropic-version"] === undefined ? plain.toReversed() : plain;
  for (const dialect of wanted) {
    const found = match(dialect, incoming.path, incoming.method);
    if (found !== undefined) return found;
  }
  return undefined;
}

function match(dialect: Dialect, path: string, method: string): Route | undefined {
  for (const row of rows) {
    const found = row.pattern.exec(path);
    if (found === null || row.method !== method || !dialect.wires.includes(row.wire)) continue;
    const [, model, verb] = found;
    return {
      dialect,
      wire: row.wire,
      endpoint: row.endpoint,
      method: row.method,
      ...(model === undefined ? {} : { model: decoded(model) }),
      ...(verb === undefined ? {} : { stream: verb === "streamGenerateContent" }),
    };
  }
  return undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

type Row = {
  readonly method: "GET" | "POST";
  readonly pattern: RegExp;
  readonly wire: WireName;
  readonly endpoint: Endpoint;
};

const rows: readonly Row[] = [
  { method: "POST", pattern: /^\/v1\/messages$/, wire: "messages", endpoint: "create" },
  { method: "POST", pattern: /^\/v1\/messages\/count_tokens$/, wire: "messages", endpoint: "count" },
  { method: "GET", pattern: /^\/v1\/models$/, wire: "messages", endpoint: "models" },
  { method: "GET", pattern: /^\/v1\/models\/([^/]+)$/, wire: "messages", endpoint: "model" },
  { method: "POST", pattern: /^\/v1\/responses$/, wire: "responses", endpoint: "create" },
  { method: "POST", pattern: /^\/v1\/responses\/input_tokens$/, wire: "responses", endpoint: "count" },
  { method: "GET", pattern: /^\/v1\/models$/, wire: "responses", endpoint: "models" },
  { method: "GET", pattern: /^\/v1\/models\/([^/]+)$/, wire: "responses", endpoint: "model" },
  { method: "POST", pattern: /^\/v1\/chat\/completions$/, wire: "chat", endpoint: "create" },
  { method: "GET", pattern: /^\/v1\/models$/, wire: "chat", endpoint: "models" },
  { method: "GET", pattern: /^\/v1\/models\/([^/]+)$/, wire: "chat", endpoint: "model" },
  { method: "GET", pattern: /^\/v1beta\/models$/, wire: "gemini", endpoint: "models" },
  {
    method: "POST",
    pattern: /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/,
    wire: "gemini",
    endpoint: "create",
  },
  { method: "POST", pattern: /^\/v1beta\/models\/([^/:]+):countTokens$/, wire: "gemini", endpoint: "count" },
  { method: "GET", pattern: /^\/v1beta\/models\/([^/:]+)$/, wire: "gemini", endpoint: "model" },
];
