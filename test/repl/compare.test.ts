import { describe, expect, test } from "vitest";
import { compareLines } from "../../src/repl/commands/compare.ts";
import { textOf, wrapText } from "../../src/term/index.ts";

const one = { title: "a1f3 model-one/low", state: "done", figures: "2k tokens · 0.1 s · $0.01", answer: "Yes." };
const other = { ...one, title: "b7c2 model-two/high", state: "failed: rate_limit", answer: "No." };

function shown(width: number): readonly string[] {
  return compareLines([one, other], { width, render: wrapText }).map((row) => textOf(row).trimEnd());
}

describe("a comparison", () => {
  test("answers begin in the same row, also where one has longer figures", () => {
    expect(shown(69)).toEqual([
      "a1f3 model-one/low                │ b7c2 model-two/high",
      "done · 2k tokens · 0.1 s · $0.01  │ failed: rate_limit · 2k tokens ·",
      "                                  │ 0.1 s · $0.01",
      "───────────────────────────────── │ ─────────────────────────────────",
      "Yes.                              │ No.",
    ]);
  });

  test("without room for columns one follows the other", () => {
    const rows = shown(60);
    expect(rows.indexOf("Yes.")).toBeLessThan(rows.indexOf("b7c2 model-two/high"));
  });
});
