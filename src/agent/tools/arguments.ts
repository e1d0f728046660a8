import type { JsonObject, ToolDefinition } from "../../core/index.ts";

/** Arguments that a model got wrong; the message tells it what to write instead. */
export class ArgumentProblem extends Error {}

/** Reads a call's arguments. Strict providers send `null` for what is absent; models send numbers as text now and then. */
export function readArguments(args: JsonObject): ArgumentReader {
  const absent = (name: string): boolean => args[name] === undefined || args[name] === null;
  const reader: ArgumentReader = {
    has: (name) => !absent(name),
    text(name) {
      const value = args[name];
      if (typeof value !== "string") throw new ArgumentProblem(`"${name}" must be text.`);
      return value;
    },
    textOr: (name, fallback) => (absent(name) || args[name] === "" ? fallback : reader.text(name)),
    wholeOr(name, fallback) {
      if (absent(name)) return fallback;
      const value = typeof args[name] === "string" ? Number(args[name]) : args[name];
      if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
        throw new ArgumentProblem(`"${name}" must be a whole number, not negative.`);
      }
      return value;
    },
    flag(name) {
      const value = args[name];
      if (absent(name) || value === "false") return false;
      if (typeof value === "boolean" || value === "true") return value !== false;
      throw new ArgumentProblem(`"${name}" must be true or false.`);
    },
  };
  return reader;
}

export type ArgumentReader = {
  readonly has: (name: string) => boolean;
  readonly text: (name: string) => string;
  readonly textOr: <Fallback>(name: string, fallback: Fallback) => string | Fallback;
  readonly wholeOr: <Fallback>(name: string, fallback: Fallback) => number | Fallback;
  readonly flag: (name: string) => boolean;
};

/** What an argument is, so that an intent can be told without throwing. */
export function textIn(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

type Property = { readonly type: string; readonly says: string; readonly words?: readonly string[] };

/** A definition from a table. Every schema is an object of scalars, which each provider accepts. */
export function defineTool(
  name: string,
  description: string,
  properties: { readonly [name: string]: Property & { readonly optional?: true } },
): ToolDefinition {
  const entries = Object.entries(properties);
  const required = entries.filter(([, { optional }]) => optional !== true).map(([key]) => key);
  return {
    name,
    description,
    parameters: {
      type: "object",
      properties: Object.fromEntries(
        entries.map(([key, { type, says, words }]) => [
          key,
          { type, description: says, ...(words === undefined ? {} : { enum: words }) },
        ]),
      ),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
  };
}
