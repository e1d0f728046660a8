import { checkAgainstSchema } from "./json-schema.ts";
import type { JsonValue } from "./json.ts";
import type { OutputFormat } from "./request.ts";
import type { Problem } from "./validate.ts";

/** Why an answer is not what `output_format` asked for. */
export type OutputError = {
  readonly code: "not_json" | "schema_mismatch";
  readonly message: string;
  readonly problems: readonly Problem[];
};

export type Output = { readonly output: JsonValue } | { readonly output_error: OutputError };

/** Reads an answer as the JSON that was asked for. `clean` looks at what was parsed before it is held to the schema. */
export function readOutput(
  text: string,
  format: OutputFormat,
  clean: (parsed: JsonValue) => JsonValue = (parsed) => parsed,
): Output {
  const parsed = parse(text) ?? parse(unfenced(text));
  if (parsed === undefined) {
    const message = text.trim() === "" ? "The answer holds no JSON: it is empty" : "The answer is not JSON";
    return { output_error: { code: "not_json", message, problems: [] } };
  }
  const output = clean(parsed.value);
  const problems = format.type === "json" ? [] : checkAgainstSchema(output, format.schema);
  if (problems.length === 0) return { output };
  const name = format.type === "json" ? "JSON" : format.name;
  const shown = problems.slice(0, problemsShown).map(({ place, message }) => `${place || "the answer"} ${message}`);
  const more = problems.length > problemsShown ? ` and ${problems.length - problemsShown} more` : "";
  const message = `The answer does not fit ${name}: ${shown.join("; ")}${more}`;
  return { output_error: { code: "schema_mismatch", message, problems } };
}

function parse(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Models that are only asked in words like to put JSON between three backticks. */
function unfenced(text: string): string {
  return /```(?:json)?\s*\n([^]*?)\n\s*```/i.exec(text)?.[1] ?? text;
}

const problemsShown = 3;
