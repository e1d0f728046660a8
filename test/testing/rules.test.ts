import { describe, expect, test } from "vitest";
import { ruleList } from "../../src/testing/index.ts";
import { field, makeLab, messagesTools } from "./lab.ts";
import { cases, thoughtfulTurn } from "./rule-cases.ts";

describe("every rejection rule fires", () => {
  test("every rule has a case and every case a rule", () => {
    const ids = ruleList().map((rule) => rule.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Object.keys(cases).sort()).toEqual([...ids].sort());
  });

  test.each(ruleList())("$id: $about", async ({ id }) => {
    const send = cases[id];
    if (send === undefined) throw new Error(`no case for ${id}`);
    const lab = makeLab();
    const response = await send(lab);
    const body: unknown = await response.json();
    expect(response.headers.get("x-mock-rule"), JSON.stringify(body)).toBe(id);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(lab.emulator.requests().at(-1)?.rule).toBe(id);
    expectShape(lab.emulator.requests().at(-1)?.dialect ?? "", response, body);
  });
});

/** The error has the shape of the provider whose rule it is. */
function expectShape(dialect: string, response: Response, body: unknown): void {
  if (dialect === "xai") {
    expect(Object.keys(Object(body)).sort()).toEqual(["code", "error"]);
    return;
  }
  expect(field(body, "error", "message")).toEqual(expect.any(String));
  if (dialect === "anthropic") {
    expect(field(body, "type")).toBe("error");
    expect(field(body, "request_id")).toBe(response.headers.get("request-id"));
    expect(response.headers.get("x-should-retry")).toBe("false");
  } else if (dialect === "google") {
    expect(field(body, "error", "code")).toBe(response.status);
    expect(field(body, "error", "status")).toMatch(/^[A-Z_]+$/);
  } else if (dialect === "openrouter") {
    expect(field(body, "error", "code")).toBe(response.status);
  } else {
    expect(Object.keys(Object(field(body, "error"))).sort()).toEqual(["code", "message", "param", "type"]);
  }
}

describe("the neighbours of a rule are let through", () => {
  test.each([
    ["a legal budget", { model: "claude-sonnet-4-5", thinking: { type: "enabled", budget_tokens: 1_024 } }],
    ["the strongest effort", { output_config: { effort: "max" } }],
    ["Sonnet 5.5 between tools", { model: "claude-sonnet-5-5", thinking: { type: "between_tools" } }],
    ["four breakpoints", { system: Array.from({ length: 4 }, (_, n) => mark(`part ${n}`)) }],
    ["prefill on an old model", { model: "claude-sonnet-4-5", messages: [hello, { role: "assistant", content: "I" }] }],
  ])("messages: %s", async (_name, body) => {
    const response = await makeLab().messages(body);
    expect(response.status, await response.text()).toBe(200);
  });

  test("sampling under the old version on an old model", async () => {
    const body = { model: "claude-haiku-4-5", temperature: 0.3 };
    const response = await makeLab().messages(body, { "anthropic-version": "2023-06-01" });
    expect(response.status).toBe(200);
  });

  test("messages: with a budget, a later step of a loop that began with thinking", async () => {
    const lab = makeLab();
    const budget = { model: "claude-sonnet-4-5", thinking: { type: "enabled", budget_tokens: 2_000 } };
    const first = await thoughtfulTurn(lab, budget);
    const id = String(first.find((block) => block["type"] === "tool_use")?.["id"]);
    const second = [{ type: "tool_use", id: "toolu_02", name: "read", input: { path: "/y" } }];
    const result = (tool_use_id: string) => [{ type: "tool_result", tool_use_id, content: "ok" }];
    const messages = [
      hello,
      { role: "assistant", content: first },
      { role: "user", content: result(id) },
      { role: "assistant", content: second },
      { role: "user", content: result("toolu_02") },
    ];
    const response = await lab.messages({ ...budget, tools: messagesTools, messages });
    expect(response.status, await response.text()).toBe(200);
  });

  test("chat: stop on a reasoning model older than o3", async () => {
    const response = await makeLab({ retired_models: "serve" }).chat({ model: "o1", stop: ["END"] });
    expect(response.status, await response.text()).toBe(200);
  });

  test("responses: temperature with effort none", async () => {
    const body = { model: "gpt-6-sol", reasoning: { effort: "none" }, temperature: 0.2 };
    const response = await makeLab().responses(body);
    expect(response.status).toBe(200);
  });

  test("gemini: an old call without a signature, a new one with the sentinel", async () => {
    const old = [
      { role: "user", parts: [{ text: "a" }] },
      { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "read", response: {} } }] },
      { role: "model", parts: [{ text: "b" }] },
      { role: "user", parts: [{ text: "c" }] },
    ];
    const signed = { functionCall: { name: "read" }, thoughtSignature: "skip_thought_signature_validator" };
    const current = [
      { role: "model", parts: [signed, { functionCall: { name: "read" } }] },
      { role: "user", parts: [1, 2].map(() => ({ functionResponse: { name: "read", response: {} } })) },
    ];
    const response = await makeLab().gemini({ contents: [...old, ...current] });
    expect(response.status, await response.text()).toBe(200);
  });
});

const hello = { role: "user", content: "Hello" };

function mark(text: string): { type: string; text: string; cache_control: { type: string } } {
  return { type: "text", text, cache_control: { type: "ephemeral" } };
}
