import { describe, expect, test } from "vitest";
import { createChoice, line, lineWidth, textOf, typeIntoChoice, viewChoice } from "../../src/term/index.ts";

const choice = createChoice(
  {
    title: line("root a1f3 wants to use bash"),
    body: () => ["$ one", "two", "three", "four", "five"].map((text) => line(text)),
    options: [
      { value: "once", label: "yes, once", key: "y" },
      { value: "session", label: "yes, in this session: bash: touch *", key: "s" },
      { value: "no", label: "no", key: "n" },
    ],
  },
  2,
);
const shown = (columns: number, rows: number, of = choice) => viewChoice(of, columns, rows).rows.map(textOf);

describe("a question", () => {
  test("shows what it is about, and its answers with their reach", () => {
    expect(shown(60, 12).slice(1)).toEqual([
      "$ one",
      "two",
      "three",
      "four",
      "five",
      "   1 yes, once (y)",
      "   2 yes, in this session: bash: touch * (s)",
      " › 3 no (n)",
    ]);
  });

  test("never hides what it is about: its answers become one row first", () => {
    expect(shown(60, 6).slice(1)).toEqual([
      "$ one",
      "two",
      "three",
      "   … 2 more lines (PgDn)",
      " y once · s in this session · n no",
    ]);
    expect(shown(40, 3).slice(1)).toEqual([
      "$ one                    … 4 more (PgDn)",
      " y once · s in this session · n no",
    ]);
    for (let rows = 1; rows < 12; rows++) {
      for (const columns of [10, 20, 40, 80]) {
        const { rows: lines } = viewChoice(choice, columns, rows);
        expect(lines.length).toBeLessThanOrEqual(Math.max(3, rows));
        for (const row of lines) expect(lineWidth(row)).toBeLessThanOrEqual(columns);
      }
    }
  });

  test("says how far an answer reaches also where its row is too short for that", () => {
    expect(shown(36, 12).slice(-4)).toEqual([
      "   1 yes, once (y)",
      "   2 yes, in this session: bash:",
      "     touch * (s)",
      " › 3 no (n)",
    ]);
    expect(shown(36, 7).slice(-3)).toEqual([
      "   1 yes, once (y)",
      "   2 yes, in this session: bash: to…",
      " › 3 no (n)",
    ]);
  });

  test("can be read to its end", () => {
    const step = typeIntoChoice(choice, { type: "key", key: "pagedown", text: "" });
    if (step.type !== "open") throw new Error("it is answered");
    expect(shown(60, 6, step.state).slice(1)).toEqual([
      "two",
      "three",
      "four",
      "five",
      " y once · s in this session · n no",
    ]);
  });
});
