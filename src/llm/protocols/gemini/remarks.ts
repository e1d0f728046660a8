import { isJsonObject, type JsonObject, type JsonValue } from "../../../core/index.ts";

/** What an answer says about itself besides its content: grounding, citations, ratings, versions. Kept as it came. */
export type Remarks = {
  /** `except`: keys that are read elsewhere. */
  readonly add: (about: JsonObject, except: (key: string) => boolean) => void;
  readonly all: () => JsonObject | undefined;
};

export function createRemarks(): Remarks {
  const remarks = new Map<string, JsonValue>();
  return {
    add(about, except) {
      for (const key in about) {
        const value = except(key) ? undefined : about[key];
        // Interim chunks repeat a key with nothing in it.
        if (value === undefined || isEmpty(value)) continue;
        const before = remarks.get(key);
        remarks.set(key, portioned.has(key) ? joined(before, value) : value);
      }
    },
    all: () => (remarks.size === 0 ? undefined : Object.fromEntries(remarks)),
  };
}

function isEmpty(value: JsonValue): boolean {
  return value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Two portions of one object: lists in it are put end to end. */
function joined(before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (!isJsonObject(before) || !isJsonObject(value)) return value;
  const merged: { [key: string]: JsonValue | undefined } = { ...before };
  for (const [key, inner] of Object.entries(value)) {
    const earlier = merged[key];
    merged[key] = Array.isArray(earlier) && Array.isArray(inner) ? [...earlier, ...inner] : inner;
  }
  return merged;
}

/** Each chunk brings its own; all else comes whole, the last one holding all. */
const portioned: ReadonlySet<string> = new Set(["citationMetadata"]);
