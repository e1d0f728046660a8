/** What every provider checks before it looks at a request: size, key, JSON. */
import type { ErrorShape } from "./dialects.ts";
import type { Rule } from "./exchange.ts";
import { parseJson } from "./json.ts";
import type { Route } from "./route.ts";
import type { EmulatorOptions, Incoming, Refusal } from "./types.ts";

export type Gate = {
  readonly incoming: Incoming;
  readonly route: Route;
  readonly options: EmulatorOptions;
  readonly body_text: string;
};

/** The key as it was sent, wherever this dialect looks for it. */
export function keyOf(incoming: Incoming, route: Route): string {
  const bearer = /^Bearer\s+(.*)$/i.exec(incoming.headers["authorization"] ?? "")?.[1];
  for (const place of route.dialect.auth) {
    const key = place === "bearer" ? bearer : place === "query" ? incoming.query.get("key") : incoming.headers[place];
    if (key !== undefined && key !== null && key.trim() !== "") return key.trim();
  }
  return "";
}

export const gateRules: readonly Rule<Gate>[] = [
  {
    id: "body.too_large",
    about: "the body is larger than the provider takes (Anthropic: 32 MiB)",
    check({ incoming, route }) {
      if (incoming.body.length <= route.dialect.body_bytes_max) return undefined;
      return { status: 413, message: "Request exceeds the maximum size" };
    },
  },
  {
    id: "auth.missing",
    about: "there is no key",
    check({ incoming, route }) {
      return keyOf(incoming, route) === "" ? missingKey[route.dialect.errors] : undefined;
    },
  },
  {
    id: "auth.bad",
    about: "the key is not one of the accepted ones, or one of the bad ones",
    check({ incoming, route, options }) {
      const key = keyOf(incoming, route);
      const known = options.keys === undefined || options.keys.includes(key);
      return known && !options.bad_keys?.includes(key) ? undefined : badKey(route.dialect.errors, key);
    },
  },
  {
    id: "body.json",
    about: "the body is not a JSON object",
    check({ route, body_text }) {
      if (route.method === "GET") return undefined;
      const value = parseJson(body_text);
      const good = typeof value === "object" && value !== null && !Array.isArray(value);
      return good ? undefined : { status: 400, message: badJson[route.dialect.errors] };
    },
  },
];

const missingKey: Readonly<Record<ErrorShape, Refusal>> = {
  anthropic: { status: 401, message: "x-api-key header is required" },
  openai: {
    status: 401,
    message:
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
      "(i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from " +
      "https://platform.openai.com/account/api-keys.",
  },
  google: {
    status: 403,
    message:
      "Method doesn't allow unregistered callers (callers without established identity). " +
      "Please use API Key or other form of API consumer identity to call this API.",
  },
};

function badKey(shape: ErrorShape, key: string): Refusal {
  if (shape === "anthropic") return { status: 401, message: "invalid x-api-key" };
  if (shape === "google") {
    const reason = {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "API_KEY_INVALID",
      domain: "googleapis.com",
      metadata: { service: "generativelanguage.googleapis.com" },
    };
    return { status: 400, message: "API key not valid. Please pass a valid API key.", details: [reason] };
  }
  const shown = key.length < 12 ? "*".repeat(key.length) : `${key.slice(0, 4)}${"*".repeat(8)}${key.slice(-4)}`;
  const where = "You can find your API key at https://platform.openai.com/account/api-keys.";
  return { status: 401, code: "invalid_api_key", message: `Incorrect API key provided: ${shown}. ${where}` };
}

const badJson: Readonly<Record<ErrorShape, string>> = {
  anthropic: "The request body is not valid JSON: unexpected character: line 1 column 1 (char 0)",
  openai:
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library " +
    "correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
  google: "Invalid JSON payload received. Expected an object key or }.",
};
