/** What the Messages wire refuses outside the conversation itself: headers, fields, limits, tools, formats, caching. */
import { firstRefusal, type Rule } from "../../exchange.ts";
import { has, listOf, numberOf, objectOf, textOf } from "../../json.ts";
import { grammarProblem, optionalCount, unionCount } from "../../schemas.ts";
import { totalTokens } from "../../tokens.ts";
import type { Refusal } from "../../types.ts";
import { currentVersion, oldVersion, type MessagesContext } from "./read.ts";

const strictToolsMax = 20;
const optionalMax = 24;
const unionMax = 16;
const markersMax = 4;
const messagesMax = 100_000;

export function invalid(message: string): Refusal {
  return { status: 400, type: "invalid_request_error", message };
}

export const requestRules: readonly Rule<MessagesContext>[] = [
  {
    id: "messages.version.missing",
    about: "the version header is required",
    check: ({ version }) => (version === "" ? invalid("anthropic-version: header is required") : undefined),
  },
  {
    id: "messages.version.unknown",
    about: "only published versions",
    check({ version }) {
      if (version === currentVersion || version === oldVersion) return undefined;
      return invalid(`anthropic-version: "${version}" is not a valid version for this endpoint`);
    },
  },
  {
    id: "messages.body.surrogate",
    about: "half a surrogate pair is not JSON here",
    check({ exchange }) {
      const broken = hasLoneSurrogate(exchange.body);
      return broken ? invalid("The request body is not valid JSON: no low surrogate in string: line 1") : undefined;
    },
  },
  {
    id: "messages.field.required",
    about: "model, messages and max_tokens must be there",
    check({ body, exchange }) {
      const wanted = exchange.route.endpoint === "count" ? ["messages", "model"] : ["max_tokens", "messages", "model"];
      const missing = wanted.find((field) => !has(body, field));
      return missing === undefined ? undefined : invalid(`${missing}: Field required`);
    },
  },
  {
    id: "messages.sampling.version",
    about: `temperature, top_p and top_k are gone in version ${currentVersion}`,
    check({ body, version }) {
      const sent = samplingFields.find((field) => body[field] !== undefined);
      if (version !== currentVersion || sent === undefined) return undefined;
      return invalid(`${sent}: Extra inputs are not permitted`);
    },
  },
  {
    id: "messages.field.unknown",
    about: "fields the API does not have",
    check({ body }) {
      const unknown = Object.keys(body).find((field) => !knownFields.has(field));
      return unknown === undefined ? undefined : invalid(`${unknown}: Extra inputs are not permitted`);
    },
  },
  {
    id: "messages.model.unknown",
    about: "a model nobody knows",
    check({ model_status, body, exchange }) {
      if (model_status !== "unknown" || exchange.world.options.unknown_models === "serve") return undefined;
      return { status: 404, message: `model: ${textOf(body["model"])}` };
    },
  },
  {
    id: "messages.model.retired",
    about: "a model that was switched off",
    check({ model_status, body, exchange }) {
      if (model_status !== "retired" || exchange.world.options.retired_models === "serve") return undefined;
      return { status: 404, message: `model: ${textOf(body["model"])}` };
    },
  },
  {
    id: "messages.max_tokens.type",
    about: "max_tokens is a whole number, 0 or more",
    check({ body }) {
      const limit = body["max_tokens"];
      if (limit === undefined || (Number.isInteger(limit) && Number(limit) >= 0)) return undefined;
      return invalid("max_tokens: Input should be a valid integer greater than or equal to 0");
    },
  },
  {
    id: "messages.max_tokens.zero",
    about: "0 only warms the cache: not with stream, budgets, formats or forced tools",
    check({ body, thinking_type }) {
      if (body["max_tokens"] !== 0) return undefined;
      const forced = ["any", "tool"].includes(textOf(objectOf(body["tool_choice"])["type"]));
      const formatted = has(objectOf(body["output_config"]), "format");
      const bad = body["stream"] === true || thinking_type === "enabled" || forced || formatted;
      return bad
        ? invalid("max_tokens: 0 is not allowed together with stream, thinking, format or tool use")
        : undefined;
    },
  },
  {
    id: "messages.max_tokens.ceiling",
    about: "no more than the model can write",
    check({ body, model }) {
      const limit = numberOf(body["max_tokens"]) ?? 0;
      if (limit <= model.max_output) return undefined;
      const text = `which is the maximum allowed number of output tokens for ${textOf(body["model"])}`;
      return invalid(`max_tokens: ${limit} > ${model.max_output}, ${text}`);
    },
  },
  {
    id: "messages.sampling.range",
    about: "temperature and top_p lie between 0 and 1",
    check({ body }) {
      return firstRefusal(["temperature", "top_p"], (field) => {
        const value = body[field];
        if (value === undefined || (typeof value === "number" && value >= 0 && value <= 1)) return undefined;
        return invalid(`${field}: range: 0..1`);
      });
    },
  },
  {
    id: "messages.sampling.model",
    about: "models after 4.6 take only the default sampling",
    check({ body, model }) {
      if (model.sampling) return undefined;
      const temperature = body["temperature"];
      const top = numberOf(body["top_p"]);
      if (temperature !== undefined && temperature !== 1) return invalid("`temperature` is deprecated for this model.");
      if (top !== undefined && top < 0.99) return invalid("`top_p` is deprecated for this model.");
      return body["top_k"] === undefined ? undefined : invalid("`top_k` is deprecated for this model.");
    },
  },
  {
    id: "messages.sampling.thinking",
    about: "no temperature and no top_k while thinking",
    check({ body, thinking_type }) {
      if (thinking_type !== "enabled") return undefined;
      const temperature = body["temperature"];
      if (temperature !== undefined && temperature !== 1) {
        return invalid("`temperature` may only be set to 1 when thinking is enabled.");
      }
      return body["top_k"] === undefined ? undefined : invalid("`top_k` must be unset when thinking is enabled.");
    },
  },
  {
    id: "messages.sampling.both",
    about: "temperature or top_p, not both",
    check({ body }) {
      if (!has(body, "temperature") || !has(body, "top_p")) return undefined;
      return invalid("`temperature` and `top_p` cannot both be specified for this model. Please use only one.");
    },
  },
  {
    id: "messages.stop_sequences.blank",
    about: "a stop sequence has something to see",
    check({ body }) {
      const blank = listOf(body["stop_sequences"]).some((sequence) => textOf(sequence).trim() === "");
      return blank ? invalid("stop_sequences: each stop sequence must contain non-whitespace") : undefined;
    },
  },
  {
    id: "messages.tools.name",
    about: "letters, digits, _ and -, at most 128",
    check: ({ tools }) =>
      firstRefusal(tools, (tool, index) => {
        if (/^[a-zA-Z0-9_-]{1,128}$/.test(textOf(tool["name"])) || tool["type"] === "mcp_toolset") return undefined;
        return invalid(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
      }),
  },
  {
    id: "messages.tools.duplicate",
    about: "every tool has its own name",
    check({ tools }) {
      const names = tools.map((tool) => textOf(tool["name"])).filter(Boolean);
      return new Set(names).size === names.length ? undefined : invalid("tools: Tool names must be unique.");
    },
  },
  {
    id: "messages.tools.schema",
    about: "input_schema is an object schema",
    check: ({ tools }) =>
      firstRefusal(tools, (tool, index) => {
        if (tool["type"] !== undefined && tool["type"] !== "custom") return undefined;
        const schema = tool["input_schema"];
        if (schema === undefined) return invalid(`tools.${index}.custom.input_schema: Field required`);
        if (objectOf(schema)["type"] === "object") return undefined;
        return invalid(`tools.${index}.custom.input_schema: Input does not match the expected shape.`);
      }),
  },
  {
    id: "messages.tools.strict_count",
    about: `at most ${strictToolsMax} strict tools`,
    check({ tools }) {
      const count = strictTools(tools).length;
      if (count <= strictToolsMax) return undefined;
      return invalid(
        `Too many strict tools (${count}). The maximum number of strict tools supported is ${strictToolsMax}. ` +
          "Try reducing the number of tools marked as strict.",
      );
    },
  },
  {
    id: "messages.tools.strict_schema",
    about: "strict tools keep to the grammar's subset of JSON Schema",
    check: ({ tools }) =>
      firstRefusal(tools, (tool, index) => {
        const problem = tool["strict"] === true ? grammarProblem(objectOf(tool["input_schema"])) : undefined;
        return problem === undefined ? undefined : invalid(`tools.${index}.custom.input_schema: ${problem}`);
      }),
  },
  {
    id: "messages.tools.optional_count",
    about: `at most ${optionalMax} optional properties over all strict tools`,
    check({ tools }) {
      const count = strictTools(tools).reduce((sum, tool) => sum + optionalCount(objectOf(tool["input_schema"])), 0);
      if (count <= optionalMax) return undefined;
      return invalid(
        `Schemas contains too many optional parameters (${count}), which would make grammar compilation inefficient. ` +
          `Reduce the number of optional parameters in your tool schemas (limit: ${optionalMax}).`,
      );
    },
  },
  {
    id: "messages.tools.union_count",
    about: `at most ${unionMax} nullable or union properties over all strict tools`,
    check({ tools }) {
      const count = strictTools(tools).reduce((sum, tool) => sum + unionCount(objectOf(tool["input_schema"])), 0);
      if (count <= unionMax) return undefined;
      return invalid(
        `Schemas contains too many parameters with union types (${count} parameters with type arrays or anyOf). ` +
          "This causes exponential compilation cost. " +
          `Reduce the number of nullable or union-typed parameters (limit: ${unionMax}).`,
      );
    },
  },
  {
    id: "messages.tool_choice.no_tools",
    about: "tool_choice needs tools",
    check({ body, tools }) {
      if (!has(body, "tool_choice") || tools.length > 0 || has(body, "mcp_servers")) return undefined;
      return invalid("tool_choice: `tool_choice` may only be specified while providing `tools`.");
    },
  },
  {
    id: "messages.tool_choice.type",
    about: "auto, any, none or tool",
    check({ body }) {
      const type = objectOf(body["tool_choice"])["type"];
      if (!has(body, "tool_choice") || ["auto", "any", "none", "tool"].includes(textOf(type))) return undefined;
      return invalid(
        `tool_choice: Input tag '${textOf(type)}' found using 'type' does not match any of the expected tags: ` +
          "'any', 'auto', 'none', 'tool'",
      );
    },
  },
  {
    id: "messages.tool_choice.unknown_tool",
    about: "the named tool is among the tools",
    check({ body, tools }) {
      const choice = objectOf(body["tool_choice"]);
      if (choice["type"] !== "tool" || tools.some((tool) => tool["name"] === choice["name"])) return undefined;
      return invalid(`Tool '${textOf(choice["name"])}' not found in provided tools`);
    },
  },
  {
    id: "messages.tool_choice.model",
    about: "models that refuse to be forced (Opus 5.5, Sonnet 5.5, Fable 5.1 and later)",
    check({ body, model }) {
      if (model.forced_tool_choice || !isForced(body["tool_choice"])) return undefined;
      return invalid('tool_choice: only "auto" and "none" are supported for this model.');
    },
  },
  {
    id: "messages.tool_choice.thinking",
    about: "budget thinking and a forced tool exclude each other",
    check({ body, thinking_type }) {
      if (thinking_type !== "enabled" || !isForced(body["tool_choice"])) return undefined;
      return invalid("Thinking may not be enabled when tool_choice forces tool use.");
    },
  },
  {
    id: "messages.format.schema",
    about: "structured output keeps to the grammar's subset of JSON Schema",
    check({ body }) {
      const [place, sent] = has(body, "output_format")
        ? ["output_format", body["output_format"]]
        : ["output_config.format", objectOf(body["output_config"])["format"]];
      const format = objectOf(sent);
      if (format["type"] !== "json_schema") return undefined;
      const problem = grammarProblem(objectOf(format["schema"]));
      return problem === undefined ? undefined : invalid(`${place}.schema: ${problem}`);
    },
  },
  {
    id: "messages.cache.breakpoints",
    about: `at most ${markersMax} cache markers`,
    check(context) {
      const count = context.segments().filter((segment) => segment.mark !== undefined).length;
      if (count <= markersMax) return undefined;
      return invalid(`A maximum of ${markersMax} blocks with cache_control may be provided. Found ${count}.`);
    },
  },
  {
    id: "messages.cache.ttl_order",
    about: "an hour before five minutes, never after",
    check(context) {
      const marks = context.segments().map((segment) => segment.mark);
      const short = marks.indexOf("5m");
      if (short < 0 || marks.lastIndexOf("1h") < short) return undefined;
      return invalid("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.");
    },
  },
  {
    id: "messages.count",
    about: `at most ${messagesMax} messages`,
    check({ messages }) {
      if (messages.length <= messagesMax) return undefined;
      return invalid(
        `messages: List should have at most ${messagesMax} items after validation, not ${messages.length}`,
      );
    },
  },
  {
    id: "messages.context.length",
    about: "the prompt fits into the context window",
    check(context) {
      const tokens = totalTokens(context.segments());
      if (tokens <= context.model.context) return undefined;
      return invalid(`prompt is too long: ${tokens} tokens > ${context.model.context} maximum`);
    },
  },
];

function isForced(choice: unknown): boolean {
  return ["any", "tool"].includes(textOf(objectOf(choice)["type"]));
}

function strictTools(tools: MessagesContext["tools"]): MessagesContext["tools"] {
  return tools.filter((tool) => tool["strict"] === true);
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasLoneSurrogate);
}

const samplingFields = ["temperature", "top_p", "top_k"];

const knownFields = new Set([
  "model",
  "max_tokens",
  "messages",
  "system",
  "stream",
  "thinking",
  "output_config",
  "output_format",
  "tools",
  "tool_choice",
  "stop_sequences",
  "metadata",
  "cache_control",
  "service_tier",
  "speed",
  "inference_geo",
  "container",
  "diagnostics",
  "mcp_servers",
  "context_management",
  "betas",
  ...samplingFields,
]);
