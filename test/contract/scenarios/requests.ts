import { expect } from "vitest";
import { user, type Conversation } from "../../../src/core/index.ts";
import type { LooseConversation } from "../../../src/llm/index.ts";
import { textIn, weather, type Scenarios } from "../lab.ts";

/** What a request can carry. What a provider cannot take is left out with a note, never sent and refused. */
export const requests: Scenarios = {
  async system({ ask, emulator }) {
    await ask({ system: "Be a cat.", messages: [user("Hi")] });
    expect(JSON.stringify(emulator.requests().at(-1)?.body)).toContain("Be a cat.");
  },

  async images({ ask, emulator }) {
    const image = { type: "image", media_type: "image/png", data: dot } as const;
    const answer = await ask({ messages: [{ role: "user", content: [{ type: "text", text: "What is it?" }, image] }] });
    const sent = JSON.stringify(emulator.requests().at(-1)?.body).includes(dot);
    const lost = answer.losses.some(({ code }) => code === "unsupported_block");
    expect([sent, lost]).toEqual(lost ? [false, true] : [true, false]);
  },

  async image_results({ script, ask }) {
    script({ answer: { tool_calls: [{ name: "get_weather", arguments: { city: "Rome" } }] } });
    const first = await ask({ messages: [user("Hi")], tools: [weather] });
    const [call] = first.message.content.filter((block) => block.type === "tool_call");
    const image = { type: "image", media_type: "image/png", data: dot } as const;
    const result = {
      type: "tool_result",
      tool_call_id: call?.id ?? "",
      content: [{ type: "text", text: "A picture" }, image],
      is_error: false,
    } as const;
    const messages = [user("Hi"), first.message, { role: "tool" as const, content: [result] }];
    expect((await ask({ messages, tools: [weather] })).finish_reason).toBe("stop");
  },

  /** The schema goes along, in its own field or in words. */
  async structured_output({ script, ask, emulator }) {
    script({ answer: { text: '{"apples": 7}' } });
    const output_format = { type: "json_schema", name: "basket", schema } as const;
    const answer = await ask({ messages: [user("Hi")], output_format });
    expect(JSON.parse(textIn(answer.message))).toEqual({ apples: 7 });
    expect(JSON.stringify(emulator.requests().at(-1)?.body)).toContain("apples");
  },

  async json_output({ script, ask, emulator }) {
    script({ answer: { text: "{}" } });
    const answer = await ask({ messages: [user("Hi")], output_format: { type: "json" } });
    expect(textIn(answer.message)).toBe("{}");
    const told = answer.notes.some(({ code }) => code === "output_format_left_out");
    expect(/json/i.test(JSON.stringify(emulator.requests().at(-1)?.body))).toBe(!told);
  },

  async cache_hints({ ask }) {
    const system: Conversation["system"] = [{ type: "text", text: "A long rule. ".repeat(600), cache_hint: "long" }];
    const first = user("Hi");
    for (const cache of ["auto", "long", "off"] as const) {
      const conversation = { system, messages: [first], cache, cache_key: `contract-${cache}` };
      const before = await ask(conversation);
      const after = await ask({ ...conversation, messages: [first, before.message, user("Again")] });
      expect(after.finish_reason, cache).toBe("stop");
      const reported = after.usage.unreported?.includes("cache_read_tokens") !== true;
      if (cache === "auto" && reported) expect(after.usage.cache_read_tokens).toBeGreaterThan(1_000);
    }
  },

  async stop_sequences({ script, ask, emulator }) {
    script({ answer: { text: "one END two" } });
    const answer = await ask({ messages: [user("Hi")], stop_sequences: ["END"] });
    const sent = JSON.stringify(emulator.requests().at(-1)?.body).includes("END");
    expect(answer.finish_reason).toBe("stop");
    expect(textIn(answer.message)).toBe(sent ? "one " : "one END two");
    expect(answer.notes.some(({ message }) => message.includes("stop_sequences"))).toBe(!sent);
  },

  async everything_at_once({ ask, row }) {
    const conversation: LooseConversation = {
      system: "Be brief.",
      messages: [user("Hi")],
      tools: [weather],
      tool_choice: { mode: "auto", parallel_allowed: false },
      temperature: 0.5,
      top_p: 0.9,
      top_k: 20,
      seed: 7,
      presence_penalty: 0.1,
      frequency_penalty: 0.1,
      stop_sequences: ["END"],
      cache_key: "conversation-1",
      cache: "long",
      max_output_tokens: 2_000,
    };
    for (const level of ["none", row.level] as const) {
      expect((await ask(conversation, { level })).finish_reason, level).toBe("stop");
    }
  },
};

const schema = {
  type: "object",
  properties: { apples: { type: "integer" } },
  required: ["apples"],
  additionalProperties: false,
};

/** One pixel. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
