import { describe, expect, test } from "vitest";
import type { JsonObject, ModelInfo, ThinkingConfig, ThinkingPlan, ThinkingSpec } from "../../src/core/index.ts";
import type { Adapter, Quirks } from "../../src/llm/adapter.ts";
import { unknownModel } from "../../src/llm/families.ts";
import { isThinking as chatThinks } from "../../src/llm/protocols/chat/thinking.ts";
import { isThinking as responsesThinks } from "../../src/llm/protocols/responses/thinking.ts";
import { anthropic, compatible, google, openai } from "./bodies.ts";

const chat = compatible.adapter;
const responses = openai.adapter;

const effort: ThinkingSpec = { kind: "effort", efforts: ["none", "low", "medium", "high"] };
const alwaysOn: ThinkingSpec = { kind: "effort", efforts: ["low", "high"] };
const budget: ThinkingSpec = { kind: "budget", min: 0, max: 3_000, can_disable: true, omitted: "on", dynamic: true };
const switchOnly: ThinkingSpec = { kind: "adaptive", efforts: [], off: "disabled", omitted: "on" };
const stuck: ThinkingSpec = { kind: "adaptive", efforts: [], off: "never", omitted: "on" };
const quietWhenOmitted: ThinkingSpec = { kind: "adaptive", efforts: [], off: "disabled", omitted: "off" };

describe("Chat servers, each in its own words", () => {
  const off = { level: "none" } as const;
  const on = { level: "high" } as const;
  test.each<[style: string, ThinkingSpec, ThinkingConfig, JsonObject]>([
    ["none", effort, on, {}],
    ["reasoning_effort", effort, on, { reasoning_effort: "high" }],
    ["reasoning_effort", effort, off, { reasoning_effort: "none" }],
    ["reasoning_effort", budget, on, { reasoning_effort: "high" }],
    ["reasoning_effort", budget, off, { reasoning_effort: "none" }],
    ["reasoning_object", effort, on, { reasoning: { effort: "high" } }],
    ["reasoning_object", effort, off, { reasoning: { effort: "none" } }],
    ["reasoning_object", effort, { ...on, include_summary: false }, { reasoning: { effort: "high", exclude: true } }],
    ["reasoning_object", budget, on, { reasoning: { max_tokens: 3_000 } }],
    ["reasoning_object", budget, off, { reasoning: { enabled: false } }],
    ["reasoning_object", budget, { budget_tokens: -1 }, { reasoning: { enabled: true } }],
    ["reasoning_object", switchOnly, on, { reasoning: { enabled: true } }],
    ["reasoning_object", switchOnly, off, { reasoning: { enabled: false } }],
    ["thinking_type", effort, on, { thinking: { type: "enabled" }, reasoning_effort: "high" }],
    ["thinking_type", effort, off, { thinking: { type: "disabled" } }],
    ["thinking_type", switchOnly, on, { thinking: { type: "enabled" } }],
    ["enable_thinking", switchOnly, on, { enable_thinking: true }],
    ["enable_thinking", switchOnly, off, { enable_thinking: false }],
    ["enable_thinking", budget, on, { enable_thinking: true }],
    ["chat_template_kwargs", switchOnly, on, { chat_template_kwargs: { enable_thinking: true } }],
    ["chat_template_kwargs", switchOnly, off, { chat_template_kwargs: { enable_thinking: false } }],
    ["think", switchOnly, on, { think: true }],
    ["think", switchOnly, off, { think: false }],
    ["think", effort, on, { think: "high" }],
    ["think", quietWhenOmitted, off, {}],
  ])("%s", (thinking_style, spec, config, expected) => {
    const { max_tokens: _limit, ...fields } = plan(chat, spec, config, { thinking_style }).parameters;
    expect(fields).toEqual(expected);
  });

  test("a budget has its own field where the server has one", () => {
    const quirks = { thinking_style: "enable_thinking", thinking_budget_field: "thinking_budget" };
    expect(plan(chat, budget, on, quirks).parameters).toMatchObject({ enable_thinking: true, thinking_budget: 3_000 });
    expect(plan(chat, budget, { budget_tokens: -1 }, quirks).parameters).not.toHaveProperty("thinking_budget");
  });

  test("a server that takes no word for it says so", () => {
    const { level_applied, warnings } = plan(chat, effort, on, { thinking_style: "none" });
    expect([level_applied, warnings.map(({ code }) => code)]).toEqual(["none", ["thinking_unsupported"]]);
  });

  test("a switch counts as the middle level", () => {
    expect(plan(chat, switchOnly, { level: "med" }, {}).warnings).toEqual([]);
    const moved = plan(chat, switchOnly, { level: "low" }, { thinking_style: "think" });
    expect([moved.level_applied, moved.warnings[0]?.message]).toEqual([
      "med",
      'This model has no setting for "low"; sent: on',
    ]);
    const cannot = plan(chat, stuck, off, { thinking_style: "think" });
    expect([cannot.parameters["think"], cannot.warnings[0]?.code]).toEqual([true, "cannot_disable"]);
  });

  test("thinking between tool calls only has no word here", () => {
    const spec: ThinkingSpec = { kind: "adaptive", efforts: ["low", "high"], off: "between_tools", omitted: "on" };
    expect(plan(chat, spec, off, {}).parameters).toMatchObject({ reasoning_effort: "low" });
  });

  test("the limit has the server's name", () => {
    expect(plan(chat, effort, off, { max_tokens_field: "max_completion_tokens" }).parameters).toEqual({
      reasoning_effort: "none",
      max_completion_tokens: 16_384,
    });
  });

  test("whether the model is left thinking", () => {
    expect(chatThinks(plan(chat, effort, off, {}))).toBe(false);
    expect(chatThinks(plan(chat, effort, on, {}))).toBe(true);
    expect(chatThinks(plan(chat, { kind: "effort", efforts: ["minimal"] }, off, {}))).toBe(true);
  });
});

