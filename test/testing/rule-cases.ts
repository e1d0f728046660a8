import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/index.ts";
import {
  chatTools,
  field,
  geminiTools,
  json,
  list,
  messagesTools,
  oldVersion,
  readCall,
  responsesTools,
  schema,
  type Lab,
} from "./lab.ts";

/** One request per rule: it breaks that rule and none that is checked before it. */
export type Case = (lab: Lab) => Promise<Response>;

const user = { role: "user", content: "Hello" };
const bigText = "many words ".repeat(410_000);
const longId = "x".repeat(65);
const manyProperties = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`p${index}`, { type: "string" }]));
const budget = { model: "claude-sonnet-4-5", thinking: { type: "enabled", budget_tokens: 2_000 } };

function use(id: string, extra: JsonObject = {}): JsonObject {
  return { type: "tool_use", id, name: "read", input: { path: "/x" }, ...extra };
}

function result(id: string, extra: JsonObject = {}): JsonObject {
  return { type: "tool_result", tool_use_id: id, content: "ok", ...extra };
}

/** A conversation in which the model called a tool once. */
function called(assistant: JsonValue, answer: JsonValue): JsonObject {
  return {
    tools: messagesTools,
    messages: [user, { role: "assistant", content: assistant }, { role: "user", content: answer }],
  };
}

/** Makes the emulator think and call a tool, and gives back what it said. */
export async function thoughtfulTurn(lab: Lab, body: JsonObject = {}): Promise<JsonObject[]> {
  lab.script({ answer: { thinking: "I should read it.", tool_calls: [readCall] } });
  const response = await lab.messages({ tools: messagesTools, ...body });
  return list(field(await response.json(), "content"))
    .map(json)
    .filter(isJsonObject);
}

async function replayed(
  lab: Lab,
  change: (blocks: JsonObject[]) => JsonValue,
  body: JsonObject = {},
): Promise<Response> {
  const blocks = await thoughtfulTurn(lab, body);
  const id = String(blocks.find((block) => block["type"] === "tool_use")?.["id"]);
  return lab.messages({ ...called(change(blocks), [result(id)]), ...body });
}

const first = (blocks: JsonObject[], patch: JsonObject): JsonValue => [{ ...blocks[0], ...patch }, ...blocks.slice(1)];

const gateCases: Record<string, Case> = {
  "body.too_large": (lab) =>
    lab.raw("/anthropic/v1/messages", { method: "POST", body: new Uint8Array(32 * 1_048_576 + 1) }),
  "auth.missing": (lab) => lab.messages({}, { "x-api-key": "" }),
  "auth.bad": (lab) => lab.messages({}, { "x-api-key": "bad" }),
  "body.json": (lab) =>
    lab.raw("/anthropic/v1/messages", { method: "POST", headers: { "x-api-key": "good" }, body: "{oh" }),
};

