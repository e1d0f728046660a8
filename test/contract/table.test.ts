import { expect, test } from "vitest";
import { builtinProviders } from "../../src/llm/index.ts";
import { dialects } from "../../src/testing/index.ts";
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
