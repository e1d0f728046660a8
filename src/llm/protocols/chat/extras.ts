import { isJsonObject, type JsonObject, type JsonValue } from "../../../core/index.ts";

/** Gathers what an answer says besides its content: who served it, citations, log probabilities, filters. */
export type Extras = {
  readonly chunk: (chunk: JsonObject) => void;
  readonly choice: (choice: JsonObject) => void;
  readonly message: (message: JsonObject) => void;
  readonly data: () => JsonObject | undefined;
};

export function createExtras(): Extras {
  const found = new Map<string, JsonValue>();
  const lists = new Map<string, JsonValue[]>();
  const logprobs = new Map<string, JsonValue[]>();
  const keep = (key: string, value: JsonValue | undefined): void => {
    if (!isEmpty(value)) found.set(key, value);
  };
  return {
    chunk(chunk) {
      for (const key in chunk) if (!commonChunkKeys.has(key) && !key.startsWith("x_")) keep(key, chunk[key]);
    },
    choice(choice) {
      for (const key in choice) if (!commonChoiceKeys.has(key)) keep(key, choice[key]);
      if (isJsonObject(choice["logprobs"])) {
        for (const [key, value] of Object.entries(choice["logprobs"])) append(logprobs, key, value);
      }
    },
    message(message) {
      for (const key of messageLists) append(lists, key, message[key]);
    },
    data() {
      for (const [key, list] of lists) found.set(key, list);
      if (logprobs.size > 0) found.set("logprobs", Object.fromEntries(logprobs));
      return found.size === 0 ? undefined : Object.fromEntries(found);
    },
  };
}

function append(lists: Map<string, JsonValue[]>, key: string, value: unknown): void {
  if (!Array.isArray(value) || value.length === 0) return;
  const list = lists.get(key) ?? [];
  for (const entry of value) list.push(entry);
  lists.set(key, list);
}

function isEmpty(value: JsonValue | undefined): value is undefined | null {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Read elsewhere, or padding. */
const commonChunkKeys: ReadonlySet<string> = new Set([
  "object",
  "created",
  "model",
  "choices",
  "usage",
  "error",
  "obfuscation",
  "p",
]);
const commonChoiceKeys: ReadonlySet<string> = new Set([
  "index",
  "delta",
  "message",
  "finish_reason",
  "logprobs",
  "error",
  "usage",
  "text",
  "token_ids",
]);
const messageLists = ["annotations", "executed_tools", "images"];