const messagesCases: Record<string, Case> = {
  "messages.version.missing": (lab) => lab.messages({}, { "anthropic-version": "" }),
  "messages.version.unknown": (lab) => lab.messages({}, { "anthropic-version": "2020-01-01" }),
  "messages.body.surrogate": (lab) => lab.messages({ messages: [{ role: "user", content: "half \ud83d" }] }),
  "messages.field.required": (lab) => lab.messages({ max_tokens: null }),
  "messages.sampling.version": (lab) => lab.messages({ temperature: 1 }),
  "messages.field.unknown": (lab) => lab.messages({ seed: 3 }),
  "messages.model.unknown": (lab) => lab.messages({ model: "claude-sonet-4-5" }),
  "messages.model.retired": (lab) => lab.messages({ model: "claude-3-7-sonnet-20250219" }),
  "messages.max_tokens.type": (lab) => lab.messages({ max_tokens: 1.5 }),
  "messages.max_tokens.zero": (lab) => lab.messages({ max_tokens: 0, stream: true }),
  "messages.max_tokens.ceiling": (lab) => lab.messages({ max_tokens: 128_001 }),
  "messages.sampling.range": (lab) =>
    lab.messages({ model: "claude-haiku-4-5", temperature: 1.5 }, { "anthropic-version": oldVersion }),
  "messages.sampling.model": (lab) => lab.messages({ temperature: 0.5 }, { "anthropic-version": oldVersion }),
  "messages.sampling.thinking": (lab) =>
    lab.messages({ ...budget, temperature: 0.5 }, { "anthropic-version": oldVersion }),
  "messages.sampling.both": (lab) =>
    lab.messages({ model: "claude-haiku-4-5", temperature: 1, top_p: 1 }, { "anthropic-version": oldVersion }),
  "messages.stop_sequences.blank": (lab) => lab.messages({ stop_sequences: [" "] }),
  "messages.tools.name": (lab) => lab.messages({ tools: [{ name: "a b", input_schema: schema }] }),
  "messages.tools.duplicate": (lab) =>
    lab.messages({
      tools: [
        { name: "a", input_schema: schema },
        { name: "a", input_schema: schema },
      ],
    }),
  "messages.tools.schema": (lab) => lab.messages({ tools: [{ name: "a", input_schema: { type: "string" } }] }),
  "messages.tools.strict_count": (lab) =>
    lab.messages({
      tools: Array.from({ length: 21 }, (_, index) => ({ name: `t${index}`, input_schema: schema, strict: true })),
    }),
  "messages.tools.strict_schema": (lab) =>
    lab.messages({ tools: [{ name: "a", strict: true, input_schema: { type: "object", properties: {} } }] }),
  "messages.tools.optional_count": (lab) =>
    lab.messages({
      tools: [
        {
          name: "a",
          strict: true,
          input_schema: { type: "object", properties: manyProperties, required: [], additionalProperties: false },
        },
      ],
    }),
  "messages.tools.union_count": (lab) => {
    const names = Object.keys(manyProperties).slice(0, 17);
    const properties = Object.fromEntries(names.map((name) => [name, { type: ["string", "null"] }]));
    const input_schema = { type: "object", properties, required: names, additionalProperties: false };
    return lab.messages({ tools: [{ name: "a", strict: true, input_schema }] });
  },
  "messages.tool_choice.no_tools": (lab) => lab.messages({ tool_choice: { type: "auto" } }),
  "messages.tool_choice.type": (lab) => lab.messages({ tools: messagesTools, tool_choice: { type: "required" } }),
  "messages.tool_choice.unknown_tool": (lab) =>
    lab.messages({ tools: messagesTools, tool_choice: { type: "tool", name: "write" } }),
  "messages.tool_choice.model": (lab) => lab.messages({ tools: messagesTools, tool_choice: { type: "any" } }),
  "messages.tool_choice.thinking": (lab) =>
    lab.messages({ ...budget, tools: messagesTools, tool_choice: { type: "any" } }),
  "messages.format.schema": (lab) =>
    lab.messages({
      output_config: {
        format: {
          type: "json_schema",
          schema: { type: "object", properties: { n: { type: "integer", minimum: 1 } }, additionalProperties: false },
        },
      },
    }),
  "messages.cache.breakpoints": (lab) =>
    lab.messages({
      system: Array.from({ length: 5 }, () => ({ type: "text", text: "a", cache_control: { type: "ephemeral" } })),
    }),
  "messages.cache.ttl_order": (lab) =>
    lab.messages({
      system: [
        { type: "text", text: "a", cache_control: { type: "ephemeral" } },
        { type: "text", text: "b", cache_control: { type: "ephemeral", ttl: "1h" } },
      ],
    }),
  "messages.count": (lab) => lab.messages({ messages: Array.from({ length: 100_001 }, () => user) }),
  "messages.context.length": (lab) => lab.messages({ messages: [{ role: "user", content: bigText }] }),
  "messages.thinking.type": (lab) => lab.messages({ thinking: { type: "on" } }),
  "messages.thinking.unsupported": (lab) => lab.messages({ thinking: { type: "disabled" } }),
  "messages.thinking.budget_missing": (lab) =>
    lab.messages({ model: "claude-sonnet-4-5", thinking: { type: "enabled" } }),
  "messages.thinking.budget_unknown": (lab) => lab.messages({ thinking: { type: "adaptive", budget_tokens: 2_000 } }),
  "messages.thinking.budget_minimum": (lab) =>
    lab.messages({ model: "claude-sonnet-4-5", thinking: { type: "enabled", budget_tokens: 1_023 } }),
  "messages.thinking.budget_max_tokens": (lab) =>
    lab.messages({ model: "claude-sonnet-4-5", thinking: { type: "enabled", budget_tokens: 4_096 } }),
  "messages.thinking.display": (lab) => lab.messages({ thinking: { type: "adaptive", display: "full" } }),
  "messages.effort.model": (lab) => lab.messages({ model: "claude-sonnet-4-5", output_config: { effort: "low" } }),
  "messages.effort.level": (lab) => lab.messages({ model: "claude-opus-4-6", output_config: { effort: "xhigh" } }),
  "messages.effort.off": (lab) =>
    lab.messages({ model: "claude-haiku-5-5", thinking: { type: "disabled" }, output_config: { effort: "max" } }),
  "messages.thinking.binding_off": (lab) =>
    lab.messages({ model: "claude-haiku-5-5", thinking: { type: "disabled", block_binding: {} } }),
  "messages.thinking.signature_missing": (lab) =>
    lab.messages(called([{ type: "thinking", thinking: "hm" }, use("a")], [result("a")])),
  "messages.thinking.text_missing": (lab) =>
    lab.messages(called([{ type: "thinking", text: "hm", signature: "x" }, use("a")], [result("a")])),
  "messages.thinking.cache_control": (lab) =>
    replayed(lab, (blocks) => first(blocks, { cache_control: { type: "ephemeral" } })),
  "messages.thinking.signature_invalid": (lab) =>
    replayed(lab, (blocks) => first(blocks, { signature: "ErcBCkgIARAB" })),
  "messages.thinking.redacted_invalid": (lab) =>
    lab.messages(called([{ type: "redacted_thinking", data: "EmwKAhgB" }, use("a")], [result("a")])),
  "messages.thinking.modified": (lab) => replayed(lab, (blocks) => first(blocks, { thinking: "I should not." })),
  "messages.thinking.model_binding": async (lab) => {
    const blocks = await thoughtfulTurn(lab);
    const id = String(blocks[1]?.["id"]);
    return lab.messages({ ...called(blocks, [result(id)]), model: "claude-sonnet-5-5" });
  },
  "messages.thinking.prefix_binding": async (lab) => {
    const blocks = await thoughtfulTurn(lab);
    const id = String(blocks[1]?.["id"]);
    return lab.messages({
      tools: messagesTools,
      messages: [
        { role: "user", content: "Hello, edited" },
        { role: "assistant", content: blocks },
        { role: "user", content: [result(id)] },
      ],
    });
  },
  "messages.thinking.required": (lab) => replayed(lab, (blocks) => blocks.slice(1), budget),
  "messages.empty": (lab) => lab.messages({ messages: [] }),
  "messages.role": (lab) => lab.messages({ messages: [{ role: "tool", content: "x" }] }),
  "messages.system.model": (lab) =>
    lab.messages({ model: "claude-sonnet-4-5", messages: [user, { role: "system", content: "Be brief." }] }),
  "messages.system.place": (lab) => lab.messages({ messages: [{ role: "system", content: "Be brief." }, user] }),
  "messages.content.empty": (lab) => lab.messages({ messages: [{ role: "user", content: [] }] }),
  "messages.block.type": (lab) => lab.messages({ messages: [{ role: "user", content: [use("a")] }] }),
  "messages.text.empty": (lab) => lab.messages({ messages: [{ role: "user", content: "" }] }),
  "messages.document.assistant": (lab) =>
    lab.messages({ messages: [user, { role: "assistant", content: [{ type: "document", source: {} }] }, user] }),
  "messages.citations.user": (lab) =>
    lab.messages({ messages: [{ role: "user", content: [{ type: "text", text: "a", citations: [{ type: "x" }] }] }] }),
  "messages.image.media_type": (lab) =>
    lab.messages({
      messages: [
        {
          role: "user",
          content: [{ type: "image", source: { type: "base64", media_type: "image/tiff", data: "aaaa" } }],
        },
      ],
    }),
  "messages.tool_use.id_pattern": (lab) => lab.messages(called([use("a.b")], [result("a.b")])),
  "messages.tool_use.id_length": (lab) => lab.messages(called([use(longId)], [result(longId)])),
  "messages.tool_use.input": (lab) => lab.messages(called([use("a", { input: "{}" })], [result("a")])),
  "messages.tool_use.duplicate": (lab) => lab.messages(called([use("a"), use("a")], [result("a")])),
  "messages.tool_use.text_after": (lab) =>
    lab.messages(called([use("a"), { type: "text", text: "so" }], [result("a")])),
  "messages.tool_use.unanswered": (lab) => lab.messages(called([use("a"), use("b")], [result("a")])),
  "messages.tool_result.order": (lab) => lab.messages(called([use("a")], [{ type: "text", text: "so" }, result("a")])),
  "messages.tool_result.orphan": (lab) => lab.messages(called([use("a")], [result("a"), result("b")])),
  "messages.tool_result.duplicate": (lab) => lab.messages(called([use("a")], [result("a"), result("a")])),
  "messages.tool_result.error_content": (lab) =>
    lab.messages(called([use("a")], [result("a", { is_error: true, content: [{ type: "image", source: {} }] })])),
  "messages.prefill.model": (lab) => lab.messages({ messages: [user, { role: "assistant", content: "I" }] }),
  "messages.prefill.thinking": (lab) =>
    lab.messages({ ...budget, messages: [user, { role: "assistant", content: "I" }] }),
  "messages.prefill.whitespace": (lab) =>
    lab.messages({ model: "claude-sonnet-4-5", messages: [user, { role: "assistant", content: "I " }] }),
};

