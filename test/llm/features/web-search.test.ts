import { describe, expect, test } from "vitest";
import { ask, complete, project, type Conversation, type JsonObject, type Note } from "../../../src/index.ts";
import { eventsOf, providers, world } from "./world.ts";

const settings = { providers };
const question: Conversation = {
  messages: [{ role: "user", content: [{ type: "text", text: "What is new?" }] }],
  web_search: {},
};
const lookup = {
  name: "lookup",
  description: "Looks something up",
  parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
};

async function bodyFor(
  model: string,
  conversation: Conversation,
): Promise<{ body: JsonObject; left_out: readonly string[]; notes: readonly Note[] }> {
  const { body = {}, notes } = await project(conversation, model, { settings });
  return {
    body,
    notes,
    left_out: notes.filter(({ code }) => code === "parameter_left_out").map(({ message }) => message),
  };
}

describe("the web search of a provider", () => {
  test("stands among the tools of Messages", async () => {
    const { body, left_out } = await bodyFor("claude-opus-5-5", {
      ...question,
      tools: [lookup],
      web_search: { max_uses: 3, blocked_domains: ["example.com"] },
    });
    expect(body["tools"]).toMatchObject([
      { type: "web_search_20250305", name: "web_search", max_uses: 3, blocked_domains: ["example.com"] },
      { name: "lookup" },
    ]);
    expect(left_out).toEqual([]);
  });

  test("is left out of Messages where a tool has its name, and takes one list of domains", async () => {
    const taken = await bodyFor("claude-opus-5-5", { ...question, tools: [{ ...lookup, name: "web_search" }] });
    expect(taken.body["tools"]).toHaveLength(1);
    expect(taken.left_out).toEqual([expect.stringContaining("has that name")]);
    const both = await bodyFor("claude-opus-5-5", {
      ...question,
      web_search: { allowed_domains: ["a.test"], blocked_domains: ["b.test"] },
    });
    expect(both.body["tools"]).toEqual([
      {
        type: "web_search_20250305",
        name: "web_search",
        allowed_domains: ["a.test"],
        cache_control: { type: "ephemeral" },
      },
    ]);
    expect(both.left_out).toEqual([expect.stringContaining("blocked_domains")]);
  });

  test("stands among the tools of Responses, limited by a field of the request", async () => {
    const { body, left_out } = await bodyFor("gpt-6.1-sol", {
      ...question,
      tools: [lookup],
      web_search: { max_uses: 2, allowed_domains: ["a.test"] },
    });
    expect(body["tools"]).toMatchObject([
      { type: "web_search", filters: { allowed_domains: ["a.test"] } },
      { type: "function", name: "lookup" },
    ]);
    expect(body["max_tool_calls"]).toBe(2);
    expect(left_out).toEqual([]);
    const blocked = await bodyFor("gpt-6.1-sol", { ...question, web_search: { blocked_domains: ["b.test"] } });
    expect(blocked.body["tools"]).toEqual([{ type: "web_search" }]);
    expect(blocked.left_out).toEqual([expect.stringContaining("blocked_domains")]);
  });

  test("has another filter where a row says so", async () => {
    const { body, left_out } = await bodyFor("grok-4.7", {
      ...question,
      web_search: { max_uses: 2, blocked_domains: ["b.test"] },
    });
    expect(body["tools"]).toEqual([{ type: "web_search", filters: { excluded_domains: ["b.test"] } }]);
    expect(left_out).toEqual([expect.stringContaining("max_uses")]);
  });

  test("is not asked for with the least effort, which refuses it", async () => {
    const { body, left_out } = await bodyFor("gpt-5/none", question);
    expect(body).not.toHaveProperty("tools");
    expect(left_out).toEqual([expect.stringContaining("minimal")]);
  });

  test("stands beside functions on Gemini where the model can have both", async () => {
    const { body } = await bodyFor("gemini-4-argon", { ...question, tools: [lookup], tool_choice: { mode: "auto" } });
    expect(body["tools"]).toMatchObject([{ googleSearch: {} }, { functionDeclarations: [{ name: "lookup" }] }]);
    expect(body["toolConfig"]).toEqual({
      functionCallingConfig: { mode: "AUTO" },
      includeServerSideToolInvocations: true,
    });
    const alone = await bodyFor("gemini-4-argon", { ...question, web_search: { allowed_domains: ["a.test"] } });
    expect(alone.body["tools"]).toEqual([{ googleSearch: {} }]);
    expect(alone.body).not.toHaveProperty("toolConfig");
    expect(alone.left_out).toEqual([expect.stringContaining("allowed_domains")]);
  });

  test("gives way to functions on models that have either", async () => {
    const { body, left_out } = await bodyFor("gemini-2.5-flash", { ...question, tools: [lookup] });
    expect(body["tools"]).toMatchObject([{ functionDeclarations: [{ name: "lookup" }] }]);
    expect(left_out).toEqual([expect.stringContaining("combine")]);
    const alone = await bodyFor("gemini-2.5-flash", question);
    expect(alone.body["tools"]).toEqual([{ googleSearch: {} }]);
  });

  test("is not asked of models that have none", async () => {
    for (const model of ["gemma-4-31b-it", "gemma-9-1b-it"]) {
      const { body, left_out } = await bodyFor(model, question);
      expect(body).not.toHaveProperty("tools");
      expect(left_out).toEqual([expect.stringContaining("web_search")]);
    }
  });

  test("is a server's own tool on a gateway", async () => {
    const { body, left_out } = await bodyFor("anthropic/claude-opus-5.5", {
      ...question,
      tools: [lookup],
      web_search: { allowed_domains: ["a.test"], max_uses: 1 },
    });
    expect(body["tools"]).toMatchObject([
      { type: "openrouter:web_search", parameters: { allowed_domains: ["a.test"] } },
      { type: "function", function: { name: "lookup" } },
    ]);
    expect(left_out).toEqual([expect.stringContaining("max_uses")]);
  });

  test("is a field of Chat Completions for models made for it, and a note for all others", async () => {
    const chat = { providers: { ...providers, openai: { ...providers.openai, api: "chat" } } };
    const made = await project(question, "gpt-4o-search-preview", { settings: chat });
    expect(made.body?.["web_search_options"]).toEqual({});
    const other = await project(question, "gpt-4.1", { settings: chat });
    expect(other.body).not.toHaveProperty("web_search_options");
    expect(other.notes).toEqual([expect.objectContaining({ code: "parameter_left_out" })]);
    const local = await project(question, "ollama:qwen3", { settings });
    expect(local.notes.map(({ message }) => message)).toEqual([expect.stringContaining("web_search")]);
  });

  test("is off where it says so", async () => {
    for (const model of ["claude-opus-5-5", "gpt-6.1-sol", "gemini-4-argon", "anthropic/claude-opus-5.5"]) {
      const { body, left_out } = await bodyFor(model, { ...question, web_search: { enabled: false, max_uses: 3 } });
      expect(body).not.toHaveProperty("tools");
      expect(left_out).toEqual([]);
    }
  });
});

