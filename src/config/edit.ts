import { isJsonObject, type JsonObject, type JsonValue } from "../core/index.ts";
import { check } from "./check.ts";
import { editJsonFile, modeOf } from "./files.ts";
import { configShape } from "./keys.ts";
import { ConfigError, type Problem } from "./problem.ts";

/**
 * Sets one key of `config.json`, or takes it away (undefined). Everything else stays as it was, mistakes included. What
 * would be wrong is refused before anything is written.
 */
export function setConfigValue(file: string, path: readonly string[], value: JsonValue | undefined): void {
  changeConfig(file, path, () => value);
}

/** Adds to a list as it is in the file now, which somebody may have changed since it was read. */
export function addConfigItems(file: string, name: string, items: readonly JsonValue[]): void {
  changeConfig(file, [name], ({ [name]: before }) => [...(Array.isArray(before) ? before : []), ...items]);
}

function changeConfig(
  file: string,
  path: readonly string[],
  valueFor: (before: JsonObject) => JsonValue | undefined,
): void {
  const edit = (before: JsonObject): JsonObject => {
    const after = withValue(before, path, valueFor(before));
    const { complaints } = check(configShape, after);
    const wrong = complaints.filter((complaint) => path.every((step, index) => complaint.path[index] === step));
    if (wrong.length > 0) {
      throw new ConfigError(
        wrong.map(({ path: place, message }): Problem => ({ severity: "error", source: file, path: place, message })),
      );
    }
    return after;
  };
  editJsonFile(file, edit, modeOf(file) ?? readableMode);
}

function withValue(object: JsonObject, path: readonly string[], value: JsonValue | undefined): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return object;
  const { [name]: before, ...others } = object;
  const inside = rest.length === 0 ? value : withValue(isJsonObject(before) ? before : {}, rest, value);
  // A key keeps its place among the others.
  return inside === undefined ? others : { ...object, [name]: inside };
}

/** There is nothing in it that others may not see. */
const readableMode = 0o644;
