import { describe, expect, test } from "vitest";
import {
  thinkingLevels,
  user,
  type JsonObject,
  type ThinkingLevel,
  type ThinkingSpec,
} from "../../../src/core/index.ts";
import type { Quirks } from "../../../src/llm/adapter.ts";
import { chat } from "../../../src/llm/protocols/chat/index.ts";
import { bodyOf, modelWith } from "./helpers.ts";

const effort: ThinkingSpec = { kind: "effort", efforts: ["none", "low", "medium", "high", "xhigh"] };
const always: ThinkingSpec = { kind: "effort", efforts: ["low", "medium", "high"] };
const budget: ThinkingSpec = { kind: "budget", min: 1_024, max: 32_000, can_disable: true, omitted: "off" };
const onOff: ThinkingSpec = { kind: "adaptive", efforts: [], off: "disabled", omitted: "on" };
const adaptive: ThinkingSpec = {
  kind: "adaptive",
  efforts: ["low", "medium", "high"],
  off: "between_tools",
  omitted: "on",
};

function planned(thinking: ThinkingSpec, level: ThinkingLevel, quirks: Quirks = {}): ReturnType<typeof chat.plan> {
  return chat.plan(modelWith({ thinking }), { level }, {}, quirks);
}

function fields(thinking: ThinkingSpec, level: ThinkingLevel, quirks: Quirks = {}): JsonObject {
  const { max_tokens: _limit, ...rest } = planned(thinking, level, quirks).parameters;
  return rest;
}

describe("B14 what a level becomes", () => {
  test("as a word", () => {
    expect(thinkingLevels.map((level) => fields(effort, level)["reasoning_effort"])).toEqual([
      "none",
      "low",
      "medium",
      "high",
      "xhigh",
    ]);
    expect(fields(always, "none")).toEqual({ reasoning_effort: "low" });
    expect(planned(always, "none").warnings.map(({ code }) => code)).toEqual(["cannot_disable"]);
    expect(planned(effort, "med").warnings).toEqual([]);
  });

  test("nothing for a model that does not think", () => {
    expect(fields({ kind: "none" }, "high")).toEqual({});
    expect(planned({ kind: "none" }, "high").warnings.map(({ code }) => code)).toEqual(["thinking_unsupported"]);
  });

  test("as an object", () => {
    const quirks = { thinking_style: "reasoning_object" };
    expect(fields(effort, "high", quirks)).toEqual({ reasoning: { effort: "high" } });
    expect(fields(effort, "none", quirks)).toEqual({ reasoning: { effort: "none" } });
    expect(fields(budget, "high", quirks)).toEqual({ reasoning: { max_tokens: 32_000 } });
    expect(fields(budget, "none", quirks)).toEqual({});
    expect(fields(onOff, "none", quirks)).toEqual({ reasoning: { enabled: false } });
    expect(fields(onOff, "med", quirks)).toEqual({ reasoning: { enabled: true } });
    const hidden = chat.plan(modelWith({ thinking: effort }), { level: "low", include_summary: false }, {}, quirks);
    expect(hidden.parameters).toMatchObject({ reasoning: { effort: "low", exclude: true } });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ["thinking_type", { thinking: { type: "enabled" } }, { thinking: { type: "disabled" } }],
    ["enable_thinking", { enable_thinking: true }, { enable_thinking: false }],
    [
      "chat_template_kwargs",
      { chat_template_kwargs: { enable_thinking: true } },
      { chat_template_kwargs: { enable_thinking: false } },
    ],
    ["think", { think: true }, { think: false }],
  ])("as a switch: %s", (thinking_style, on, off) => {
    expect(fields(onOff, "med", { thinking_style })).toEqual(on);
    expect(fields(onOff, "none", { thinking_style })).toEqual(off);
    expect(planned(onOff, "med", { thinking_style }).warnings).toEqual([]);
    expect(planned(onOff, "high", { thinking_style }).warnings).toEqual([
      { code: "level_moved", message: 'This model has no setting for "high"; sent: on' },
    ]);
  });

  test("as a switch with a word or a budget beside it", () => {
    expect(fields(effort, "high", { thinking_style: "thinking_type" })).toEqual({
      thinking: { type: "enabled" },
      reasoning_effort: "high",
    });
    expect(fields(effort, "none", { thinking_style: "thinking_type" })).toEqual({ thinking: { type: "disabled" } });
    expect(fields(effort, "high", { thinking_style: "think" })).toEqual({ think: "high" });
    const quirks = { thinking_style: "enable_thinking", thinking_budget_field: "thinking_budget" };
    expect(fields(budget, "low", quirks)).toEqual({ enable_thinking: true, thinking_budget: 11_349 });
  });

  test("as a word where the model's own setting is a budget", () => {
    expect(fields(budget, "med")).toEqual({ reasoning_effort: "medium" });
  });

  test("thinking between tool calls only has no word here", () => {
    expect(fields(adaptive, "none")).toEqual({ reasoning_effort: "low" });
    expect(planned(adaptive, "none").warnings.map(({ code }) => code)).toEqual(["cannot_disable"]);
  });

  test("nothing where the server has no switch, but room for what it thinks anyway", () => {
    const plan = planned(always, "high", { thinking_style: "none" });
    expect(plan.parameters).toEqual({ max_tokens: 16_384 + 64_000 });
    expect(plan.warnings.map(({ code }) => code)).toEqual(["thinking_unsupported"]);
  });

  test("the limit under its name, with room, up to the ceiling", () => {
    const quirks = { max_tokens_field: "max_completion_tokens" };
    expect(planned(effort, "low", quirks).parameters).toEqual({
      reasoning_effort: "low",
      max_completion_tokens: 24_384,
    });
    expect(planned(effort, "none", quirks).parameters["max_completion_tokens"]).toBe(16_384);
    const small = chat.plan(modelWith({ thinking: effort, output_tokens_max: 20_000 }), { level: "high" }, {}, quirks);
    expect(small.parameters["max_completion_tokens"]).toBe(20_000);
  });

  test("a trait of the model wins over the row", () => {
    const model = modelWith({ thinking: effort, traits: { thinking_style: "none" } });
    expect(
      chat.plan(model, { level: "high" }, {}, { thinking_style: "reasoning_object" }).parameters,
    ).not.toHaveProperty("reasoning");
  });

  test("B16 the body carries exactly the plan", () => {
    for (const level of thinkingLevels) {
      const model = modelWith({ thinking: effort });
      const body = bodyOf({ messages: [user("hi")] }, { model, thinking: { level } });
      expect(body).toMatchObject(chat.plan(model, { level }, {}).parameters);
    }
  });

  test("budgets where there are none, and wrong levels, are refused before anything is sent", () => {
    expect(() => chat.plan(modelWith({ thinking: effort }), { budget_tokens: 5 }, {})).toThrow(/budget/);
    const wrong = JSON.parse('{"level":"huge"}');
    expect(() => chat.plan(modelWith({ thinking: effort }), wrong, {})).toThrow(/huge/);
  });
});
