/** What the Gemini wire refuses. */
import type { JsonObject, JsonValue } from "../../../../core/json.ts";
import { firstRefusal, type Rule } from "../../exchange.ts";
import { firstDuplicate, has, listOf, numberOf, objectOf, textOf } from "../../json.ts";
import { openApiProblem } from "../../schemas.ts";
import { totalTokens } from "../../tokens.ts";
import type { Refusal } from "../../types.ts";
import type { Content, GeminiContext } from "./read.ts";

/** Google's own word for "this call was not made by me": accepted in place of a signature. */
const sentinels = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];
const namePattern = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;

function invalid(message: string, details?: JsonValue): Refusal {
  return { status: 400, type: "INVALID_ARGUMENT", message, ...(details === undefined ? {} : { details }) };
}

function unknownName(name: string, place: string): Refusal {
  const where = place === "" ? "" : ` at '${place}'`;
  const description = `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`;
  const violation = place === "" ? { description } : { field: place, description };
  return invalid(description, [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [violation] }]);
}

export const requestRules: readonly Rule<GeminiContext>[] = [
  {
    id: "gemini.model.unknown",
    about: "a model nobody knows",
    check({ model_status, model_id, exchange }) {
      if (model_status !== "unknown" || exchange.world.options.unknown_models === "serve") return undefined;
      return notFound(model_id);
    },
  },
  {
    id: "gemini.model.retired",
    about: "a model that was switched off",
    check({ model_status, model_id, exchange }) {
      if (model_status !== "retired" || exchange.world.options.retired_models === "serve") return undefined;
      return notFound(model_id);
    },
  },
  {
    id: "gemini.field.unknown",
    about: "fields the API does not have (model and messages among them)",
    check({ body, config, exchange }) {
      const known = exchange.route.endpoint === "count" ? countFields : bodyFields;
      const unknown = Object.keys(body).find((field) => !known.has(field));
      if (unknown !== undefined) return unknownName(unknown, "");
      const setting = Object.keys(config).find((field) => !configFields.has(field));
      return setting === undefined ? undefined : unknownName(setting, "generation_config");
    },
  },
  {
    id: "gemini.contents.missing",
    about: "contents must say something",
    check({ contents }) {
      if (contents.length > 0) return undefined;
      return invalid("* GenerateContentRequest.contents: contents is not specified\n");
    },
  },
  {
    id: "gemini.max_output.range",
    about: "between 1 and what the model can write",
    check({ config, model }) {
      const limit = numberOf(config["maxOutputTokens"]);
      return rangeRefusal("maxOutputTokens", limit, { min: 1, below: model.max_output + 1 });
    },
  },
  {
    id: "gemini.temperature.range",
    about: "temperature from 0 to 2",
    check: ({ config }) => rangeRefusal("temperature", numberOf(config["temperature"]), { min: 0, below: 2.0001 }),
  },
  {
    id: "gemini.thinking.unknown",
    about: "no other fields inside thinkingConfig",
    check({ thinking }) {
      const known = ["thinkingLevel", "thinkingBudget", "includeThoughts"];
      const unknown = Object.keys(thinking).find((field) => !known.includes(field));
      return unknown === undefined ? undefined : unknownName(unknown, "generation_config.thinking_config");
    },
  },
  {
    id: "gemini.thinking.both",
    about: "a level or a budget",
    check({ thinking }) {
      if (!has(thinking, "thinkingLevel") || !has(thinking, "thinkingBudget")) return undefined;
      return invalid("You can only set only one of thinking budget and thinking level.");
    },
  },
  {
    id: "gemini.thinking.level_value",
    about: "a word that is a level",
    check({ thinking }) {
      const level = thinking["thinkingLevel"];
      if (level === undefined || ["MINIMAL", "LOW", "MEDIUM", "HIGH"].includes(textOf(level).toUpperCase())) {
        return undefined;
      }
      const place = "generation_config.thinking_config.thinking_level";
      return invalid(
        `Invalid value at '${place}' (type.googleapis.com/google.ai.generativelanguage.ThinkingLevel), "${textOf(level)}"`,
      );
    },
  },
  {
    id: "gemini.thinking.level_model",
    about: "a level on a model that has budgets",
    check({ thinking, model }) {
      if (!has(thinking, "thinkingLevel") || model.levels.length > 0) return undefined;
      return invalid("Thinking level is not supported for this model.");
    },
  },
  {
    id: "gemini.thinking.level",
    about: "a level this model does not have",
    check({ thinking, model }) {
      const level = textOf(thinking["thinkingLevel"]).toUpperCase();
      if (level === "" || model.levels.includes(level)) return undefined;
      return invalid(
        `Thinking level ${level} is not supported for this model. Please retry with other thinking level.`,
      );
    },
  },
  {
    id: "gemini.thinking.budget_model",
    about: "a budget on a model that has levels",
    check({ thinking, model }) {
      if (!has(thinking, "thinkingBudget") || model.budget !== undefined || model.budget_tolerated) return undefined;
      return invalid("Thinking budget is not supported for this model. Use thinking level instead.");
    },
  },
  {
    id: "gemini.thinking.budget_zero",
    about: "0 where thinking cannot be switched off",
    check({ thinking, model }) {
      if (thinking["thinkingBudget"] !== 0 || model.budget === undefined || model.budget.zero) return undefined;
      return invalid("Budget 0 is invalid. This model only works in thinking mode.");
    },
  },
  {
    id: "gemini.thinking.budget_range",
    about: "a budget inside the model's range, or -1",
    check({ thinking, model: { budget } }) {
      const asked = numberOf(thinking["thinkingBudget"]);
      if (asked === undefined || budget === undefined || asked === -1 || asked === 0) return undefined;
      if (asked >= budget.min && asked <= budget.max) return undefined;
      const rule = `Please choose a value between ${budget.min} and ${budget.max}.`;
      return invalid(`The thinking budget ${asked} is invalid. ${rule}`);
    },
  },
  {
    id: "gemini.tools.name",
    about: "begins with a letter or _, then letters, digits, _ . : -, at most 128",
    check: ({ declarations }) =>
      firstRefusal(declarations, (declared, index) => {
        if (namePattern.test(textOf(declared["name"]))) return undefined;
        const place = `GenerateContentRequest.tools[0].function_declarations[${index}].name`;
        const rule =
          "Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), " +
          "colons (:), or dashes (-), with a maximum length of 128.";
        return invalid(`* ${place}: Invalid function name. ${rule}\n`);
      }),
  },
  {
    id: "gemini.tools.duplicate",
    about: "every function has its own name",
    check({ declarations }) {
      const twice = firstDuplicate(declarations.map((declared) => textOf(declared["name"])));
      return twice === undefined ? undefined : invalid(`Duplicate function declaration found: ${twice}`);
    },
  },
  {
    id: "gemini.tools.schema_both",
    about: "parameters or parametersJsonSchema",
    check: ({ declarations }) =>
      firstRefusal(declarations, (declared, index) => {
        if (!has(declared, "parameters") || !has(declared, "parametersJsonSchema")) return undefined;
        const place = `tools[0].function_declarations[${index}]`;
        return invalid(`* ${place}: parameters and parameters_json_schema cannot both be set.\n`);
      }),
  },
  {
    id: "gemini.tools.schema",
    about: "parameters know only Google's own subset of keywords",
    check: ({ declarations }) =>
      firstRefusal(declarations, (declared, index) => {
        const problem = openApiProblem(objectOf(declared["parameters"]));
        if (problem === undefined) return undefined;
        return unknownName(problem.keyword, `tools[0].function_declarations[${index}].parameters${problem.path}`);
      }),
  },
  {
    id: "gemini.tool_choice.mode",
    about: "AUTO, ANY, NONE or VALIDATED",
    check({ body }) {
      const mode = callingConfig(body)["mode"];
      if (mode === undefined || mode === null || ["AUTO", "ANY", "NONE", "VALIDATED"].includes(textOf(mode))) {
        return undefined;
      }
      const place = "tool_config.function_calling_config.mode";
      return invalid(
        `Invalid value at '${place}' (type.googleapis.com/google.ai.generativelanguage.Mode), "${textOf(mode)}"`,
      );
    },
  },
  {
    id: "gemini.tool_choice.names_mode",
    about: "allowed names only with ANY or VALIDATED",
    check({ body }) {
      const config = callingConfig(body);
      if (listOf(config["allowedFunctionNames"]).length === 0) return undefined;
      if (config["mode"] === "ANY" || config["mode"] === "VALIDATED") return undefined;
      return invalid("Function calling config is set with allowed_function_names while mode is not ANY.");
    },
  },
  {
    id: "gemini.tool_choice.names",
    about: "allowed names are declared",
    check({ body, declarations }) {
      const known = declarations.map((declared) => declared["name"]);
      const unknown = listOf(callingConfig(body)["allowedFunctionNames"]).find((name) => !known.includes(name));
      if (unknown === undefined) return undefined;
      return invalid(`allowed_function_names contains unknown function: ${textOf(unknown)}`);
    },
  },
  {
    id: "gemini.format.mime",
    about: "a response schema wants application/json",
    check({ config }) {
      const schema = has(config, "responseSchema") || has(config, "responseJsonSchema");
      const mime = textOf(config["responseMimeType"]);
      if (!schema || mime === "application/json" || mime === "text/x.enum") return undefined;
      return invalid(
        "* GenerateContentRequest.generation_config.response_schema: only allowed when response_mime_type is application/json\n",
      );
    },
  },
  {
    id: "gemini.format.both",
    about: "responseSchema or responseJsonSchema",
    check({ config }) {
      if (!has(config, "responseSchema") || !has(config, "responseJsonSchema")) return undefined;
      return invalid("response_schema and response_json_schema cannot both be set.");
    },
  },
  {
    id: "gemini.format.tools",
    about: "JSON answers together with functions only from Gemini 3 on",
    check({ config, declarations, model }) {
      const json = textOf(config["responseMimeType"]) === "application/json";
      if (!json || declarations.length === 0 || model.format_with_tools) return undefined;
      return invalid("Function calling with a response mime type: 'application/json' is unsupported");
    },
  },
  {
    id: "gemini.context.length",
    about: "the prompt fits into the context window",
    check(context) {
      const tokens = totalTokens(context.segments());
      const limit = context.model.context;
      if (tokens <= limit) return undefined;
      return invalid(`The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limit}).`);
    },
  },
];

