import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { createPartialArguments } from "../../../src/llm/protocols/gemini/partial-args.ts";

function assembled(...pieces: readonly JsonObject[]): JsonObject {
  const given = createPartialArguments();
  for (const piece of pieces) given.add([piece]);
  return given.value();
}

describe("partial arguments", () => {
  test("strings go on, everything else comes whole", () => {
    expect(
      assembled(
        { jsonPath: "$.a", stringValue: "Bos", willContinue: true },
        { jsonPath: "$.a", stringValue: "ton", willContinue: true },
        { jsonPath: "$.a", stringValue: "" },
        { jsonPath: "$.n", numberValue: 0.5 },
        { jsonPath: "$.zero", numberValue: 0 },
        { jsonPath: "$.yes", boolValue: true },
        { jsonPath: "$.no", boolValue: false },
        { jsonPath: "$.nothing", nullValue: "NULL_VALUE" },
        { jsonPath: "$.empty", stringValue: "" },
      ),
    ).toEqual({ a: "Boston", n: 0.5, zero: 0, yes: true, no: false, nothing: null, empty: "" });
  });

  test("paths through objects, lists and quoted names", () => {
    expect(
      assembled(
        { jsonPath: "$.list[0].name", stringValue: "x" },
        { jsonPath: "$.list[1].name", stringValue: "y" },
        { jsonPath: "$.list[1].name", stringValue: "z" },
        { jsonPath: "$.grid[0][1]", numberValue: 2 },
        { jsonPath: "$['a b']['it\\'s'].c", boolValue: true },
        { jsonPath: `$["d.e"]`, numberValue: 1 },
        { jsonPath: "$.straße.emoji🌡️", stringValue: "°" },
      ),
    ).toEqual({
      list: [{ name: "x" }, { name: "yz" }],
      grid: [[null, 2]],
      "a b": { "it's": { c: true } },
      "d.e": 1,
      straße: { "emoji🌡️": "°" },
    });
  });

  test("what cannot be placed is left out, without harm", () => {
    const value = assembled(
      { jsonPath: "$", stringValue: "x" },
      { jsonPath: "a", stringValue: "x" },
      { jsonPath: "$.*", stringValue: "x" },
      { jsonPath: "$.a[*]", stringValue: "x" },
      { jsonPath: "$.huge[999999999]", numberValue: 1 },
      { jsonPath: "$.none" },
      { stringValue: "x" },
      { jsonPath: "$.__proto__.polluted", boolValue: true },
    );
    expect({}).not.toHaveProperty("polluted");
    expect(JSON.stringify(value)).toBe(`{"huge":[],"__proto__":{"polluted":true}}`);
    expect(createPartialArguments({ a: 1 }).value()).toEqual({ a: 1 });
    const odd = createPartialArguments();
    odd.add("no list");
    odd.add([null, 7, "x"]);
    expect(odd.value()).toEqual({});
  });
});
