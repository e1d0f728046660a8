import { describe, expect, test } from "vitest";
import { createWriter } from "../../../src/llm/writer.ts";
import { chat } from "../../../src/llm/protocols/chat/index.ts";
import { chatDefaults, chatQuirkProblems, chatQuirks } from "../../../src/llm/protocols/chat/quirks.ts";
import { chunk, modelWith, stop } from "./helpers.ts";

describe("quirks", () => {
  test("have defaults, are overridden by the row, and that by the model", () => {
    expect(chatQuirks({})).toEqual(chatDefaults);
    expect(chatQuirks({ store: true, unrelated: 5 })).toEqual({ ...chatDefaults, store: true });
    expect(chatQuirks({ stop_limit: 2 }, { stop_limit: 1 }).stop_limit).toBe(1);
  });

  test("of the wrong kind are told and not used", () => {
    const wrong = { store: "yes", system_role: "boss", max_token_field: "max_tokens", stop_limit: 3 };
    expect(chatQuirks(wrong)).toEqual({ ...chatDefaults, stop_limit: 3 });
    expect(chatQuirkProblems(wrong)).toEqual([
      '"store" must be a boolean',
      '"system_role" must be one of system, developer, developer_if_thinking, first_user',
      '"max_token_field" is not a quirk of Chat Completions',
    ]);
    expect(chatQuirkProblems({ ...chatDefaults })).toEqual([]);
  });
});

describe("the adapter", () => {
  test("signs with a bearer, and not at all without a key", () => {
    expect(chat.authorize("k")).toEqual({ authorization: "Bearer k" });
    expect(chat.authorize("")).toEqual({});
  });

  test("projects by quirks", () => {
    const model = modelWith({ aliases: ["alias"], capabilities: { vision: false } });
    expect(chat.projection({ provider: "server", model, quirks: {} })).toMatchObject({
      models: ["test-model", "alias"],
      thinking_needs_opaque: false,
      images: false,
      tool_calls_last: false,
    });
    const quirks = { echo_reasoning_field: "reasoning", tool_call_id_length_exact: 9 };
    expect(chat.projection({ provider: "server", model, quirks })).toMatchObject({
      thinking_needs_opaque: false,
      tool_call_id: { length_exact: 9 },
    });
  });

  test("B23 has said how it ended once there is a finish reason, and knows the usage so far", () => {
    const out = createWriter(() => {});
    const context = {
      out,
      newId: () => "id",
      provider: "server",
      model: "m",
      headers: new Headers(),
      quirks: {},
      now: 0,
    };
    const decoder = chat.decoder(context);
    decoder.frame(JSON.stringify(chunk({ content: "hi" })));
    expect([decoder.settled?.(), decoder.usage?.()]).toEqual([false, undefined]);
    decoder.frame(JSON.stringify({ ...stop, usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }));
    expect([decoder.settled?.(), decoder.usage?.()?.total_tokens, out.ended()]).toEqual([true, 3, false]);
    decoder.end();
    expect(out.ended()).toBe(true);
  });
});

describe("the list of models", () => {
  const decode = (body: unknown): unknown => chat.listModels?.decode(body).models;

  test("is asked for below the base URL", () => {
    expect(chat.listModels?.encode("https://server.test/v1")).toMatchObject({
      method: "GET",
      url: "https://server.test/v1/models",
    });
  });

  test("in the plain shape, and in a bare list", () => {
    expect(
      decode({ object: "list", data: [{ id: "a", object: "model", created: 1 }, { object: "model" }, null] }),
    ).toEqual([{ id: "a" }]);
    expect(decode([{ id: "b" }])).toEqual([{ id: "b" }]);
    expect(decode("nothing")).toEqual([]);
  });

  test("with the context under the name each server has for it", () => {
    const data = [
      {
        id: "gateway/a",
        name: "A",
        context_length: 200_000,
        top_provider: { context_length: 1, max_completion_tokens: 64_000 },
        expiration_date: "2027-01-01",
      },
      { id: "b", max_model_len: 32_768 },
      { id: "c", meta: { n_ctx_train: 131_072, n_params: 7 } },
      { id: "d", context_window: 8_192, max_completion_tokens: 4_096 },
      { id: "e", max_context_length: 16_384, name: "e" },
    ];
    expect(decode({ data })).toEqual([
      {
        id: "gateway/a",
        display_name: "A",
        context_tokens: 200_000,
        output_tokens_max: 64_000,
        retires_at: "2027-01-01",
      },
      { id: "b", context_tokens: 32_768 },
      { id: "c", context_tokens: 131_072 },
      { id: "d", context_tokens: 8_192, output_tokens_max: 4_096 },
      { id: "e", context_tokens: 16_384 },
    ]);
  });
});
