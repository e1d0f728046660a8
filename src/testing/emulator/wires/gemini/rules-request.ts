/** What the Gemini wire refuses outside its contents: models, settings, thinking, tools, formats. */
import type { JsonObject, JsonValue } from "../../../../core/json.ts";
import { firstRefusal, type Rule } from "../../exchange.ts";
import { firstDuplicate, has, listOf, numberOf, objectOf, textOf } from "../../json.ts";
import { openApiProblem } from "../../schemas.ts";
import { totalTokens } from "../../tokens.ts";
import type { Refusal } from "../../types.ts";
import type { GeminiContext } from "./read.ts";

const namePattern = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;

export function invalid(message: string, details?: JsonValue): Refusal {
  return { status: 400, type: "INVALID_ARGUMENT", message, ...(details === undefined ? {} : { details }) };
}

export function unknownName(name: string, place: string): Refusal {
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
        `Invalid value at '${place}' (type.googleapis.com/google.ai.generativelanguage.ThinkingLevel), ` +
          JSON.stringify(level),
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
          "Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), " +
          "dots (.), colons (:), or dashes (-), with a maximum length of 128.";
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
        "* GenerateContentRequest.generation_config.response_schema: only allowed when response_mime_type is " +
          "application/json\n",
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

function notFound(model: string): Refusal {
  const hint = "Call ModelService.ListModels to see the list of available models and their supported methods.";
  const found = "is not found for API version v1beta, or is not supported for generateContent.";
  return { status: 404, type: "NOT_FOUND", message: `models/${model} ${found} ${hint}` };
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
