/** Errors as the providers send them: shapes, headers, and one named error for every row of the error matrix. */
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Dialect, ErrorShape } from "./dialect.ts";
import { namedErrors } from "./named-errors.ts";
import { base58, hex, type Random } from "./random.ts";
import type { CustomError, Refusal } from "./types.ts";

export type RenderedError = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
};

export function renderError(refusal: Refusal, dialect: Dialect, random: Random): RenderedError {
  const rendered = shapes[dialect.errors](refusal, random);
  return {
    status: refusal.status,
    headers: {
      ...rendered.headers,
      ...refusal.headers,
      ...(refusal.rule === undefined ? {} : { "x-mock-rule": refusal.rule }),
    },
    body: refusal.body ?? rendered.body,
  };
}

/** A named error of this dialect, or one spelled out by a test. */
export function errorOf(error: string | CustomError, dialect: Dialect): Refusal {
  if (typeof error !== "string") return { message: `A scripted error with status ${error.status}.`, ...error };
  const named = namedErrors[dialect.catalogue]?.[error];
  if (named === undefined) {
    throw new Error(`no error is called "${error}" here; known: ${errorNames(dialect.catalogue).join(", ")}`);
  }
  return named;
}

export function errorNames(catalogue: string): readonly string[] {
  return Object.keys(namedErrors[catalogue] ?? {});
}

export function allErrorNames(): readonly string[] {
  return [...new Set(Object.keys(namedErrors).flatMap(errorNames))].sort();
}

type ShapeMaker = (refusal: Refusal, random: Random) => { headers: Record<string, string>; body: JsonObject };

const shapes: Readonly<Record<ErrorShape, ShapeMaker>> = {
  anthropic(refusal, random) {
    const id = `req_011${random.letters(21, base58)}`;
    const details = refusal.details === undefined ? {} : { details: refusal.details };
    const type = refusal.type ?? anthropicTypes[refusal.status] ?? "api_error";
    return {
      headers: {
        "content-type": "application/json",
        "request-id": id,
        ...(refusal.status < 429 && ![408, 409].includes(refusal.status) ? { "x-should-retry": "false" } : {}),
      },
      body: { type: "error", error: { type, message: refusal.message, ...details }, request_id: id },
    };
  },
  openai(refusal, random) {
    const type = refusal.type ?? (refusal.status >= 500 ? "server_error" : "invalid_request_error");
    return {
      headers: { "content-type": "application/json", "x-request-id": `req_${random.letters(32, hex)}` },
      body: {
        error: { message: refusal.message, type, param: refusal.param ?? null, code: refusal.code ?? null },
      },
    };
  },
  google(refusal) {
    const details = refusal.details === undefined ? {} : { details: refusal.details };
    const status = refusal.type ?? googleStatuses[refusal.status] ?? "UNKNOWN";
    return {
      headers: { "content-type": "application/json; charset=UTF-8", "server-timing": "gfet4t7; dur=51" },
      body: { error: { code: refusal.status, message: refusal.message, status, ...details } },
    };
  },
  code_and_text(refusal, random) {
    const code = refusal.code ?? "Client specified an invalid argument";
    return { headers: jsonHeaders(random), body: { code, error: refusal.message } };
  },
  routed(refusal, random) {
    const metadata = refusal.details === undefined ? {} : { metadata: refusal.details };
    return {
      headers: { "content-type": "application/json", "x-generation-id": `gen-${random.letters(24)}` },
      body: { error: { code: refusal.status, message: refusal.message, ...metadata }, user_id: "user_mock" },
    };
  },
  numbered(refusal, random) {
    const type = refusal.type ?? (refusal.status >= 500 ? "server_error" : "invalid_request_error");
    const param = refusal.param === undefined ? {} : { param: refusal.param };
    return {
      headers: jsonHeaders(random),
      body: { error: { code: refusal.status, message: refusal.message, type, ...param } },
    };
  },
  text_only(refusal, random) {
    return { headers: jsonHeaders(random), body: { error: refusal.message } };
  },
};

function jsonHeaders(random: Random): Record<string, string> {
  return { "content-type": "application/json", "x-request-id": random.letters(32, hex) };
}

const anthropicTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
  422: "invalid_request_error",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

const googleStatuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};
