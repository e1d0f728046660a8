import { expect, test } from "vitest";
import { builtinProviders } from "../../src/llm/index.ts";
import { dialects } from "../../src/testing/index.ts";
import type { StreamEvent } from "../../src/core/index.ts";
import { checkEvents } from "./lab.ts";
import { contractRows, titleOf } from "./providers.ts";
import { answers } from "./scenarios/answers.ts";
import { faults, silences } from "./scenarios/faults.ts";
import { refusals } from "./scenarios/refusals.ts";
import { requests } from "./scenarios/requests.ts";
import { toolScenarios } from "./scenarios/tools.ts";

test("every wire of every provider has one row in the table", () => {
  const wires = builtinProviders.flatMap(({ name, apis }) =>
    apis.map((api, index) => (index === 0 ? name : `${name} ${api.name}`)),
  );
  expect(contractRows.map(titleOf).sort()).toEqual(wires.sort());
});

test("exceptions are of scenarios, and carry a reason", () => {
  const scenarios = Object.keys({ ...answers, ...toolScenarios, ...requests, ...refusals, ...faults, ...silences });
  for (const row of contractRows) {
    for (const [title, reason] of Object.entries(row.exceptions)) {
      expect(scenarios, `${titleOf(row)}: ${title}`).toContain(title.split(",")[0]);
      expect(reason.length).toBeGreaterThan(10);
    }
  }
});

test("who stands in for them is there", () => {
  const names = dialects.map(({ name }) => name);
  expect(contractRows.map(({ dialect }) => dialect).filter((dialect) => !names.includes(dialect))).toEqual([]);
});

test("the grammar of events would be missed", () => {
  const start: StreamEvent = { type: "start", model: "x" };
  const text: StreamEvent = { type: "text_delta", block_index: 0, text: "x" };
  const thinking: StreamEvent = { type: "thinking_delta", block_index: 0, text: "x" };
  const fragment: StreamEvent = { type: "tool_call_delta", block_index: 1, json_fragment: "{" };
  const seal: StreamEvent = { type: "opaque", block_index: 0, opaque: { provider: "x", model: "x", data: {} } };
  const end: StreamEvent = { type: "error", error: { category: "unknown", message: "x", retryable: false } };
  for (const good of [[end], [start, end], [start, text, text, seal, end]]) checkEvents(good);
  const bad = [
    [],
    [start, text],
    [end, end],
    [end, text],
    [text, start, end],
    [start, start, end],
    [text, thinking, end],
    [fragment, end],
    [text, seal, seal, end],
  ];
  for (const events of bad) expect(() => checkEvents(events), JSON.stringify(events)).toThrow(/./);
});