function call(id: string, extra: JsonObject = {}): JsonObject {
  return { type: "function_call", call_id: id, name: "read", arguments: '{"path":"/x"}', ...extra };
}

function output(id: string, extra: JsonObject = {}): JsonObject {
  return { type: "function_call_output", call_id: id, output: "ok", ...extra };
}

function input(...items: JsonObject[]): JsonObject {
  return { tools: responsesTools, input: [user, ...items] };
}

/** What the emulator answered with reasoning and one call. */
export async function reasonedItems(lab: Lab, body: JsonObject = {}): Promise<JsonObject[]> {
  lab.script({ answer: { thinking: "I should read it.", tool_calls: [readCall] } });
  const response = await lab.responses({ tools: responsesTools, ...body });
  return list(field(await response.json(), "output"))
    .map(json)
    .filter(isJsonObject);
}

const badSchema = {
  type: "object",
  properties: { path: { type: "string" } },
  required: [],
  additionalProperties: false,
};

const responsesCases: Record<string, Case> = {
  "responses.field.required": (lab) => lab.responses({ model: null }),
  "responses.field.unknown": (lab) => lab.responses({ stop: ["x"] }),
  "responses.model.unknown": (lab) => lab.responses({ model: "gpt-5.2-proo" }),
  "responses.model.retired": (lab) => lab.responses({ model: "o4-mini" }),
  "responses.input.type": (lab) => lab.responses({ input: { role: "user" } }),
  "responses.input.empty": (lab) => lab.responses({ input: [] }),
  "responses.previous_response": (lab) => lab.responses({ previous_response_id: "resp_unknown" }),
  "responses.max_output_tokens.minimum": (lab) => lab.responses({ max_output_tokens: 15 }),
  "responses.max_output_tokens.ceiling": (lab) => lab.responses({ max_output_tokens: 128_001 }),
  "responses.effort.value": (lab) => lab.responses({ reasoning: { effort: "med" } }),
  "responses.effort.no_reasoning": (lab) => lab.responses({ model: "gpt-4.1", reasoning: { effort: "low" } }),
  "responses.effort.unsupported": (lab) => lab.responses({ reasoning: { effort: "none" } }),
  "responses.summary.value": (lab) => lab.responses({ reasoning: { summary: "full" } }),
  "responses.reasoning.unknown": (lab) => lab.responses({ reasoning: { max_tokens: 1_000 } }),
  "responses.sampling.range": (lab) => lab.responses({ model: "gpt-4.1", temperature: 3 }),
  "responses.sampling.unsupported": (lab) => lab.responses({ temperature: 0.5 }),
  "responses.include.value": (lab) => lab.responses({ include: ["everything"] }),
  "responses.verbosity.value": (lab) => lab.responses({ text: { verbosity: "chatty" } }),
  "responses.cache_key.length": (lab) => lab.responses({ prompt_cache_key: longId }),
  "responses.cache.retention": (lab) => lab.responses({ prompt_cache_retention: "24h" }),
  "responses.safety_identifier.length": (lab) => lab.responses({ safety_identifier: "x".repeat(129) }),
  "responses.metadata": (lab) =>
    lab.responses({ metadata: Object.fromEntries(Object.keys(manyProperties).map((name) => [name, "x"])) }),
  "responses.tools.shape": (lab) => lab.responses({ tools: chatTools }),
  "responses.tools.name": (lab) => lab.responses({ tools: [{ type: "function", name: "a.b", parameters: schema }] }),
  "responses.tools.strict": (lab) =>
    lab.responses({ tools: [{ type: "function", name: "a", parameters: badSchema, strict: true }] }),
  "responses.tool_choice.no_tools": (lab) => lab.responses({ tool_choice: "required" }),
  "responses.tool_choice.value": (lab) => lab.responses({ tools: responsesTools, tool_choice: "any" }),
  "responses.tool_choice.unknown_tool": (lab) =>
    lab.responses({ tools: responsesTools, tool_choice: { type: "function", name: "write" } }),
  "responses.format.shape": (lab) =>
    lab.responses({ text: { format: { type: "json_schema", json_schema: { name: "a", schema } } } }),
  "responses.format.strict": (lab) =>
    lab.responses({ text: { format: { type: "json_schema", name: "a", schema: { type: "object" } } } }),
  "responses.format.json_word": (lab) => lab.responses({ text: { format: { type: "json_object" } } }),
  "responses.context.length": (lab) => lab.responses({ input: bigText }),
  "responses.item.type": (lab) => lab.responses({ input: [{ type: "tool_result" }] }),
  "responses.item.role": (lab) => lab.responses({ input: [{ role: "tool", content: "x" }] }),
  "responses.content.missing": (lab) => lab.responses({ input: [{ role: "user" }] }),
  "responses.content.empty": (lab) => lab.responses({ input: [{ role: "user", content: [] }] }),
  "responses.content.type": (lab) =>
    lab.responses({ input: [{ role: "assistant", content: [{ type: "input_text", text: "x" }] }] }),
  "responses.id.prefix": (lab) => lab.responses(input(call("a", { id: "toolu_1" }), output("a"))),
  "responses.id.length": (lab) => lab.responses(input(call("a", { id: `fc_${longId}` }), output("a"))),
  "responses.id.duplicate": (lab) =>
    lab.responses(input(call("a", { id: "fc_1" }), call("b", { id: "fc_1" }), output("a"), output("b"))),
  "responses.call_id.missing": (lab) => lab.responses(input(call("", {}), output(""))),
  "responses.call_id.length": (lab) => lab.responses(input(call(longId), output(longId))),
  "responses.call_id.pattern": (lab) => lab.responses(input(call("a|b"), output("a|b"))),
  "responses.call.name": (lab) => lab.responses(input(call("a", { name: "read file" }), output("a"))),
  "responses.call.arguments": (lab) => lab.responses(input(call("a", { arguments: { path: "/x" } }), output("a"))),
  "responses.output.type": (lab) => lab.responses(input(call("a"), output("a", { output: { ok: true } }))),
  "responses.call.duplicate": (lab) => lab.responses(input(call("a"), call("a"), output("a"))),
  "responses.output.orphan": (lab) => lab.responses(input(output("a"), call("a"))),
  "responses.output.duplicate": (lab) => lab.responses(input(call("a"), output("a"), output("a"))),
  "responses.call.unanswered": (lab) => lab.responses(input(call("a"), call("b"), output("a"))),
  "responses.reasoning.summary": (lab) =>
    lab.responses(input({ type: "reasoning", id: "rs_1", encrypted_content: "x" }, call("a"), output("a"))),
  "responses.reasoning.not_stored": (lab) =>
    lab.responses(input({ type: "reasoning", id: "rs_1", summary: [] }, call("a"), output("a"))),
  "responses.item_reference": (lab) => lab.responses(input({ type: "item_reference", id: "rs_1" })),
  "responses.reasoning.encrypted_invalid": (lab) =>
    lab.responses(
      input({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABo" }, call("a"), output("a")),
    ),
  "responses.reasoning.no_following": async (lab) => {
    const items = await reasonedItems(lab);
    return lab.responses(input(...items.slice(0, 1), { role: "user", content: "And?" }));
  },
  "responses.reasoning.missing": async (lab) => {
    const items = await reasonedItems(lab);
    const id = String(items[1]?.["call_id"]);
    return lab.responses(input(...items.slice(1), output(id)));
  },
};

function chatCall(id: string, extra: JsonObject = {}): JsonObject {
  return { id, type: "function", function: { name: "read", arguments: '{"path":"/x"}' }, ...extra };
}

function chatCalled(calls: JsonValue, ...rest: JsonObject[]): JsonObject {
  return { tools: chatTools, messages: [user, { role: "assistant", content: null, tool_calls: calls }, ...rest] };
}

function told(id: string): JsonObject {
  return { role: "tool", tool_call_id: id, content: "ok" };
}

const strictTool = { type: "function", function: { name: "a", parameters: badSchema, strict: true } };

const chatCases: Record<string, Case> = {
  "chat.field.required": (lab) => lab.chat({ messages: null }),
  "chat.field.unknown": (lab) => lab.chat({ max_output_tokens: 100 }),
  "chat.model.unknown": (lab) => lab.chat({ model: "gpt-nonexistent" }),
  "chat.model.retired": (lab) => lab.chat({ model: "gpt-3.5-turbo-0613" }),
  "chat.max_tokens.reasoning": (lab) => lab.chat({ max_tokens: 100 }),
  "chat.max_tokens.both": (lab) => lab.chat({ model: "gpt-4.1", max_tokens: 100, max_completion_tokens: 100 }),
  "chat.max_tokens.minimum": (lab) => lab.chat({ max_completion_tokens: 0 }),
  "chat.max_tokens.ceiling": (lab) => lab.chat({ max_completion_tokens: 128_001 }),
  "chat.effort.value": (lab) => lab.chat({ reasoning_effort: "off" }),
  "chat.effort.no_reasoning": (lab) => lab.chat({ model: "gpt-4.1", reasoning_effort: "low" }),
  "chat.effort.unsupported": (lab) => lab.chat({ reasoning_effort: "minimal" }),
  "chat.tools.model": (lab) => lab.chat({ model: "gpt-6.1-sol", tools: chatTools }),
  "chat.tools.reasoning": (lab) => lab.chat({ model: "gpt-6-sol", tools: chatTools }),
  "chat.sampling.range": (lab) => lab.chat({ model: "gpt-4.1", temperature: 99 }),
  "chat.sampling.unsupported": (lab) => lab.chat({ reasoning_effort: "low", temperature: 0 }),
  "chat.stop.model": (lab) => lab.chat({ stop: ["x"] }),
  "chat.stop.count": (lab) => lab.chat({ model: "gpt-4.1", stop: ["1", "2", "3", "4", "5"] }),
  "chat.stream_options": (lab) => lab.chat({ stream_options: { include_usage: true } }),
  "chat.tools.shape": (lab) => lab.chat({ tools: responsesTools }),
  "chat.tools.name": (lab) => lab.chat({ tools: [{ type: "function", function: { name: "a b" } }] }),
  "chat.tools.strict": (lab) => lab.chat({ tools: [strictTool] }),
  "chat.tool_choice.no_tools": (lab) => lab.chat({ tool_choice: "auto" }),
  "chat.parallel.no_tools": (lab) => lab.chat({ parallel_tool_calls: true }),
  "chat.tool_choice.value": (lab) => lab.chat({ tools: chatTools, tool_choice: "any" }),
  "chat.tool_choice.unknown_tool": (lab) =>
    lab.chat({ tools: chatTools, tool_choice: { type: "function", function: { name: "write" } } }),
  "chat.format.strict": (lab) =>
    lab.chat({ response_format: { type: "json_schema", json_schema: { name: "a", strict: true, schema: badSchema } } }),
  "chat.format.shape": (lab) => lab.chat({ response_format: { type: "json_schema", name: "a", schema } }),
  "chat.format.json_word": (lab) => lab.chat({ response_format: { type: "json_object" } }),
  "chat.context.length": (lab) => lab.chat({ model: "gpt-4o", messages: [{ role: "user", content: bigText }] }),
  "chat.messages.empty": (lab) => lab.chat({ messages: [] }),
  "chat.role": (lab) => lab.chat({ messages: [{ role: "model", content: "x" }] }),
  "chat.content.missing": (lab) => lab.chat({ messages: [user, { role: "assistant", content: null }] }),
  "chat.content.empty": (lab) => lab.chat({ messages: [{ role: "user", content: [] }] }),
  "chat.content.type": (lab) =>
    lab.chat(chatCalled([chatCall("a")], { role: "tool", tool_call_id: "a", content: [{ type: "image_url" }] })),
  "chat.tool_calls.empty": (lab) => lab.chat(chatCalled([])),
  "chat.tool_call.shape": (lab) =>
    lab.chat(chatCalled([chatCall("a", { function: { name: "read", arguments: { path: "/x" } } })], told("a"))),
  "chat.tool_call.id_length": (lab) => lab.chat(chatCalled([chatCall("x".repeat(41))], told("x".repeat(41)))),
  "chat.tool_call.id_pattern": (lab) => lab.chat(chatCalled([chatCall("a|b")], told("a|b"))),
  "chat.tool_call.name": (lab) =>
    lab.chat(chatCalled([chatCall("a", { function: { name: "read file", arguments: "{}" } })], told("a"))),
  "chat.tool_call.duplicate": (lab) => lab.chat(chatCalled([chatCall("a"), chatCall("a")], told("a"))),
  "chat.tool.id_missing": (lab) => lab.chat(chatCalled([chatCall("a")], { role: "tool", content: "ok" })),
  "chat.tool_call.unanswered": (lab) => lab.chat(chatCalled([chatCall("a"), chatCall("b")], told("a"), user)),
  "chat.tool.orphan": (lab) => lab.chat(chatCalled([chatCall("a")], told("a"), user, told("a"))),
  "chat.tool.duplicate": (lab) => lab.chat(chatCalled([chatCall("a")], told("a"), told("a"))),
};

const xaiChat = "/xai/v1/chat/completions";
const metaChat = "/meta/v1/chat/completions";
const routerChat = "/openrouter/api/v1/chat/completions";
const grok = { model: "grok-4.7", messages: [user] };
const muse = { model: "muse-spark-1.3", messages: [user] };
const routed = { model: "anthropic/claude-opus-5.5", messages: [user] };
const recursive = {
  type: "object",
  properties: { next: { $ref: "#/$defs/node" } },
  $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
};

/** Rules of servers that speak a wire in their own way. */
const dialectCases: Record<string, Case> = {
  "responses.role.developer": (lab) =>
    lab.at("/xai/v1/responses", { model: "grok-4.7", input: [{ role: "developer", content: "x" }] }),
  "responses.tool_choice.auto_only": (lab) =>
    lab.at("/meta/v1/responses", {
      model: "muse-spark-1.3",
      input: "x",
      tools: responsesTools,
      tool_choice: "required",
    }),
  "responses.tools.recursive": (lab) =>
    lab.at("/meta/v1/responses", {
      model: "muse-spark-1.3",
      input: "x",
      tools: [{ type: "function", name: "a", parameters: recursive }],
    }),
  "chat.role.developer": (lab) => lab.at(xaiChat, { ...grok, messages: [{ role: "developer", content: "x" }] }),
  "chat.tool_choice.auto_only": (lab) => lab.at(metaChat, { ...muse, tools: chatTools, tool_choice: "none" }),
  "chat.tools.recursive": (lab) =>
    lab.at(metaChat, { ...muse, tools: [{ type: "function", function: { name: "a", parameters: recursive } }] }),
  "chat.reasoning.both": (lab) => lab.at(routerChat, { ...routed, reasoning: { effort: "low", max_tokens: 1_000 } }),
  "chat.reasoning.conflict": (lab) =>
    lab.at(routerChat, { ...routed, reasoning_effort: "high", reasoning: { effort: "low" } }),
  "chat.reasoning_details.invalid": (lab) => {
    const detail = { type: "reasoning.text", text: "hm", signature: "Eabc", format: "anthropic-claude-v1", index: 0 };
    const answer = { role: "assistant", content: "x", reasoning_details: [detail] };
    return lab.at(routerChat, { ...routed, messages: [user, answer, user] });
  },
};

const said = { role: "user", parts: [{ text: "Hello" }] };
const made: JsonObject = { functionCall: { name: "read", args: { path: "/x" } } };
const gave: JsonObject = { functionResponse: { name: "read", response: { output: "ok" } } };
const sentinel = { thoughtSignature: "skip_thought_signature_validator" };

function contents(...turns: JsonObject[]): JsonObject {
  return { tools: geminiTools, contents: [said, ...turns] };
}

function modelTurn(...parts: JsonObject[]): JsonObject {
  return { role: "model", parts };
}

function userTurn(...parts: JsonObject[]): JsonObject {
  return { role: "user", parts };
}

function thinking(thinkingConfig: JsonObject): JsonObject {
  return { generationConfig: { thinkingConfig } };
}

function declare(declaration: JsonObject): JsonObject {
  return { tools: [{ functionDeclarations: [declaration] }] };
}

/** What the emulator answered with one call. */
export async function signedParts(lab: Lab, model?: string): Promise<JsonObject[]> {
  lab.script({ answer: { thinking: "I should read it.", tool_calls: [readCall] } });
  const response = await lab.gemini({ tools: geminiTools }, model);
  return list(field(await response.json(), "candidates", 0, "content", "parts"))
    .map(json)
    .filter(isJsonObject);
}

const geminiCases: Record<string, Case> = {
  "gemini.model.unknown": (lab) => lab.gemini({}, "gemini-nonexistent"),
  "gemini.model.retired": (lab) => lab.gemini({}, "gemini-3-pro-preview"),
  "gemini.field.unknown": (lab) => lab.gemini({ model: "gemini-4-argon" }),
  "gemini.contents.missing": (lab) => lab.gemini({ contents: [] }),
  "gemini.max_output.range": (lab) => lab.gemini({ generationConfig: { maxOutputTokens: 65_537 } }),
  "gemini.temperature.range": (lab) => lab.gemini({ generationConfig: { temperature: 3 } }),
  "gemini.thinking.unknown": (lab) => lab.gemini(thinking({ effort: "LOW" })),
  "gemini.thinking.both": (lab) => lab.gemini(thinking({ thinkingLevel: "LOW", thinkingBudget: 128 })),
  "gemini.thinking.level_value": (lab) => lab.gemini(thinking({ thinkingLevel: "MAX" })),
  "gemini.thinking.level_model": (lab) => lab.gemini(thinking({ thinkingLevel: "LOW" }), "gemini-2.5-pro"),
  "gemini.thinking.level": (lab) => lab.gemini(thinking({ thinkingLevel: "MINIMAL" })),
  "gemini.thinking.budget_model": (lab) => lab.gemini(thinking({ thinkingBudget: 1_024 })),
  "gemini.thinking.budget_zero": (lab) => lab.gemini(thinking({ thinkingBudget: 0 }), "gemini-2.5-pro"),
  "gemini.thinking.budget_range": (lab) => lab.gemini(thinking({ thinkingBudget: 32_769 }), "gemini-2.5-pro"),
  "gemini.tools.name": (lab) => lab.gemini(declare({ name: "1st" })),
  "gemini.tools.duplicate": (lab) => lab.gemini({ tools: [{ functionDeclarations: [{ name: "a" }, { name: "a" }] }] }),
  "gemini.tools.schema_both": (lab) =>
    lab.gemini(declare({ name: "a", parameters: { type: "object" }, parametersJsonSchema: schema })),
  "gemini.tools.schema": (lab) => lab.gemini(declare({ name: "a", parameters: schema })),
  "gemini.tool_choice.mode": (lab) =>
    lab.gemini({ tools: geminiTools, toolConfig: { functionCallingConfig: { mode: "REQUIRED" } } }),
  "gemini.tool_choice.names_mode": (lab) =>
    lab.gemini({
      tools: geminiTools,
      toolConfig: { functionCallingConfig: { mode: "AUTO", allowedFunctionNames: ["read"] } },
    }),
  "gemini.tool_choice.names": (lab) =>
    lab.gemini({
      tools: geminiTools,
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["write"] } },
    }),
  "gemini.format.mime": (lab) => lab.gemini({ generationConfig: { responseJsonSchema: schema } }),
  "gemini.format.both": (lab) =>
    lab.gemini({
      generationConfig: {
        responseMimeType: "application/json",
        responseJsonSchema: schema,
        responseSchema: { type: "OBJECT" },
      },
    }),
  "gemini.format.tools": (lab) =>
    lab.gemini({ tools: geminiTools, generationConfig: { responseMimeType: "application/json" } }, "gemini-2.5-flash"),
  "gemini.context.length": (lab) => lab.gemini({ contents: [userTurn({ text: bigText })] }),
  "gemini.role": (lab) => lab.gemini({ contents: [{ role: "assistant", parts: [{ text: "x" }] }] }),
  "gemini.parts.empty": (lab) => lab.gemini({ contents: [{ role: "user", parts: [] }] }),
  "gemini.part.empty": (lab) => lab.gemini({ contents: [userTurn({ thought: true })] }),
  "gemini.part.unknown": (lab) => lab.gemini({ contents: [userTurn({ text: "x", type: "text" })] }),
  "gemini.response.name": (lab) =>
    lab.gemini(contents(modelTurn({ ...made, ...sentinel }), userTurn({ functionResponse: { response: {} } }))),
  "gemini.response.object": (lab) =>
    lab.gemini(
      contents(modelTurn({ ...made, ...sentinel }), userTurn({ functionResponse: { name: "read", response: "ok" } })),
    ),
  "gemini.call.args": (lab) =>
    lab.gemini(contents(modelTurn({ functionCall: { name: "read", args: "{}" }, ...sentinel }), userTurn(gave))),
  "gemini.order.call": (lab) =>
    lab.gemini({ tools: geminiTools, contents: [modelTurn({ ...made, ...sentinel }), userTurn(gave)] }),
  "gemini.order.response": (lab) => lab.gemini(contents(modelTurn({ text: "Yes?" }), userTurn(gave))),
  "gemini.response.count": (lab) => lab.gemini(contents(modelTurn({ ...made, ...sentinel }, made), userTurn(gave))),
  "gemini.signature.missing": (lab) => lab.gemini(contents(modelTurn(made), userTurn(gave))),
  "gemini.signature.base64": (lab) =>
    lab.gemini(contents(modelTurn({ ...made, thoughtSignature: "not base64!" }), userTurn(gave))),
  "gemini.signature.corrupted": async (lab) => {
    const [part = {}] = await signedParts(lab);
    const moved = { functionCall: { name: "write" }, thoughtSignature: part["thoughtSignature"] };
    return lab.gemini(contents(modelTurn(moved), userTurn({ functionResponse: { name: "write", response: {} } })));
  },
  "gemini.signature.model": async (lab) => {
    const parts = await signedParts(lab);
    return lab.gemini(contents(modelTurn(...parts), userTurn(gave)), "gemini-3.8-flash");
  },
};

export const cases: Readonly<Record<string, Case>> = {
  ...gateCases,
  ...messagesCases,
  ...responsesCases,
  ...chatCases,
  ...dialectCases,
  ...geminiCases,
};
