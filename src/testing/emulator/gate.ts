/** What every provider checks before it looks at a request: size, key, JSON. */
import type { Rule } from "./exchange.ts";
import { parseJson } from "./json.ts";
import type { Route } from "./route.ts";
import type { EmulatorOptions, Incoming } from "./types.ts";

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
    check({ incoming, route, options }) {
      const optional = route.dialect.key_optional && options.keys === undefined;
      return optional || keyOf(incoming, route) !== "" ? undefined : route.dialect.no_key;
    },
  },
  {
    id: "auth.bad",
    about: "the key is not one of the accepted ones, or one of the bad ones",
    check({ incoming, route, options }) {
      const key = keyOf(incoming, route);
      const known = options.keys === undefined || options.keys.includes(key);
      if (known && !options.bad_keys?.includes(key)) return undefined;
      const { bad_key } = route.dialect;
      return { ...bad_key, message: bad_key.message.replace("{key}", blackened(key)) };
    },
  },
  {
    id: "body.json",
    about: "the body is not a JSON object",
    check({ route, body_text }) {
      if (route.method === "GET") return undefined;
      const value = parseJson(body_text);
      const good = typeof value === "object" && value !== null && !Array.isArray(value);
      return good ? undefined : { status: 400, message: route.dialect.bad_json };
    },
  },
];

/** A key as error messages show it: its ends at most. */
function blackened(key: string): string {
  return key.length < 12 ? "*".repeat(key.length) : `${key.slice(0, 4)}${"*".repeat(8)}${key.slice(-4)}`;
}
