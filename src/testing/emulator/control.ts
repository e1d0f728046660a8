/** The emulator's own endpoints, for tests in other languages. */
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { dialects } from "./dialects.ts";
import type { LocalEmulator } from "./emulator.ts";
import { errorNames } from "./errors.ts";
import { faultKinds } from "./faults.ts";
import { parseJson } from "./json.ts";
import { jsonReply } from "./respond.ts";
import { ruleList } from "./rules.ts";
import { checkedScript } from "./script-check.ts";
import type { Incoming, Reply } from "./types.ts";

export function isControl(path: string): boolean {
  return path === "/_mock" || path.startsWith("/_mock/");
}

export function control(emulator: LocalEmulator, incoming: Incoming): Reply {
  const action = actions[`${incoming.method} ${incoming.path}`];
  if (action !== undefined) return action(emulator, incoming);
  return jsonReply(404, {}, { error: `no such control; known: ${Object.keys(actions).join(", ")}` });
}

/** Only from this machine, and not through a name that merely points at it (a web page's trick). */
export function isLocal(address: string | undefined, host: string | undefined, origin: string | undefined): boolean {
  const near = address !== undefined && /^(127\.|::1$|::ffff:127\.)/.test(address);
  return near && isLocalName(host ?? "") && (origin === undefined || isLocalName(origin.replace(/^https?:\/\//, "")));
}

function isLocalName(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);
}

type Action = (emulator: LocalEmulator, incoming: Incoming) => Reply;

const actions: Readonly<Record<string, Action>> = {
  "GET /_mock": () => jsonReply(200, {}, overview()),
  "POST /_mock/script": addScript,
  "GET /_mock/requests": (emulator) => jsonReply(200, {}, { requests: emulator.requests() }),
  "POST /_mock/reset": (emulator) => {
    emulator.reset();
    return jsonReply(200, {}, { ok: true });
  },
};

function overview(): JsonObject {
  return {
    controls: Object.keys(actions),
    paths: Object.fromEntries(dialects.map((dialect) => [dialect.name, dialect.prefix])),
    faults: faultKinds,
    errors: Object.fromEntries(dialects.map((dialect) => [dialect.name, errorNames(dialect.catalogue)])),
    rules: ruleList(),
  };
}

/** A list of entries, an object with one in `entries`, or a single entry. */
function addScript(emulator: LocalEmulator, incoming: Incoming): Reply {
  const value = parseJson(new TextDecoder().decode(incoming.body));
  if (value === undefined) return jsonReply(400, {}, { error: "the body is not JSON" });
  const inner = isJsonObject(value) && value["entries"] !== undefined ? value["entries"] : value;
  const entries: readonly unknown[] = Array.isArray(inner) ? inner : [inner];
  try {
    emulator.script(...checkedScript(entries));
  } catch (error) {
    return jsonReply(400, {}, { error: error instanceof Error ? error.message : String(error) });
  }
  return jsonReply(200, {}, { ok: true, waiting: emulator.scripted() });
}
