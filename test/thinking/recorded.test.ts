// The fixtures the original plan names, replayed through the library: nothing here touches a network.
// `node tools/record-fixtures.mjs` records them again; a request that has changed fails here and shows how.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, type StreamEvent, type Usage } from "../../src/core/index.ts";
import type { Answer } from "../../src/llm/index.ts";
import { filesUnder } from "../../tools/files.mjs";
import { fixtureFile, openFixture, play, scenarios } from "../../tools/record-fixtures.mjs";

type Played = { readonly answer: Answer; readonly events: readonly StreamEvent[] };
type Fixture = { readonly played: readonly Played[]; readonly bodies: readonly JsonObject[]; readonly raw: string };

const byName = new Map(scenarios.map((scenario) => [`${scenario.provider}/${scenario.name}`, scenario]));
const providers = ["anthropic", "openai", "google"] as const;
const word = { anthropic: "thinking", openai: "reasoning", google: "thinking" } as const;

/** Plays a fixture to its end, and reads its lines without the code under test. */
async function load_thinking_fixture(provider: string, name: string): Promise<Fixture> {
  const scenario = byName.get(`${provider}/${name}`);
  if (scenario === undefined) throw new Error(`no scenario is called ${provider}/${name}`);
  const recording = openFixture(scenario);
  const played = await play(scenario, { fetch: recording, key: "none" });
  recording.close();
  const lines = readFileSync(fixtureFile(scenario), "utf8").trim().split("\n").map(parse);
  return {
    played,
    bodies: lines.flatMap(({ type, body }) => (type === "request" && isJsonObject(body) ? [body] : [])),
    raw: lines.map(({ text }) => (typeof text === "string" ? text : "")).join(""),
  };
}

test("every fixture has its scenario, every scenario its fixture, and each says who answered", () => {
  const files = filesUnder("test/fixtures/vcr");
  expect(files).toEqual([...byName.keys()].map((name) => `test/fixtures/vcr/${name}.jsonl`).sort());
  for (const scenario of scenarios) {
    const [head = ""] = readFileSync(fixtureFile(scenario), "utf8").split("\n");
    expect(parse(head)).toMatchObject({ type: "recording", recorded_against: "emulator" });
  }
});

describe.each(providers)("%s", (provider) => {
  test.each(["low", "med", "high"])("thinking comes out before the text: %s", async (level) => {
    const { played } = await load_thinking_fixture(provider, `${word[provider]}_${level}`);
    const [thinking, text] = played[0]?.answer.message.content ?? [];
    expect(thinking).toMatchObject({ type: "thinking", text: expect.stringMatching(/\w/) });
    expect(text).toMatchObject({ type: "text", text: expect.stringContaining("42") });
    expect(played[0]?.answer.finish_reason).toBe("stop");
  });

  test.each(["none", "low", "med", "high", "streaming"])("tokens are the provider's own: %s", async (name) => {
    const { played, raw } = await load_thinking_fixture(provider, `${word[provider]}_${name}`);
    const usage = played[0]?.answer.usage;
    expect(usage).toMatchObject(counted(provider, raw));
    expect(usage?.total_tokens).toBe(sum(usage));
  });

  test("what is streamed is what comes in one piece", async () => {
    const whole = await load_thinking_fixture(provider, `${word[provider]}_med`);
    const streamed = await load_thinking_fixture(provider, `${word[provider]}_streaming`);
    const events = streamed.played[0]?.events ?? [];
    const thoughts = events.flatMap((event) => (event.type === "thinking_delta" ? [event.text] : []));
    expect(thoughts.length).toBeGreaterThan(2);
    const kinds = events.map(({ type }) => type);
    expect(kinds.lastIndexOf("thinking_delta")).toBeLessThan(kinds.indexOf("text_delta"));
    expect(kinds.filter((kind) => kind === "done" || kind === "error")).toEqual(["done"]);
    const [left, right] = [whole, streamed].map(({ played }) => played[0]?.answer);
    expect(textsOf(right)).toEqual(textsOf(left));
    expect(right?.usage).toEqual(left?.usage);
  });

  test("test_thinking_level_transition", async () => {
    const { played, bodies } = await load_thinking_fixture(provider, "level_transition");
    expect(played.map(({ answer }) => answer.finish_reason)).toEqual(["stop", "stop"]);
    const [low, high] = bodies.map((body) => levelIn(provider, body));
    const expected = { anthropic: [22_016, 64_000 - 16_384], openai: ["low", "high"], google: ["LOW", "HIGH"] };
    expect(low).toBe(expected[provider][0]);
    // The visible answer keeps its room where budget and answer share a ceiling.
    expect(high).toBe(expected[provider][1]);
    expect(JSON.stringify(bodies[1])).toContain("What is 6 times 7?");
    expect(JSON.stringify(bodies[1])).toContain("And 7 times 6?");
    expect(new Set(played.map(({ answer }) => answer.message.origin.model)).size).toBe(1);
  });
});

test("no thinking is asked for, and none comes, where it can be switched off", async () => {
  const { played, bodies } = await load_thinking_fixture("anthropic", "thinking_none");
  expect(bodies[0]).not.toHaveProperty("thinking");
  expect(played[0]?.answer.message.content.map(({ type }) => type)).toEqual(["text"]);
  expect(played[0]?.answer.usage.thinking_tokens).toBe(0);
});

/** The provider's own figures, in its own words. */
function counted(provider: (typeof providers)[number], raw: string): Partial<Usage> {
  const last = (name: string): number =>
    Number([...raw.matchAll(new RegExp(`"${name}":(\\d+)`, "g"))].at(-1)?.[1] ?? 0);
  if (provider === "google") {
    return { output_tokens: last("candidatesTokenCount"), thinking_tokens: last("thoughtsTokenCount") };
  }
  const thinking_tokens = last(provider === "anthropic" ? "thinking_tokens" : "reasoning_tokens");
  return { thinking_tokens, output_tokens: last("output_tokens") - thinking_tokens };
}

function levelIn(provider: (typeof providers)[number], body: JsonObject): unknown {
  const places = {
    anthropic: ["thinking", "budget_tokens"],
    openai: ["reasoning", "effort"],
    google: ["generationConfig", "thinkingConfig", "thinkingLevel"],
  };
  return places[provider].reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), body);
}

function sum(usage: Usage | undefined): number | undefined {
  if (usage === undefined) return undefined;
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens } = usage;
  return input_tokens + cache_read_tokens + cache_write_tokens + output_tokens + thinking_tokens;
}

/** Without blocks that hold nothing but a signature: where it comes is not the same streamed and whole. */
function textsOf(answer: Answer | undefined): readonly (readonly string[])[] {
  const texts = (answer?.message.content ?? []).map((block) => [block.type, "text" in block ? block.text : ""]);
  return texts.filter(([, text]) => text !== "");
}

function parse(line: string): JsonObject {
  const parsed: unknown = JSON.parse(line);
  return isJsonObject(parsed) ? parsed : {};
}
