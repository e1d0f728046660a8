import {
  isJsonObject,
  readOutput,
  textOf,
  type AssistantMessage,
  type JsonValue,
  type OutputFormat,
} from "../core/index.ts";
import type { Answer } from "./answer.ts";
import { removeNulls } from "./schema-nulls.ts";

/** The answer as JSON, without the nulls that a strict schema made the model write for what it left out. */
export function structuredOutput(
  message: AssistantMessage,
  format: OutputFormat,
): Pick<Answer, "output" | "output_error"> {
  return readOutput(textOf(message), format, (parsed): JsonValue => {
    return format.type === "json_schema" && isJsonObject(parsed) ? removeNulls(parsed, format.schema) : parsed;
  });
}
