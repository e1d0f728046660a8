import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, user, type JsonObject, type Message, type Origin } from "../../../src/core/index.ts";
import { defineProvider, project, type PrepareOptions } from "../../../src/llm/index.ts";
import { histories } from "../../core/conversations.ts";
import { anthropic, answer, compatible, decodeBody, google, openai, thought } from "../../thinking/bodies.ts";

const local = defineProvider({ name: "local", protocol: "chat", base_url: "http://127.0.0.1:1/v1" });
const strict = defineProvider({
  name: "strict",
  protocol: "chat",
  base_url: "http://127.0.0.1:1/v1",
  quirks: { tool_call_id_character: "[a-zA-Z0-9]", tool_call_id_length_max: 9, tool_call_id_length_exact: 9 },
});

type Target = {
  readonly model: string;
  readonly wire: Wire;
  /** What one character of a call's id may be, and how many there may be. */
  readonly id: RegExp;
  readonly options: PrepareOptions;
};

const targets: readonly Target[] = [
  { model: "claude-opus-5-5/high", wire: "messages", id: /^[A-Za-z0-9_-]{1,64}$/, options: {} },
  { model: "claude-sonnet-4-5/med", wire: "messages", id: /^[A-Za-z0-9_-]{1,64}$/, options: {} },
  { model: "gpt-6.1-sol", wire: "responses", id: /^[A-Za-z0-9_-]{1,64}$/, options: {} },
  {
    model: "gpt-4o",
    wire: "chat",
    id: /^[A-Za-z0-9_-]{1,40}$/,
    options: { settings: { providers: { openai: { api: "chat" } } } },
  },
  { model: "local:qwen3", wire: "chat", id: /^[!-~]{1,256}$/, options: { providers: [local] } },
  { model: "strict:m", wire: "chat", id: /^[a-zA-Z0-9]{9}$/, options: { providers: [strict] } },
  { model: "gemini-4-argon", wire: "gemini", id: /^[A-Za-z0-9_-]{1,64}$/, options: {} },
  { model: "gemini-2.5-flash", wire: "gemini", id: /^[A-Za-z0-9_-]{1,64}$/, options: {} },
];

const strangers: readonly Origin[] = [
  { provider: "somewhere", api: "messages", model: "claude-opus-5-5" },
  { provider: "elsewhere", api: "responses", model: "gpt-6.1-sol" },
  { provider: "nowhere", api: "chat", model: "qwen3" },
  { provider: "anywhere", api: "generateContent", model: "gemini-4-argon" },
];

describe.each(targets)("any foreign conversation to $model", ({ model, wire, id, options }) => {
  test("B03 B08 B13 is legal: nothing secret, ids that fit, calls and results in pairs", async () => {
    await fc.assert(
      fc.asyncProperty(histories(strangers), async (history) => {
        const messages = [user("begin"), ...history, user("end")];
        const { body = {}, losses } = await project(messages, model, options);
        const text = JSON.stringify(body);
        expect(text).not.toContain("secret<");
        expect(text).not.toMatch(/(?<!\\)\\ud83d(?!\\ude)/);
        for (const { calls, results } of exchanges[wire](body)) {
          expect(results.toSorted()).toEqual(calls.toSorted());
          for (const sent of calls) if (sent !== "") expect(sent).toMatch(id);
        }
        const secrets = JSON.stringify(messages).match(/secret</g) ?? [];
        if (secrets.length > 0) expect(losses.length).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
  });

  test("B07 thinking may go along as text", async () => {
    const history: readonly Message[] = [user("q"), decodeBody(compatible).message, user("and?")];
    const stranger = history.map((message) =>
      message.role === "assistant" ? { ...message, origin: { ...message.origin, provider: "nowhere" } } : message,
    );
    const left = await project(stranger, model, options);
    expect(JSON.stringify(left.body)).not.toContain(thought);
    const kept = await project({ messages: stranger, foreign_thinking: "text" }, model, options);
    expect(JSON.stringify(kept.body)).toContain(`<thinking>\\n${thought}\\n</thinking>`);
  });
});

describe("there and back again", () => {
  const makers = [anthropic, openai, google];
  const journeys = makers.flatMap((home) =>
    makers
      .filter((other) => other !== home)
      .map((other) => ({ from: home.provider, via: other.provider, home, other })),
  );

  test.each(journeys)("B04 $from → $via → $from", async ({ home, other }) => {
    const turns = [user("6 × 7?"), decodeBody(home).message];
    const away = [...turns, user("sure?"), decodeBody(other).message, user("thanks")];
    // Marks for the cache move with the end of the conversation.
    const before = historyText((await project({ messages: turns, cache: "off" }, home.model)).body);
    const after = historyText((await project({ messages: away, cache: "off" }, home.model)).body);
    expect(after.startsWith(before.replace(/\]$/, ","))).toBe(true);
    const secrets = ["signedbyitsmaker", "encryptedbyitsmaker"];
    const own = secrets.filter((secret) => JSON.stringify(decodeBody(home).message).includes(secret));
    expect(secrets.filter((secret) => after.includes(secret))).toEqual(own);
    expect(after).toContain(answer);
  });
});

/** The conversation in a body, on any wire. */
function historyText(body: JsonObject | undefined): string {
  return JSON.stringify(body?.["messages"] ?? body?.["input"] ?? body?.["contents"]);
}

type Wire = "messages" | "responses" | "chat" | "gemini";
type Exchange = { readonly calls: readonly string[]; readonly results: readonly string[] };

/** For each turn with calls, their ids, and the ids of the results that answer them where the wire wants them. */
const exchanges: { readonly [wire in Wire]: (body: JsonObject) => readonly Exchange[] } = {
  messages: (body) => {
    const turns = list(body["messages"]).map(({ content }) => list(content));
    return turns.map((blocks, index) => ({
      calls: idsAt(blocks, "tool_use", "id"),
      results: idsAt(turns[index + 1] ?? [], "tool_result", "tool_use_id"),
    }));
  },
  responses: (body) => {
    const items = list(body["input"]);
    const calls = idsAt(items, "function_call", "call_id");
    expect(new Set(calls).size).toBe(calls.length);
    return [{ calls, results: idsAt(items, "function_call_output", "call_id") }];
  },
  chat: (body) => {
    const messages = list(body["messages"]);
    return messages.map(({ tool_calls }, index) => {
      const rest = messages.slice(index + 1);
      const end = rest.findIndex(({ role }) => role !== "tool");
      const answers = tool_calls === undefined ? [] : rest.slice(0, end === -1 ? rest.length : end);
      return {
        calls: list(tool_calls).map(({ id }) => String(id)),
        results: answers.map(({ tool_call_id }) => String(tool_call_id)),
      };
    });
  },
  gemini: (body) => {
    const turns = list(body["contents"]).map(({ parts }) => list(parts));
    const at = (parts: readonly JsonObject[], field: string): readonly string[] =>
      parts.flatMap(({ [field]: part }) => (isJsonObject(part) ? [String(part["id"] ?? "")] : []));
    return turns.map((parts, index) => ({
      calls: at(parts, "functionCall"),
      results: at(turns[index + 1] ?? [], "functionResponse"),
    }));
  },
};

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function idsAt(blocks: readonly JsonObject[], type: string, field: string): readonly string[] {
  return blocks.filter((block) => block["type"] === type).map((block) => String(block[field]));
}
