/** What the two OpenAI wires share: the words of their refusals and the rules about models, efforts and sampling. */
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import type { Exchange } from "../exchange.ts";
import { kindOf, objectOf, quotedList, textOf } from "../json.ts";
import { findModel, permissiveModels, type OpenAiModel } from "../models.ts";
import { isRecursive, strictProblem } from "../schemas.ts";
import { totalTokens, type Segment } from "../tokens.ts";
import type { Refusal } from "../types.ts";

export const allEfforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
export const namePattern = /^[a-zA-Z0-9_-]+$/;

export type OpenAiContext = {
  readonly exchange: Exchange;
  readonly body: JsonObject;
  readonly model: OpenAiModel;
  readonly model_status: "known" | "unknown" | "retired";
};

export function readModel(exchange: Exchange): Pick<OpenAiContext, "model" | "model_status"> {
  const found = findModel(modelsOf(exchange), textOf(exchange.body["model"]));
  const model_status = found === undefined ? "unknown" : found.retired ? "retired" : "known";
  return { model: found ?? permissiveModels.openai, model_status };
}

function modelsOf(exchange: Exchange): readonly OpenAiModel[] {
  return exchange.world.models.openai[exchange.route.dialect.catalogue] ?? [];
}

/** What a dialect's own words may ask for. */
export function factsOf(context: OpenAiContext, segments: readonly Segment[]): Readonly<Record<string, string>> {
  return {
    model: textOf(context.body["model"]),
    tokens: String(totalTokens(segments)),
    context: String(context.model.context),
  };
}

/** A field the wire has, or this dialect adds to it. */
export function knowsField(context: OpenAiContext, known: ReadonlySet<string>, field: string): boolean {
  return known.has(field) || context.exchange.route.dialect.more_fields?.includes(field) === true;
}

export function refuse(param: string | null, code: string | null, message: string): Refusal {
  return { status: 400, type: "invalid_request_error", param, code, message };
}

export function missing(param: string): Refusal {
  return refuse(param, "missing_required_parameter", `Missing required parameter: '${param}'.`);
}

export function unknownParameter(param: string): Refusal {
  return refuse(param, "unknown_parameter", `Unknown parameter: '${param}'.`);
}

export function unsupportedParameter(param: string, hint = ""): Refusal {
  const message = `Unsupported parameter: '${param}' is not supported with this model.${hint}`;
  return refuse(param, "unsupported_parameter", message);
}

export function wrongType(param: string, wanted: string, found: JsonValue | undefined): Refusal {
  const message = `Invalid type for '${param}': expected ${wanted}, but got ${kindOf(found)} instead.`;
  return refuse(param, "invalid_type", message);
}

export function wrongValue(param: string, found: JsonValue | undefined, known: readonly string[]): Refusal {
  const message = `Invalid value: '${textOf(found)}'. Supported values are: ${quotedList(known)}.`;
  return refuse(param, "invalid_value", message);
}

export function emptyArray(param: string): Refusal {
  const rule = "Expected an array with minimum length 1, but got an empty array instead.";
  return refuse(param, "empty_array", `Invalid '${param}': empty array. ${rule}`);
}

export function tooLong(param: string, max: number, length: number): Refusal {
  const rule = `Expected a string with maximum length ${max}, but got a string with length ${length} instead.`;
  return refuse(param, "string_above_max_length", `Invalid '${param}': string too long. ${rule}`);
}

export function wrongPattern(param: string): Refusal {
  const rule = `Expected a string that matches the pattern '${namePattern.source}'.`;
  return refuse(param, "invalid_value", `Invalid '${param}': string does not match pattern. ${rule}`);
}

export function belowMinimum(param: string, min: number, found: number): Refusal {
  const rule = `Expected a value >= ${min}, but got ${found} instead.`;
  return refuse(param, "integer_below_min_value", `Invalid '${param}': integer below minimum value. ${rule}`);
}

export function aboveMaximum(param: string, max: number, found: number): Refusal {
  const rule = `Expected a value <= ${max}, but got ${found} instead.`;
  return refuse(param, "integer_above_max_value", `Invalid '${param}': integer above maximum value. ${rule}`);
}