export const contentRules: readonly Rule<GeminiContext>[] = [
  {
    id: "gemini.role",
    about: "user or model (function is still understood)",
    check({ contents }) {
      const wrong = contents.some((content) => !["user", "model", "function"].includes(content.role));
      return wrong ? invalid("Please use a valid role: user, model.") : undefined;
    },
  },
  {
    id: "gemini.parts.empty",
    about: "every content has parts",
    check: ({ contents }) =>
      firstRefusal(contents, ({ parts, index }) => {
        if (parts.length > 0) return undefined;
        return invalid(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`);
      }),
  },
  {
    id: "gemini.part.empty",
    about: "every part holds something",
    check: (context) =>
      overParts(context.contents, (part, place) => {
        if (dataFields.some((field) => has(part, field))) return undefined;
        const rule = "required oneof field 'data' must have one initialized field";
        return invalid(`* GenerateContentRequest.${place}.data: ${rule}\n`);
      }),
  },
  {
    id: "gemini.part.unknown",
    about: "no other fields inside a part",
    check: (context) =>
      overParts(context.contents, (part, place) => {
        const unknown = Object.keys(part).find((field) => !dataFields.includes(field) && !partFlags.includes(field));
        return unknown === undefined ? undefined : unknownName(unknown, place);
      }),
  },
  {
    id: "gemini.response.name",
    about: "a function response names its function",
    check: (context) =>
      overParts(context.contents, (part, place) => {
        if (!has(part, "functionResponse") || textOf(objectOf(part["functionResponse"])["name"]) !== "")
          return undefined;
        return invalid(`* GenerateContentRequest.${place}.function_response.name: Name cannot be empty.\n`);
      }),
  },
  {
    id: "gemini.response.object",
    about: "a function response is an object",
    check: (context) =>
      overParts(context.contents, (part, place) => {
        const response = objectOf(part["functionResponse"])["response"];
        const good = typeof response === "object" && response !== null && !Array.isArray(response);
        if (!has(part, "functionResponse") || good) return undefined;
        const path = `${place}.function_response.response`;
        return invalid(
          `Invalid value at '${path}' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(response)}`,
        );
      }),
  },
  {
    id: "gemini.call.args",
    about: "arguments are an object",
    check: (context) =>
      overParts(context.contents, (part, place) => {
        const args = objectOf(part["functionCall"])["args"];
        const good = args === undefined || (typeof args === "object" && !Array.isArray(args));
        if (!has(part, "functionCall") || good) return undefined;
        const path = `${place}.function_call.args`;
        return invalid(
          `Invalid value at '${path}' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(args)}`,
        );
      }),
  },
  {
    id: "gemini.order.call",
    about: "a call follows a user turn or the responses before it",
    check({ turns }) {
      const first = turns[0];
      if (first === undefined || first.role !== "model" || count(first, "functionCall") === 0) return undefined;
      return invalid(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    },
  },
  {
    id: "gemini.order.response",
    about: "responses follow their calls directly",
    check: ({ turns }) =>
      firstRefusal(turns, (turn, number) => {
        const before = turns[number - 1];
        if (count(turn, "functionResponse") === 0) return undefined;
        if (before !== undefined && before.role === "model" && count(before, "functionCall") > 0) return undefined;
        return invalid("Please ensure that function response turn comes immediately after a function call turn.");
      }),
  },
  {
    id: "gemini.response.count",
    about: "as many responses as calls",
    check: ({ turns }) =>
      firstRefusal(turns, (turn, number) => {
        const calls = turn.role === "model" ? count(turn, "functionCall") : 0;
        const after = turns[number + 1];
        const responses = after === undefined ? 0 : count(after, "functionResponse");
        if (calls === 0 || calls === responses) return undefined;
        return invalid(
          "Please ensure that the number of function response parts is equal to the number of function call parts " +
            "of the function call turn.",
        );
      }),
  },
  {
    id: "gemini.signature.missing",
    about: "Gemini 3 and later: the first call of every step of the current turn is signed",
    check(context) {
      if (!context.model.signatures_required) return undefined;
      return firstRefusal(context.contents.slice(currentTurn(context.contents)), (content) => {
        const call = content.parts.findIndex((part) => has(part, "functionCall"));
        const part = content.parts[call];
        if (content.role !== "model" || part === undefined || has(part, "thoughtSignature")) return undefined;
        const name = textOf(objectOf(part["functionCall"])["name"]);
        return invalid(
          "Function call is missing a thought_signature in functionCall parts. This is required for tools to work " +
            "correctly, and missing thought_signature may lead to degraded model performance. Additional data, " +
            `function call \`default_api:${name}\` , position ${content.index + 1}. Please refer to ` +
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
        );
      });
    },
  },
  {
    id: "gemini.signature.base64",
    about: "a signature is base64",
    check: (context) =>
      overSignatures(context, (signature, place) => {
        if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(signature) && signature.length % 4 === 0) return undefined;
        return invalid(
          `Invalid value at '${place}.thought_signature' (TYPE_BYTES), Base64 decoding failed for "${signature}"`,
        );
      }),
  },
  {
    id: "gemini.signature.corrupted",
    about: "a signature nobody here has made, or moved to another part",
    check: (context) =>
      overSignatures(context, (signature, _place, part) => {
        const verdict = verdictOf(context, signature, part);
        return verdict === "good" || verdict === "other_model" ? undefined : invalid("Corrupted thought signature.");
      }),
  },
  {
    id: "gemini.signature.model",
    about: "a signature of another model",
    check: (context) =>
      overSignatures(context, (signature, _place, part) =>
        verdictOf(context, signature, part) === "other_model" ? invalid("Invalid thought signature.") : undefined,
      ),
  },
];

