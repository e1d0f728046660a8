/** What the Responses wire refuses outside its input items. */
import { firstRefusal, type Rule } from "../../exchange.ts";
import { has, listOf, numberOf, objectOf, textOf } from "../../json.ts";
import { totalTokens } from "../../tokens.ts";
import {
  aboveMaximum,
  autoOnlyRefusal,
  belowMinimum,
  effortModelRefusal,
  effortRefusal,
  effortValueRefusal,
  emptyArray,
  formatSchemaRefusal,
  functionSchemaRefusal,
  knowsField,
  missing,
  namePattern,
  rangeRefusal,
  recursiveRefusal,
  refuse,
  samplingRefusal,
  tooLong,
  unknownParameter,
  unsupportedParameter,
  wrongPattern,
  wrongType,
  wrongValue,
} from "../openai.ts";
import type { ResponsesContext } from "./read.ts";

const outputTokensMin = 16;
const nameLengthMax = 64;
const cacheKeyMax = 64;
const safetyIdMax = 128;
const metadataMax = 16;

export const requestRules: readonly Rule<ResponsesContext>[] = [
  {
    id: "responses.field.required",
    about: "a model, and an input or something that stands for it",
    check({ body }) {
      if (!has(body, "model") && !has(body, "prompt")) return missing("model");
      const input = ["input", "prompt", "previous_response_id", "conversation"].some((field) => has(body, field));
      return input ? undefined : missing("input");
    },
  },
  {
    id: "responses.field.unknown",
    about: "parameters the API does not have (stop, seed, n, messages, max_tokens …)",
    check(context) {
      const unknown = Object.keys(context.body).find((field) => !knowsField(context, knownFields, field));
      return unknown === undefined ? undefined : unknownParameter(unknown);
    },
  },
  {
    id: "responses.model.unknown",
    about: "a model nobody knows",
    check({ model_status, body, exchange }) {
      if (model_status !== "unknown" || exchange.world.options.unknown_models === "serve") return undefined;
      if (!has(body, "model")) return undefined;
      return refuse("model", "model_not_found", `The requested model '${textOf(body["model"])}' does not exist.`);
    },
  },
  {
    id: "responses.model.retired",
    about: "a model that was switched off",
    check({ model_status, body, exchange }) {
      if (model_status !== "retired" || exchange.world.options.retired_models === "serve") return undefined;
      const where = "learn more here: https://platform.openai.com/docs/deprecations";
      const message = `The model \`${textOf(body["model"])}\` has been deprecated, ${where}`;
      return { ...refuse(null, "model_not_found", message), status: 404 };
    },
  },
  {
    id: "responses.input.type",
    about: "input is text or a list",
    check({ body }) {
      const input = body["input"];
      if (input === undefined || input === null || typeof input === "string" || Array.isArray(input)) return undefined;
      return wrongType("input", "one of a string or an array of objects", input);
    },
  },
  {
    id: "responses.input.empty",
    about: "a list with something in it",
    check({ body }) {
      const input = body["input"];
      return Array.isArray(input) && input.length === 0 ? emptyArray("input") : undefined;
    },
  },
  {
    id: "responses.previous_response",
    about: "a response that was kept here",
    check({ body, exchange }) {
      const id = textOf(body["previous_response_id"]);
      if (id === "" || exchange.world.stored.has(id) || exchange.world.options.signatures === "any") return undefined;
      const message = `Previous response with id '${id}' not found.`;
      return refuse("previous_response_id", "previous_response_not_found", message);
    },
  },
  {
    id: "responses.max_output_tokens.minimum",
    about: `at least ${outputTokensMin}`,
    check({ body }) {
      const limit = body["max_output_tokens"];
      if (limit === undefined || limit === null) return undefined;
      if (!Number.isInteger(limit)) return wrongType("max_output_tokens", "an integer", limit);
      const found = Number(limit);
      return found >= outputTokensMin ? undefined : belowMinimum("max_output_tokens", outputTokensMin, found);
    },
  },
  {
    id: "responses.max_output_tokens.ceiling",
    about: "no more than the model can write",
    check({ body, model }) {
      const limit = numberOf(body["max_output_tokens"]) ?? 0;
      return limit <= model.max_output ? undefined : aboveMaximum("max_output_tokens", model.max_output, limit);
    },
  },
  {
    id: "responses.effort.value",
    about: "a word that is an effort",
    check: ({ body }) => effortValueRefusal("reasoning.effort", objectOf(body["reasoning"])["effort"]),
  },
  {
    id: "responses.effort.no_reasoning",
    about: "effort on a model that does not reason",
    check: ({ body, model }) => effortModelRefusal(model, "reasoning.effort", objectOf(body["reasoning"])["effort"]),
  },
  {
    id: "responses.effort.unsupported",
    about: "an effort this model does not have",
    check: (context) => effortRefusal(context, "reasoning.effort", objectOf(context.body["reasoning"])["effort"]),
  },
  {
    id: "responses.summary.value",
    about: "auto, concise or detailed",
    check({ body }) {
      const summary = objectOf(body["reasoning"])["summary"];
      const known = ["auto", "concise", "detailed"];
      if (summary === undefined || summary === null || known.includes(textOf(summary))) return undefined;
      return wrongValue("reasoning.summary", summary, known);
    },
  },
  {
    id: "responses.reasoning.unknown",
    about: "no other fields inside reasoning (a token budget, say)",
    check({ body }) {
      const known = ["effort", "summary", "context", "mode", "generate_summary"];
      const unknown = Object.keys(objectOf(body["reasoning"])).find((field) => !known.includes(field));
      return unknown === undefined ? undefined : unknownParameter(`reasoning.${unknown}`);
    },
  },
  {
    id: "responses.sampling.range",
    about: "temperature from 0 to 2, top_p from 0 to 1",
    check: ({ body }) => rangeRefusal(body, "temperature", 2) ?? rangeRefusal(body, "top_p", 1),
  },
  {
    id: "responses.sampling.unsupported",
    about: "no temperature, top_p or top_logprobs while reasoning",
    check: (context) => samplingRefusal(context, context.effort, ["temperature", "top_p", "top_logprobs"]),
  },
  {
    id: "responses.include.value",
    about: "known words in include",
    check: ({ body }) =>
      firstRefusal(listOf(body["include"]), (word, index) =>
        knownIncludes.includes(textOf(word)) ? undefined : wrongValue(`include[${index}]`, word, knownIncludes),
      ),
  },
  {
    id: "responses.verbosity.value",
    about: "low, medium or high",
    check({ body }) {
      const verbosity = objectOf(body["text"])["verbosity"];
      const known = ["low", "medium", "high"];
      if (verbosity === undefined || verbosity === null || known.includes(textOf(verbosity))) return undefined;
      return wrongValue("text.verbosity", verbosity, known);
    },
  },
  {
    id: "responses.cache_key.length",
    about: `prompt_cache_key of at most ${cacheKeyMax} characters`,
    check: ({ body }) => lengthRefusal("prompt_cache_key", cacheKeyMax, textOf(body["prompt_cache_key"])),
  },
  {
    id: "responses.cache.retention",
    about: "prompt_cache_retention is gone from GPT-6 on",
    check({ body, model }) {
      if (!has(body, "prompt_cache_retention") || model.cache_retention) return undefined;
      return unsupportedParameter("prompt_cache_retention");
    },
  },
  {
    id: "responses.safety_identifier.length",
    about: `safety_identifier of at most ${safetyIdMax} characters`,
    check: ({ body }) => lengthRefusal("safety_identifier", safetyIdMax, textOf(body["safety_identifier"])),
  },
  {
    id: "responses.metadata",
    about: `at most ${metadataMax} pairs, keys of 64 and values of 512 characters`,
    check({ body }) {
      const pairs = Object.entries(objectOf(body["metadata"]));
      if (pairs.length > metadataMax) {
        const rule = `Expected an object with at most ${metadataMax} properties, but got ${pairs.length} instead.`;
        return refuse("metadata", "object_above_max_properties", `Invalid 'metadata': too many properties. ${rule}`);
      }
      return firstRefusal(pairs, ([key, value]) => {
        return lengthRefusal("metadata", 64, key) ?? lengthRefusal(`metadata.${key}`, 512, textOf(value));
      });
    },
  },
  {
    id: "responses.tools.shape",
    about: "function tools are flat here: name beside type",
    check: ({ tools }) =>
      firstRefusal(tools, (tool, index) => {
        if (!has(tool, "type")) return missing(`tools[${index}].type`);
        return tool["type"] !== "function" || has(tool, "name") ? undefined : missing(`tools[${index}].name`);
      }),
  },
  {
    id: "responses.tools.name",
    about: `letters, digits, _ and -, at most ${nameLengthMax}`,
    check: ({ tools }) =>
      firstRefusal(tools, (tool, index) => {
        const name = textOf(tool["name"]);
        if (tool["type"] !== "function" && tool["type"] !== "custom") return undefined;
        if (!namePattern.test(name)) return wrongPattern(`tools[${index}].name`);
        return lengthRefusal(`tools[${index}].name`, nameLengthMax, name);
      }),
  },
  {
    id: "responses.tools.strict",
    about: "strict functions keep to the strict subset of JSON Schema",
    check: ({ tools }) =>
      firstRefusal(tools, (tool, index) => {
        if (tool["type"] !== "function" || tool["strict"] !== true) return undefined;
        return functionSchemaRefusal(`tools[${index}].parameters`, textOf(tool["name"]), tool["parameters"]);
      }),
  },
  {
    id: "responses.tool_choice.no_tools",
    about: "a forced choice needs tools",
    check({ body, tools }) {
      const choice = body["tool_choice"];
      if (tools.length > 0 || choice === undefined || choice === null || choice === "auto" || choice === "none") {
        return undefined;
      }
      const message = "Tool choice 'required' must be specified with 'tools' parameter.";
      return refuse("tool_choice", "invalid_value", message);
    },
  },
  {
    id: "responses.tool_choice.value",
    about: "none, auto, required or an object",
    check({ body }) {
      const choice = body["tool_choice"];
      const known = ["none", "auto", "required"];
      if (typeof choice !== "string" || known.includes(choice)) return undefined;
      return wrongValue("tool_choice", choice, known);
    },
  },
  {
    id: "responses.tool_choice.auto_only",
    about: "some servers choose for themselves",
    check: ({ body, exchange }) => autoOnlyRefusal(body, exchange),
  },
  {
    id: "responses.tools.recursive",
    about: "some servers refuse schemas that refer to themselves",
    check: ({ tools, exchange }) =>
      recursiveRefusal(
        tools.map((tool) => tool["parameters"]),
        exchange,
      ),
  },
  {
    id: "responses.tool_choice.unknown_tool",
    about: "the named tool is among the tools",
    check({ body, tools }) {
      const choice = objectOf(body["tool_choice"]);
      const name = textOf(choice["name"]);
      if (choice["type"] !== "function" || tools.some((tool) => tool["name"] === name)) return undefined;
      return refuse(
        "tool_choice",
        "invalid_value",
        `Tool choice 'function' not found in 'tools' parameter: '${name}'.`,
      );
    },
  },
  {
    id: "responses.format.shape",
    about: "a json_schema format is flat here: name and schema beside type",
    check({ body }) {
      const format = objectOf(objectOf(body["text"])["format"]);
      if (format["type"] !== "json_schema") return undefined;
      const absent = ["name", "schema"].find((field) => !has(format, field));
      return absent === undefined ? undefined : missing(`text.format.${absent}`);
    },
  },
  {
    id: "responses.format.strict",
    about: "a strict format keeps to the strict subset of JSON Schema",
    check({ body }) {
      const format = objectOf(objectOf(body["text"])["format"]);
      if (format["type"] !== "json_schema" || format["strict"] === false) return undefined;
      return formatSchemaRefusal("text.format.schema", textOf(format["name"]), format["schema"]);
    },
  },
  {
    id: "responses.format.json_word",
    about: "json_object wants the word JSON in the input",
    check({ body, history }) {
      const format = objectOf(objectOf(body["text"])["format"]);
      const said = /json/i.test(JSON.stringify([history, body["instructions"] ?? ""]));
      if (format["type"] !== "json_object" || said) return undefined;
      const rule = "must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
      return refuse("input", null, `Response input messages ${rule}`);
    },
  },
  {
    id: "responses.context.length",
    about: "the prompt fits into the context window",
    check(context) {
      if (totalTokens(context.segments()) <= context.model.context) return undefined;
      const message = "Your input exceeds the context window of this model. Please adjust your input and try again.";
      return refuse("input", "context_length_exceeded", message);
    },
  },
];

function lengthRefusal(param: string, max: number, text: string): ReturnType<typeof tooLong> | undefined {
  return text.length <= max ? undefined : tooLong(param, max, text.length);
}

const knownIncludes = [
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
  "message.input_image.image_url",
  "web_search_call.results",
  "web_search_call.action.sources",
  "file_search_call.results",
  "code_interpreter_call.outputs",
  "computer_call_output.output.image_url",
];

const knownFields = new Set([
  "model",
  "input",
  "instructions",
  "max_output_tokens",
  "reasoning",
  "text",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "store",
  "include",
  "previous_response_id",
  "conversation",
  "temperature",
  "top_p",
  "top_logprobs",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "user",
  "metadata",
  "service_tier",
  "truncation",
  "context_management",
  "stream",
  "stream_options",
  "background",
  "max_tool_calls",
  "moderation",
  "prompt",
  "access_programs",
  "image",
]);