/** The effort a request runs with, sent or implied. */
export function effortOf(model: OpenAiModel, sent: JsonValue | undefined): string {
  return typeof sent === "string" ? sent : model.effort_default;
}

export function effortValueRefusal(param: string, sent: JsonValue | undefined): Refusal | undefined {
  if (sent === undefined || sent === null || allEfforts.includes(textOf(sent))) return undefined;
  return wrongValue(param, sent, allEfforts);
}

export function effortModelRefusal(
  model: OpenAiModel,
  param: string,
  sent: JsonValue | undefined,
): Refusal | undefined {
  if (sent === undefined || sent === null) return undefined;
  return model.efforts.length === 0 ? unsupportedParameter(param) : undefined;
}

export function effortRefusal(context: OpenAiContext, param: string, sent: JsonValue | undefined): Refusal | undefined {
  const { model, body } = context;
  if (sent === undefined || sent === null || model.efforts.includes(textOf(sent))) return undefined;
  const known = `Supported values are: ${quotedList(model.efforts)}.`;
  const found = `Unsupported value: '${textOf(sent)}' is not supported with the '${textOf(body["model"])}' model.`;
  return refuse(param, "unsupported_value", `${found} ${known}`);
}

export function samplingRefusal(
  context: OpenAiContext,
  effort: string,
  fields: readonly string[],
): Refusal | undefined {
  const { model, body } = context;
  const allowed = model.sampling === "always" || (model.sampling === "with_none" && effort === "none");
  const sent = fields.find((field) => body[field] !== undefined && body[field] !== null);
  return allowed || sent === undefined ? undefined : unsupportedParameter(sent);
}

export function rangeRefusal(body: JsonObject, field: string, max: number): Refusal | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number") return wrongType(field, "a decimal", value);
  const low = value < 0;
  if (value >= 0 && value <= max) return undefined;
  const rule = `Expected a value ${low ? ">= 0" : `<= ${max}`}, but got ${value} instead.`;
  const word = low ? "below minimum" : "above maximum";
  const code = low ? "decimal_below_min_value" : "decimal_above_max_value";
  return refuse(field, code, `Invalid '${field}': decimal ${word} value. ${rule}`);
}

export function functionSchemaRefusal(param: string, name: string, schema: JsonValue | undefined): Refusal | undefined {
  const problem = strictProblem(objectOf(schema));
  if (problem === undefined) return undefined;
  return refuse(param, "invalid_function_parameters", `Invalid schema for function '${name}': ${problem}`);
}

export function formatSchemaRefusal(param: string, name: string, schema: JsonValue | undefined): Refusal | undefined {
  const problem = strictProblem(objectOf(schema));
  if (problem === undefined) return undefined;
  return refuse(param, "invalid_json_schema", `Invalid schema for response_format '${name}': ${problem}`);
}

export function autoOnlyRefusal(body: JsonObject, exchange: Exchange): Refusal | undefined {
  const choice = body["tool_choice"];
  const free = choice === undefined || choice === null || choice === "auto";
  if (free || exchange.route.dialect.quirks.tool_choice_auto_only !== true) return undefined;
  return refuse("tool_choice", null, "The request contains invalid parameters");
}

export function recursiveRefusal(schemas: readonly (JsonValue | undefined)[], exchange: Exchange): Refusal | undefined {
  if (exchange.route.dialect.quirks.no_recursive_schemas !== true) return undefined;
  const recursive = schemas.some((schema) => isRecursive(objectOf(schema)));
  return recursive ? refuse("tools", null, "Recursive schemas are not supported.") : undefined;
}

export function successHeaders(exchange: Exchange): Readonly<Record<string, string>> {
  return {
    "x-request-id": `req_${exchange.random.letters(32, "0123456789abcdef")}`,
    "openai-version": "2020-10-01",
    "openai-processing-ms": String(exchange.random.between(40, 400)),
    "openai-organization": "org-mock",
    "x-ratelimit-limit-requests": "10000",
    "x-ratelimit-remaining-requests": "9999",
    "x-ratelimit-reset-requests": "6ms",
    "x-ratelimit-limit-tokens": "30000000",
    "x-ratelimit-remaining-tokens": "29999000",
    "x-ratelimit-reset-tokens": "0s",
  };
}
