import type { ErrorInfo } from "../core/index.ts";
import type { Resolved } from "./prepare.ts";
import { retirementNote } from "./retirement.ts";

/**
 * Says what to do about a refusal that is nobody's mistake: the model was retired, or the provider no longer takes
 * something that this version still sends.
 */
export function refusalAdvice(error: ErrorInfo, { model, row, provider }: Resolved): ErrorInfo {
  if (error.category === "not_found") {
    const retired = retirementNote(model, Date.now());
    return retired === undefined ? error : { ...error, message: `${error.message} (${retired.message})` };
  }
  const field = refusedField(error);
  if (field === undefined) return error;
  const own = provider.headers === undefined ? "" : " Or look at providers.*.headers, which are sent after ours.";
  const advice =
    field.kind === "version"
      ? `${row.display_name} no longer takes the version of its API that this program asks for: update ikigai.${own}`
      : `${row.display_name} does not take ${field.name} for ${model.id}: leave it out of the request or of ` +
        `provider_options; if nobody set it, update ikigai, which may know the model better by now, or correct the model in ` +
        `the settings (models).`;
  return { ...error, message: `${error.message} — ${advice}` };
}

type Refused = { readonly kind: "version" } | { readonly kind: "field"; readonly name: string };

function refusedField({ message, provider_code }: ErrorInfo): Refused | undefined {
  if (versionPatterns.some((pattern) => pattern.test(message))) return { kind: "version" };
  for (const pattern of fieldPatterns) {
    const name = pattern.exec(message)?.[1];
    if (name !== undefined) return { kind: "field", name };
  }
  return provider_code !== undefined && fieldCodes.has(provider_code) ? { kind: "field", name: "a field" } : undefined;
}

const versionPatterns: readonly RegExp[] = [
  /\b[a-z-]+-version\b.*\b(?:is not|no longer|invalid|unsupported|deprecated|valid version)/i,
  /\bAPI version\b.*\b(?:not supported|no longer|unsupported|deprecated|unknown|retired)/i,
  /unexpected value\(s\) .* for the [`'"]?[a-z-]+-beta[`'"]? header/i,
];

/** In the words of the four wires and of the servers that imitate them. */
const fieldPatterns: readonly RegExp[] = [
  /\b([\w.[\]]+): Extra inputs are not permitted/,
  /(?:unsupported|unknown|unrecognized|unexpected) (?:parameter|argument|field|keyword)s?(?: supplied)?:? [`'"]?([\w.[\]]+)/i,
  /Unknown name [`'"]([\w.]+)[`'"]/,
  /[`'"]([\w.]+)[`'"] (?:is not supported (?:for|with|by) this model|is deprecated|is no longer supported|was removed)/i,
  /\b([\w.]+) is (?:deprecated|no longer supported|not supported) (?:for|on|with|by) this model/i,
  /(?:argument|property|parameter) not supported:? [`'"]?([\w.]+)/i,
  /unknown field [`'"]?([\w.]+)/i,
];

const fieldCodes: ReadonlySet<string> = new Set(["unsupported_parameter", "unknown_parameter"]);