export const geminiRules: readonly Rule<GeminiContext>[] = [...requestRules, ...contentRules];

/** What a signature vouches for: that it stands on a part of this kind, and on a call of this function. */
export function signedKind(part: JsonObject): string {
  if (has(part, "functionCall")) return `call:${textOf(objectOf(part["functionCall"])["name"])}`;
  return "text";
}

function verdictOf(context: GeminiContext, signature: string, part: JsonObject): string {
  const { world } = context.exchange;
  if (world.options.signatures === "any" || sentinels.includes(signature)) return "good";
  const claim = { shape: "google", kind: signedKind(part), model: context.model.id, content: "" } as const;
  return world.signatures.verify(signature, claim);
}

/** Where the current turn begins: behind the last thing the user said that is not a function response. */
function currentTurn(contents: readonly Content[]): number {
  const said = (content: Content): boolean =>
    content.role === "user" && content.parts.some((part) => !has(part, "functionResponse"));
  return contents.findLastIndex(said) + 1;
}

function notFound(model: string): Refusal {
  const hint = "Call ModelService.ListModels to see the list of available models and their supported methods.";
  const message = `models/${model} is not found for API version v1beta, or is not supported for generateContent. ${hint}`;
  return { status: 404, type: "NOT_FOUND", message };
}

