import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exportConversation, importConversation, project, user, type Conversation } from "../../src/index.ts";

const stored = readFileSync(join(import.meta.dirname, "../fixtures/conversation-v1.json"), "utf8");

function read(source: unknown): Conversation {
  const result = importConversation(source);
  if ("problems" in result) throw new Error(result.problems.join("; "));
  return result.conversation;
}

describe("B52 a conversation stored by version 1", () => {
  test("loads whole: nothing of it is passed over or changed", () => {
    const result = importConversation(stored);
    expect(result).toMatchObject({ warnings: [] });
    const { version, ...fields } = JSON.parse(stored);
    expect(version).toBe(1);
    expect(read(stored)).toEqual(fields);
  });

  test("is written as it was read, byte for byte in what only its makers read", () => {
    expect(exportConversation(read(stored))).toEqual(JSON.parse(stored));
    expect(read(JSON.stringify(exportConversation(read(stored))))).toEqual(read(stored));
  });

  test.each([
    "claude-sonnet-4-5",
    "gpt-6.1-sol",
    "gemini-4-argon",
    "anthropic/claude-opus-5.5",
    "grok-4.7",
    "muse-spark-1.3",
  ])("can be continued by %s", async (model) => {
    const { body } = await project(read(stored), model);
    expect(JSON.stringify(body)).toContain("Go on.");
  });

  test("returns to its makers what they alone can read", async () => {
    const claude = JSON.stringify((await project(read(stored), "claude-sonnet-4-5")).body);
    const gpt = JSON.stringify((await project(read(stored), "gpt-6.1-sol")).body);
    expect(claude).toContain("c2lnbmF0dXJl");
    expect(claude).not.toContain("gAAA");
    expect(gpt).not.toContain("c2lnbmF0dXJl");
  });
});

describe("a conversation file", () => {
  const messages = [user("hi")];

  test("may leave out its version, and write its system and levels shortly", () => {
    expect(read({ messages, system: "Be brief.", thinking: { level: "medium" } })).toEqual({
      messages,
      system: [{ type: "text", text: "Be brief." }],
      thinking: { level: "med" },
    });
  });

  test("of a later version is refused, and says by whom it was written", () => {
    expect(importConversation({ version: 2, messages })).toEqual({
      problems: ["version: must be 1, not 2; a newer program wrote it"],
    });
  });

  test("names fields that mean nothing", () => {
    expect(importConversation({ messages, colour: "red" })).toMatchObject({
      conversation: { messages },
      warnings: ["colour: is no field of a conversation and was passed over"],
    });
  });

  test("that cannot be read says where", () => {
    expect(importConversation("{")).toEqual({ problems: [expect.stringContaining("is not JSON")] });
    expect(importConversation("[]")).toEqual({ problems: ["the conversation must be a JSON object"] });
    const wrong = {
      messages: [{ role: "user", content: [{ type: "document", media_type: 3 }] }],
      web_search: { max_uses: 0, allowed_domains: "a.test" },
      cache: "sometimes",
      output_format: { type: "yaml" },
    };
    expect(importConversation(wrong)).toEqual({
      problems: [
        "messages[0].content[0].media_type: must be a string",
        "messages[0].content[0].data: must be a string",
        "web_search.max_uses: must be a whole number above 0",
        "web_search.allowed_domains: must be an array of domain names",
        'cache: must be one of auto, off, long, not "sometimes"',
        "output_format.type: must be json or json_schema",
      ],
    });
  });

  test("holds no more than a conversation has, whatever the object brings along", () => {
    const loose: Conversation = JSON.parse(JSON.stringify({ messages, key: "secret", model: "x" }));
    expect(exportConversation(loose)).toEqual({ version: 1, messages });
  });
});