const models = ["claude-opus-5-5/low", "gpt-6.1-sol/low", "gemini-4-argon/low", "anthropic/claude-opus-5.5/low"];

describe("citations", () => {
  const cited = [
    { url: "https://a.test/1", title: "First", cited_text: "the words" },
    { url: "https://b.test/2", title: "Second" },
  ];

  for (const model of models) {
    test(`of ${model} are the same whether they are streamed or not`, async () => {
      const { emulator, options } = world();
      const script = { answer: { text: "Grass is green.", citations: cited } };
      emulator.script(script, script);
      const streamed = await ask(model, question, options);
      const whole = await complete(model, question, options);
      for (const { message } of [streamed, whole]) {
        const text = message.content.find((block) => block.type === "text");
        expect(text?.citations?.map(({ url, title }) => [url, title])).toEqual([
          ["https://a.test/1", "First"],
          ["https://b.test/2", "Second"],
        ]);
        for (const { start = 0, end = 15 } of text?.citations ?? []) expect([start, end]).toEqual([0, 15]);
      }
    });

    test(`of ${model} come as events after the text they belong to`, async () => {
      const { emulator, options } = world();
      emulator.script({ answer: { text: "Grass is green.", citations: cited } });
      const events = await eventsOf(ask(model, question, options));
      const text = events.findLast((event) => event.type === "text_delta" && event.text !== "");
      const found = events.filter((event) => event.type === "citation");
      expect(found).toHaveLength(2);
      for (const citation of found) {
        expect(text).toMatchObject({ block_index: citation.block_index });
        expect(events.indexOf(citation)).toBeGreaterThan(events.findLastIndex(({ type }) => type === "text_delta"));
      }
    });

    test(`of ${model} do not get in the way of the next turn, anywhere`, async () => {
      const { emulator, options } = world();
      emulator.script({ answer: { text: "Grass is green.", citations: cited } });
      const { message } = await ask(model, question, options);
      const next: Conversation = {
        ...question,
        messages: [...question.messages, message, { role: "user", content: [{ type: "text", text: "Really?" }] }],
      };
      for (const other of models) {
        const answer = await ask(other, next, options);
        expect(answer.finish_reason).toBe("stop");
      }
    });
  }
});
