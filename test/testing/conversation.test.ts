import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/index.ts";
import { field, geminiTools, json, list, makeLab, messagesTools, readCall, responsesTools } from "./lab.ts";
import { reasonedItems, signedParts, thoughtfulTurn } from "./rule-cases.ts";

const user = { role: "user", content: "Hello" };

function result(id: unknown): JsonObject {
  return { type: "tool_result", tool_use_id: String(id), content: "ok" };
}

function lastText(body: unknown): unknown {
  return field(list(field(body, "content")).at(-1), "text");
}

describe("signatures hold over turns", () => {
  test.each(["claude-opus-5-5", "claude-sonnet-5", "claude-opus-4-8", "claude-sonnet-4-5"])(
    "messages: %s",
    async (model) => {
      const lab = makeLab();
      const old = model === "claude-sonnet-4-5";
      const thinking = old ? { type: "enabled", budget_tokens: 2_000 } : { type: "adaptive", display: "summarized" };
      const body = { model, thinking, tools: messagesTools };
      let messages: JsonValue[] = [user];
      for (let round = 0; round < 3; round++) {
        lab.script({ answer: { thinking: `Round ${round}.`, text: "Reading.", tool_calls: [readCall] } });
        const answered = await lab.messages({ ...body, messages });
        const content = list(field(await answered.json(), "content"));
        expect(content.map((block) => field(block, "type"))).toEqual(["thinking", "text", "tool_use"]);
        expect(field(content[0], "thinking")).toBe(`Round ${round}.`);
        const answer = result(field(content[2], "id"));
        messages = [...messages, { role: "assistant", content: json(content) }, { role: "user", content: [answer] }];
      }
      const last = await lab.messages({ ...body, messages });
      expect(last.status, await last.text()).toBe(200);
    },
  );

  test("messages: redacted and omitted thinking come back unchanged", async () => {
    const lab = makeLab();
    lab.script({
      answer: {
        blocks: [{ type: "redacted_thinking" }, { type: "omitted_thinking" }, { type: "tool_call", ...readCall }],
      },
    });
    const content = list(field(await (await lab.messages({ tools: messagesTools })).json(), "content"));
    expect(content.map((block) => field(block, "type"))).toEqual(["redacted_thinking", "thinking", "tool_use"]);
    expect(field(content[1], "thinking")).toBe("");
    const next = await lab.messages({
      tools: messagesTools,
      messages: [
        user,
        { role: "assistant", content: json(content) },
        { role: "user", content: [result(field(content[2], "id"))] },
      ],
    });
    expect(next.status, await next.text()).toBe(200);
  });

  test("messages: the default display of new models withholds the text, the signature still counts", async () => {
    const lab = makeLab();
    const [thinking, call] = await thoughtfulTurn(lab);
    expect(thinking).toMatchObject({ type: "thinking", thinking: "" });
    const messages = [
      user,
      { role: "assistant", content: [thinking ?? {}, call ?? {}] },
      { role: "user", content: [result(call?.["id"])] },
    ];
    expect((await lab.messages({ tools: messagesTools, messages })).status).toBe(200);
  });

  test("messages: a signature of one emulator is foreign to another", async () => {
    const blocks = await thoughtfulTurn(makeLab({ seed: 1 }));
    const messages = [
      user,
      { role: "assistant", content: blocks },
      { role: "user", content: [result(blocks[1]?.["id"])] },
    ];
    const response = await makeLab({ seed: 2 }).messages({ tools: messagesTools, messages });
    expect(response.headers.get("x-mock-rule")).toBe("messages.thinking.signature_invalid");
  });

  test("messages: with its beta a block bound elsewhere is dropped and listed", async () => {
    const lab = makeLab();
    const blocks = await thoughtfulTurn(lab);
    const messages = [
      { role: "user", content: "Edited" },
      { role: "assistant", content: blocks },
      { role: "user", content: [result(blocks[1]?.["id"])] },
    ];
    const thinking = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
    const beta = { "anthropic-beta": "thinking-binding-controls-2026-08-01" };
    const response = await lab.messages({ tools: messagesTools, messages, thinking }, beta);
    const body: unknown = await response.json();
    expect(field(body, "input_transformations")).toEqual([
      { type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" },
    ]);
  });

  test("messages: a cache marker is not part of what thinking is bound to", async () => {
    const lab = makeLab();
    const blocks = await thoughtfulTurn(lab);
    const marked = { type: "text", text: "Hello", cache_control: { type: "ephemeral" } };
    const messages = [
      { role: "user", content: [marked] },
      { role: "assistant", content: blocks },
      { role: "user", content: [result(blocks[1]?.["id"])] },
    ];
    const response = await lab.messages({ tools: messagesTools, messages });
    expect(response.status, await response.text()).toBe(200);
  });

  test("responses: reasoning goes back encrypted, with or without its id", async () => {
    const lab = makeLab();
    const items = await reasonedItems(lab);
    const [reasoning, call] = items;
    const output = { type: "function_call_output", call_id: String(call?.["call_id"]), output: "ok" };
    const whole = await lab.responses({ tools: responsesTools, input: [user, ...items, output] });
    expect(whole.status, await whole.text()).toBe(200);
    const { id: _id, ...bare } = reasoning ?? {};
    const { id: _other, ...bareCall } = call ?? {};
    const stripped = await lab.responses({ tools: responsesTools, input: [user, bare, bareCall, output] });
    expect(stripped.status, await stripped.text()).toBe(200);
  });

  test("responses: reasoning of another model is refused", async () => {
    const lab = makeLab();
    const items = await reasonedItems(lab);
    const output = { type: "function_call_output", call_id: String(items[1]?.["call_id"]), output: "ok" };
    const response = await lab.responses({
      model: "gpt-6-sol",
      tools: responsesTools,
      input: [user, ...items, output],
    });
    expect(field(await response.json(), "error", "code")).toBe("invalid_encrypted_content");
  });

  test("responses: kept responses can be continued", async () => {
    const lab = makeLab();
    lab.script({ answer: { thinking: "Hm.", tool_calls: [readCall] } });
    const asked: unknown = await (await lab.responses({ tools: responsesTools, store: true })).json();
    const call = list(field(asked, "output")).find((item) => field(item, "type") === "function_call");
    const output = { type: "function_call_output", call_id: String(field(call, "call_id")), output: "42" };
    const next = await lab.responses({
      tools: responsesTools,
      store: true,
      previous_response_id: String(field(asked, "id")),
      input: [output],
    });
    const body: unknown = await next.json();
    expect(next.status, JSON.stringify(body)).toBe(200);
    expect(JSON.stringify(body)).toContain("The tool answered: 42");
  });

  test("gemini: the signed call goes back where it was", async () => {
    const lab = makeLab();
    const parts = await signedParts(lab);
    const contents = [
      { role: "user", parts: [{ text: "Hello" }] },
      { role: "model", parts },
      { role: "user", parts: [{ functionResponse: { name: "read", response: { output: "ok" } } }] },
    ];
    const response = await lab.gemini({ tools: geminiTools, contents });
    expect(response.status, await response.text()).toBe(200);
  });
});

describe("cache reads follow the prefix", () => {
  const long = "A long story. ".repeat(600);
  const mark = { cache_control: { type: "ephemeral" } };

  test("messages: written up to the marker, read when it comes again, in sums that agree", async () => {
    const lab = makeLab();
    const system = [{ type: "text", text: long, ...mark }];
    const usage = async (messages: JsonValue): Promise<unknown> =>
      field(await (await lab.messages({ system, messages })).json(), "usage");
    const first = await usage([user]);
    const written = Number(field(first, "cache_creation_input_tokens"));
    expect(written).toBeGreaterThan(2_000);
    expect(field(first, "cache_read_input_tokens")).toBe(0);
    expect(field(first, "cache_creation", "ephemeral_5m_input_tokens")).toBe(written);
    const second = await usage([user, { role: "assistant", content: "Hi" }, user]);
    expect(field(second, "cache_read_input_tokens")).toBe(written);
    expect(field(second, "cache_creation_input_tokens")).toBe(0);
    expect(Number(field(second, "input_tokens"))).toBeGreaterThan(Number(field(first, "input_tokens")));
  });

  test("messages: a changed prefix and a short one are not read", async () => {
    const lab = makeLab();
    const send = async (text: string): Promise<unknown> =>
      field(await (await lab.messages({ system: [{ type: "text", text, ...mark }] })).json(), "usage");
    await send(long);
    expect(field(await send(`${long}!`), "cache_read_input_tokens")).toBe(0);
    await send("short");
    expect(field(await send("short"), "cache_read_input_tokens")).toBe(0);
    expect(field(await send(long), "cache_read_input_tokens")).toBeGreaterThan(2_000);
  });

  test("messages: an hour costs its own price", async () => {
    const lab = makeLab();
    const system = [{ type: "text", text: long, cache_control: { type: "ephemeral", ttl: "1h" } }];
    const usage = field(await (await lab.messages({ system })).json(), "usage");
    expect(field(usage, "cache_creation", "ephemeral_1h_input_tokens")).toBe(
      field(usage, "cache_creation_input_tokens"),
    );
  });

  test("responses: read by itself, in steps of 128", async () => {
    const lab = makeLab();
    const usage = async (input: JsonValue): Promise<unknown> =>
      field(await (await lab.responses({ instructions: long, input })).json(), "usage");
    expect(field(await usage([user]), "input_tokens_details", "cached_tokens")).toBe(0);
    const second = await usage([user, { role: "user", content: "More" }]);
    const read = Number(field(second, "input_tokens_details", "cached_tokens"));
    expect(read).toBeGreaterThan(1_024);
    expect(read % 128).toBe(0);
    const other = await lab.responses({ model: "gpt-6-sol", instructions: long });
    expect(field(await other.json(), "usage", "input_tokens_details", "cached_tokens")).toBe(0);
  });

  test("gemini: read by itself, and the smallest prefix can be set", async () => {
    const lab = makeLab({ cache_min_tokens: 1 });
    const contents = [{ role: "user", parts: [{ text: "Hello there" }] }];
    const usage = async (): Promise<unknown> => field(await (await lab.gemini({ contents })).json(), "usageMetadata");
    expect(field(await usage(), "cachedContentTokenCount")).toBeUndefined();
    const again = await usage();
    expect(field(again, "cachedContentTokenCount")).toBe(field(again, "promptTokenCount"));
  });
});

describe("what is answered", () => {
  test("the script in order, then the rule, then an echo", async () => {
    const lab = makeLab({
      rule: (request) => (request.messages.length > 1 ? { text: `rule on ${request.wire}` } : undefined),
    });
    lab.script({ answer: { text: "first" } }, { match: { wire: "chat" }, answer: { text: "for chat" } });
    const say = async (messages: JsonValue): Promise<unknown> =>
      lastText(await (await lab.messages({ messages })).json());
    expect(await say([user])).toBe("first");
    expect(await say([user])).toBe("You said: Hello");
    expect(await say([user, { role: "assistant", content: "Hi" }, user])).toBe("rule on messages");
    const chat: unknown = await (await lab.chat({})).json();
    expect(field(chat, "choices", 0, "message", "content")).toBe("for chat");
  });

  test("matches look at text, model, results and stream; an entry may serve often", async () => {
    const lab = makeLab();
    lab.script(
      { match: { text: "weather" }, answer: { text: "sunny" }, times: 2 },
      {
        match: { pattern: "^H", model: "claude-opus-5-5", stream: false },
        answer: { text: "capital" },
        times: "always",
      },
    );
    const say = async (content: string): Promise<unknown> =>
      lastText(await (await lab.messages({ messages: [{ role: "user", content }] })).json());
    expect(await say("How is the weather?")).toBe("sunny");
    expect(await say("Hello")).toBe("capital");
    expect(await say("weather")).toBe("sunny");
    expect(await say("weather")).toBe("You said: weather");
    expect(await say("Hi")).toBe("capital");
    expect(lab.emulator.scripted()).toBe(1);
  });

  test("the echo calls what it is made to call and follows a schema", async () => {
    const lab = makeLab();
    const forced = { tools: messagesTools, tool_choice: { type: "tool", name: "read" }, model: "claude-opus-4-8" };
    expect(field(await (await lab.messages(forced)).json(), "content", 0, "input")).toEqual({ path: "text" });
    const schema = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
      additionalProperties: false,
    };
    const format = { output_config: { format: { type: "json_schema", schema } }, model: "claude-opus-4-8" };
    expect(field(await (await lab.messages(format)).json(), "content", 0, "text")).toBe('{"n":1}');
  });

  test("a script with a mistake fails where it is written", () => {
    const lab = makeLab();
    expect(() => lab.emulator.script({ error: "rate_limt" })).toThrow(/no error is called "rate_limt"/);
    const wrong: object = { anser: {} };
    expect(() => lab.emulator.script(wrong)).toThrow(/has no field "anser"/);
  });

  test("no key is kept", async () => {
    const lab = makeLab();
    const key = ["sk", "ant", "secret"].join("-");
    await lab.messages({}, { "x-api-key": key });
    await lab.raw(`/google/v1beta/models?key=${key}`, { method: "GET" });
    expect(JSON.stringify(lab.emulator.requests())).not.toContain(key);
  });
});