function rangeRefusal(
  field: string,
  value: number | undefined,
  range: { readonly min: number; readonly below: number },
): Refusal | undefined {
  if (value === undefined || (value >= range.min && value < range.below)) return undefined;
  const rule = `the supported range is from ${range.min} (inclusive) to ${range.below} (exclusive)`;
  const hint = "Update the value and try again.";
  return invalid(`Unable to submit request because it has a ${field} value of ${value} but ${rule}. ${hint}`);
}

function callingConfig(body: JsonObject): JsonObject {
  return objectOf(objectOf(body["toolConfig"])["functionCallingConfig"]);
}

function count(content: Content, field: string): number {
  return content.parts.filter((part) => has(part, field)).length;
}

function overParts(
  contents: readonly Content[],
  look: (part: JsonObject, place: string) => Refusal | undefined,
): Refusal | undefined {
  return firstRefusal(contents, (content) =>
    firstRefusal(content.parts, (part, index) => look(part, `contents[${content.index}].parts[${index}]`)),
  );
}

function overSignatures(
  context: GeminiContext,
  look: (signature: string, place: string, part: JsonObject) => Refusal | undefined,
): Refusal | undefined {
  return overParts(context.contents, (part, place) =>
    has(part, "thoughtSignature") ? look(textOf(part["thoughtSignature"]), place, part) : undefined,
  );
}

const dataFields = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
];
const partFlags = ["thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"];

const bodyFields = new Set([
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "generationConfig",
  "safetySettings",
  "cachedContent",
  "serviceTier",
  "store",
  "continuationToken",
]);
const countFields = new Set([...bodyFields, "model"]);

const configFields = new Set([
  "temperature",
  "topP",
  "topK",
  "candidateCount",
  "maxOutputTokens",
  "stopSequences",
  "seed",
  "presencePenalty",
  "frequencyPenalty",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "responseModalities",
  "mediaResolution",
  "thinkingConfig",
  "responseLogprobs",
  "logprobs",
  "speechConfig",
  "imageConfig",
]);