describe("Responses servers", () => {
  test("without reasoning are never sent a level", () => {
    const { parameters, warnings } = plan(responses, effort, { level: "high" }, { reasoning: false });
    expect(parameters).toEqual({ max_output_tokens: 16_384 });
    expect(warnings.map(({ code }) => code)).toEqual(["thinking_unsupported"]);
  });

  test("without summaries are not asked for one", () => {
    const { parameters } = plan(responses, effort, { level: "low" }, { reasoning_summary: false });
    expect(parameters["reasoning"]).toEqual({ effort: "low" });
  });

  test("may take budgets, and refuse answers too short to be one", () => {
    expect(plan(responses, budget, { level: "low" }).parameters["reasoning"]).toEqual({
      max_tokens: 1_000,
      summary: "auto",
    });
    expect(responses.plan(modelWith(effort), { level: "none" }, { max_output_tokens: 1 }).parameters).toMatchObject({
      max_output_tokens: 16,
    });
  });

  test("whether the model is left thinking", () => {
    const thinks = (spec: ThinkingSpec, level: "none" | "low"): boolean =>
      responsesThinks(modelWith(spec), plan(responses, spec, { level }));
    expect(thinks(effort, "none")).toBe(false);
    expect(thinks(effort, "low")).toBe(true);
    expect(thinks(alwaysOn, "none")).toBe(true);
    expect(thinks({ kind: "none" }, "low")).toBe(false);
  });
});

describe("what cannot be decided", () => {
  test.each([
    ["messages", anthropic.adapter],
    ["responses", responses],
    ["chat", chat],
    ["gemini", google.adapter],
  ])("is refused by %s before anything is sent", (_name, adapter) => {
    const budgeted = (): ThinkingPlan => plan(adapter, alwaysOn, { budget_tokens: 5_000 });
    expect(budgeted).toThrow(
      expect.objectContaining({ info: expect.objectContaining({ category: "invalid_argument" }) }),
    );
  });
});

describe("Gemini budgets", () => {
  test("zero is off and −1 leaves it to the model", () => {
    const config = (thinking: ThinkingConfig): unknown => {
      const generation = plan(google.adapter, budget, thinking).parameters["generationConfig"] as JsonObject;
      return generation["thinkingConfig"];
    };
    expect(config({ budget_tokens: 0 })).toEqual({ thinkingBudget: 0 });
    expect(config({ budget_tokens: -1 })).toEqual({ thinkingBudget: -1, includeThoughts: true });
  });
});

function modelWith(thinking: ThinkingSpec): ModelInfo {
  return { ...unknownModel("any", "m"), output_tokens_max: 128_000, thinking };
}

function plan(adapter: Adapter, spec: ThinkingSpec, config: ThinkingConfig, quirks: Quirks = {}): ThinkingPlan {
  return adapter.plan(modelWith(spec), config, {}, quirks);
}
