/** What the Chat wire refuses outside its messages. */
import { firstRefusal, type Rule } from "../../exchange.ts";
import { has, listOf, numberOf, objectOf, textOf } from "../../json.ts";
import { totalTokens } from "../../tokens.ts";
import {
  autoOnlyRefusal,
  belowMinimum,
  effortModelRefusal,
  effortRefusal,
  effortValueRefusal,
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
  wrongValue,
} from "../openai.ts";
import type { ChatContext } from "./read.ts";

const nameLengthMax = 64;
const stopsMax = 4;

export const requestRules: readonly Rule<ChatContext>[] = [
  {
    id: "chat.field.required",
    about: "model and messages must be there",
    check({ body }) {
      const absent = ["model", "messages"].find((field) => !has(body, field));
      return absent === undefined ? undefined : missing(absent);
    },
  },
  {
    id: "chat.field.unknown",
    about: "parameters the API does not have (input, max_output_tokens, reasoning, system …)",
    check(context) {
      const unknown = Object.keys(context.body).find((field) => !knowsField(context, knownFields, field));
      return unknown === undefined ? undefined : unknownParameter(unknown);
    },
  },
  {
    id: "chat.model.unknown",
    about: "a model nobody knows",
    check({ model_status, body, exchange }) {
      if (model_status !== "unknown" || exchange.world.options.unknown_models === "serve") return undefined;
      const message = `The model \`${textOf(body["model"])}\` does not exist or you do not have access to it.`;
      return { ...refuse(null, "model_not_found", message), status: 404 };
    },
  },
  {
    id: "chat.model.retired",
    about: "a model that was switched off",
    check({ model_status, body, exchange }) {
      if (model_status !== "retired" || exchange.world.options.retired_models === "serve") return undefined;
      const where = "learn more here: https://platform.openai.com/docs/deprecations";
      const message = `The model \`${textOf(body["model"])}\` has been deprecated, ${where}`;
      return { ...refuse(null, "model_not_found", message), status: 404 };
    },
  },
  {
    id: "chat.max_tokens.reasoning",
    about: "reasoning models want max_completion_tokens",
    check({ body, model, model_status }) {
      if (!has(body, "max_tokens") || model.efforts.length === 0 || model_status === "unknown") return undefined;
      return unsupportedParameter("max_tokens", " Use 'max_completion_tokens' instead.");
    },
  },
  {
    id: "chat.max_tokens.both",
    about: "one of the two limits",
    check({ body }) {
      if (!has(body, "max_tokens") || !has(body, "max_completion_tokens")) return undefined;
      const message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
      return refuse("max_tokens", "invalid_parameter_combination", message);
    },
  },
  {
    id: "chat.max_tokens.minimum",
    about: "at least 1",
    check: ({ body }) =>
      firstRefusal(["max_tokens", "max_completion_tokens"], (field) => {
        const limit = numberOf(body[field]);
        return limit === undefined || limit >= 1 ? undefined : belowMinimum(field, 1, limit);
      }),
  },
  {
    id: "chat.max_tokens.ceiling",
    about: "no more than the model can write",
    check: ({ body, model }) =>
      firstRefusal(["max_tokens", "max_completion_tokens"], (field) => {
        const limit = numberOf(body[field]) ?? 0;
        if (limit <= model.max_output) return undefined;
        const most = `at most ${model.max_output} completion tokens`;
        const rule = `This model supports ${most}, whereas you provided ${limit}.`;
        return refuse(field, "invalid_value", `${field} is too large: ${limit}. ${rule}`);
      }),
  },
  {
    id: "chat.effort.value",
    about: "a word that is an effort",
    check: ({ effort_sent }) => effortValueRefusal("reasoning_effort", effort_sent),
  },
  {
    id: "chat.effort.no_reasoning",
    about: "effort on a model that does not reason",
    check: ({ model, effort_sent }) => effortModelRefusal(model, "reasoning_effort", effort_sent),
  },
  {
    id: "chat.effort.unsupported",
    about: "an effort this model does not have",
    check: (context) => effortRefusal(context, "reasoning_effort", context.effort_sent),
  },
  {
    id: "chat.reasoning.both",
    about: "inside reasoning an effort or a budget",
    check({ body }) {
      const reasoning = objectOf(body["reasoning"]);
      if (!has(reasoning, "effort") || !has(reasoning, "max_tokens")) return undefined;
      return refuse("reasoning", null, 'Only one of "reasoning.effort" and "reasoning.max_tokens" can be specified');
    },
  },
  {
    id: "chat.reasoning.conflict",
    about: "reasoning_effort and reasoning.effort say the same",
    check({ body }) {
      const inner = objectOf(body["reasoning"])["effort"];
      const outer = body["reasoning_effort"];
      if (inner === undefined || outer === undefined || inner === outer) return undefined;
      return refuse("reasoning_effort", null, '"reasoning_effort" and "reasoning.effort" must not differ');
    },
  },
  {
    id: "chat.tools.model",
    about: "models whose tools live on the Responses wire only",
    check({ model, tools }) {
      if (tools.length === 0 || model.chat_tools !== "never") return undefined;
      const where = "https://platform.openai.com/docs/guides/function-calling#models-supporting-function-calling";
      const message = `tools is not supported in this model. For a list of supported models, refer to ${where}.`;
      return { ...refuse(null, null, message), status: 404 };
    },
  },
  {
    id: "chat.tools.reasoning",
    about: "models that take tools here only with effort none",
    check({ body, model, tools, effort }) {
      if (tools.length === 0 || model.chat_tools !== "with_none" || effort === "none") return undefined;
      const name = textOf(body["model"]);
      const message = `Function tools with reasoning_effort are not supported for ${name} in /v1/chat/completions.`;
      return refuse("reasoning_effort", "unsupported_value", `${message} Please use /v1/responses instead.`);
    },
  },
  {
    id: "chat.sampling.range",
    about: "temperature from 0 to 2, top_p from 0 to 1",
    check: ({ body }) => rangeRefusal(body, "temperature", 2) ?? rangeRefusal(body, "top_p", 1),
  },
  {
    id: "chat.sampling.unsupported",
    about: "no sampling parameters while reasoning",
    check: (context) => samplingRefusal(context, context.effort, samplingFields),
  },
  {
    id: "chat.stop.model",
    about: "no stop sequences on reasoning models from o3 on",
    check({ body, model, model_status }) {
      const takesStop = model.efforts.length === 0 || model.chat_stop === true || model_status === "unknown";
      if (!has(body, "stop") || takesStop) return undefined;
      return unsupportedParameter("stop");
    },
  },
  {
    id: "chat.stop.count",
    about: `at most ${stopsMax} stop sequences`,
    check({ body }) {
      const count = listOf(body["stop"]).length;
      if (count <= stopsMax) return undefined;
      const rule = `Expected an array with maximum length ${stopsMax}, but got an array with length ${count} instead.`;
      return refuse("stop", "array_above_max_length", `Invalid 'stop': array too long. ${rule}`);
    },
  },
  {
    id: "chat.stream_options",
    about: "stream_options only with stream",
    check({ body }) {
      if (!has(body, "stream_options") || body["stream"] === true) return undefined;
      return refuse("stream_options", null, "The 'stream_options' parameter is only allowed when 'stream' is enabled.");
    },
  },
  {
    id: "chat.tools.shape",
    about: "function tools are nested here: name inside function",
    check: ({ tools }) =>
      firstRefusal(tools, (tool, index) => {
        if (!has(tool, "type")) return missing(`tools[${index}].type`);
        if (tool["type"] !== "function") return undefined;
        if (!has(tool, "function")) return missing(`tools[${index}].function`);
        return has(objectOf(tool["function"]), "name") ? undefined : missing(`tools[${index}].function.name`);
      }),
  },
  {
    id: "chat.tools.name",
    about: `letters, digits, _ and -, at most ${nameLengthMax}`,
    check: ({ tools }) =>
      firstRefusal(tools, (tool, index) => {
        if (tool["type"] !== "function") return undefined;
        const name = textOf(objectOf(tool["function"])["name"]);
        const param = `tools[${index}].function.name`;
        if (!namePattern.test(name)) return wrongPattern(param);
        return name.length <= nameLengthMax ? undefined : tooLong(param, nameLengthMax, name.length);
      }),
  },
  {
    id: "chat.tools.strict",
    about: "strict functions keep to the strict subset of JSON Schema",
    check: ({ tools }) =>
      firstRefusal(tools, (tool, index) => {
        const declared = objectOf(tool["function"]);
        if (declared["strict"] !== true) return undefined;
        return functionSchemaRefusal(
          `tools[${index}].function.parameters`,
          textOf(declared["name"]),
          declared["parameters"],
        );
      }),
  },
  {
    id: "chat.tool_choice.no_tools",
    about: "tool_choice only with tools",
    check({ body, tools }) {
      if (!has(body, "tool_choice") || tools.length > 0) return undefined;
      return refuse("tool_choice", null, "'tool_choice' is only allowed when 'tools' are specified.");
    },
  },
  {
    id: "chat.parallel.no_tools",
    about: "parallel_tool_calls only with tools",
    check({ body, tools }) {
      if (!has(body, "parallel_tool_calls") || tools.length > 0) return undefined;
      return refuse("parallel_tool_calls", null, "'parallel_tool_calls' is only allowed when 'tools' are specified.");
    },
  },
  {
    id: "chat.tool_choice.value",
    about: "none, auto, required or an object",
    check({ body }) {
      const choice = body["tool_choice"];
      const known = ["none", "auto", "required"];
      if (typeof choice !== "string" || known.includes(choice)) return undefined;
      return wrongValue("tool_choice", choice, known);
    },
  },
  {
    id: "chat.tool_choice.auto_only",
    about: "some servers choose for themselves",
    check: ({ body, exchange }) => autoOnlyRefusal(body, exchange),
  },
  {
    id: "chat.tools.recursive",
    about: "some servers refuse schemas that refer to themselves",
    check: ({ tools, exchange }) =>
      recursiveRefusal(
        tools.map((tool) => objectOf(tool["function"])["parameters"]),
        exchange,
      ),
  },
  {
    id: "chat.tool_choice.unknown_tool",
    about: "the named tool is among the tools",
    check({ body, tools }) {
      const choice = objectOf(body["tool_choice"]);
      const name = objectOf(choice["function"])["name"];
      const known = tools.some((tool) => objectOf(tool["function"])["name"] === name);
      if (choice["type"] !== "function" || known) return undefined;
      const rule = `The specified tool choice does not match any of the specified 'tools'.`;
      return refuse("tool_choice", null, `Invalid value for 'tool_choice': '${textOf(name)}'. ${rule}`);
    },
  },
  {
    id: "chat.format.strict",
    about: "a strict format keeps to the strict subset of JSON Schema",
    check({ body }) {
      const format = objectOf(objectOf(body["response_format"])["json_schema"]);
      if (format["strict"] !== true) return undefined;
      return formatSchemaRefusal("response_format", textOf(format["name"]), format["schema"]);
    },
  },
  {
    id: "chat.format.shape",
    about: "a json_schema format is nested here: name inside json_schema",
    check({ body }) {
      const format = objectOf(body["response_format"]);
      if (format["type"] !== "json_schema") return undefined;
      if (!has(format, "json_schema")) return missing("response_format.json_schema");
      return has(objectOf(format["json_schema"]), "name") ? undefined : missing("response_format.json_schema.name");
    },
  },
  {
    id: "chat.format.json_word",
    about: "json_object wants the word JSON in the messages",
    check({ body, messages }) {
      const wanted = objectOf(body["response_format"])["type"] === "json_object";
      if (!wanted || /json/i.test(JSON.stringify(messages))) return undefined;
      const rule = "must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
      return refuse("messages", null, `'messages' ${rule}`);
    },
  },
  {
    id: "chat.context.length",
    about: "the prompt fits into the context window",
    check(context) {
      const tokens = totalTokens(context.segments());
      const limit = context.model.context;
      if (tokens <= limit) return undefined;
      const rule = `However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
      const message = `This model's maximum context length is ${limit} tokens. ${rule}`;
      return refuse("messages", "context_length_exceeded", message);
    },
  },
];

const samplingFields = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
  "top_logprobs",
  "logit_bias",
];

const knownFields = new Set([
  "model",
  "messages",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "max_completion_tokens",
  "max_tokens",
  "reasoning_effort",
  "verbosity",
  ...samplingFields,
  "stop",
  "response_format",
  "stream",
  "stream_options",
  "store",
  "seed",
  "n",
  "metadata",
  "service_tier",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "user",
  "prediction",
  "web_search_options",
  "moderation",
  "modalities",
  "audio",
  "functions",
  "function_call",
]);
