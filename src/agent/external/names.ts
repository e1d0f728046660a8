import type { JsonObject } from "../../core/index.ts";
import { isJsonObject } from "../../core/index.ts";
import type { Tool } from "../tools/types.ts";

/** Tools from elsewhere beside our own: none takes a name that is taken, and the reader is told. */
export function withoutClashes(
  own: readonly Tool[],
  others: readonly Tool[],
  reserved: readonly string[] = reservedNames,
): { readonly tools: readonly Tool[]; readonly problems: readonly string[] } {
  const taken = new Set([...reserved, ...own.map(({ definition }) => definition.name)]);
  const problems: string[] = [];
  const kept = others.filter(({ definition: { name } }) => {
    if (taken.has(name)) problems.push(`the tool ${name} is left out: that name is taken`);
    if (taken.has(name)) return false;
    taken.add(name);
    return true;
  });
  return { tools: [...own, ...kept], problems };
}

/** A name that every provider accepts. */
export function toolName(text: string): string {
  return text.replace(/[^\w-]/g, "_").slice(0, nameMax);
}

/** What a stranger calls a schema, as an object of parameters; what is none accepts anything. */
export function cleanSchema(schema: unknown): JsonObject {
  if (!isJsonObject(schema)) return { type: "object", properties: {} };
  const { $schema: _schema, $id: _id, ...rest } = schema;
  const properties = isJsonObject(rest["properties"]) ? rest["properties"] : {};
  return { ...rest, type: "object", properties };
}

export const nameMax = 64;
const reservedNames = [
  "fork",
  "send",
  "wait",
  "kill",
  "bash",
  "file_read",
  "file_write",
  "file_edit",
  "glob",
  "grep",
  "web_fetch",
];
