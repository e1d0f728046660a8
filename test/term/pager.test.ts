import { expect, test } from "vitest";
import { createPager, line, type Pager, typeIntoPager, viewPager } from "../../src/term/index.ts";
import { textOf } from "../../src/term/line.ts";

const rows = 10;
const lines = Array.from({ length: 100 }, (_, index) => line(`row ${index}`));

function press(pager: Pager, ...names: readonly string[]): Pager {
  return names.reduce((state, name) => {
    const step = typeIntoPager(state, { type: "key", key: name, text: name.length === 1 ? name : "" }, rows);
    return step.type === "open" ? step.state : state;
  }, pager);
}
const shown = (pager: Pager) => viewPager(pager, 40, rows).rows.map(textOf);

test("a pager fills its rows and says where it is", () => {
  const pager = createPager("output", lines);
  expect(shown(pager)).toHaveLength(rows);
  expect(shown(pager)[0]).toMatch(/^── output ─+ 1–8 of 100 ──$/);
  expect(shown(createPager("short", lines.slice(0, 2)))).toHaveLength(rows);
});

test("keys move it, never past its ends", () => {
  const pager = createPager("output", lines);
  expect(press(pager, "down", "down").top).toBe(2);
  expect(press(pager, "up").top).toBe(0);
  expect(press(pager, "pagedown", "pageup").top).toBe(0);
  expect(shown(press(pager, "end")).at(-2)).toBe("row 99");
  expect(press(createPager("short", lines.slice(0, 2)), "pagedown").top).toBe(0);
});

test("search jumps while it is typed, goes on with n and back with N, and ends with Escape", () => {
  const found = press(createPager("output", lines), "/", "5", "0", "enter");
  expect(found.top).toBe(50);
  const fives = press(createPager("output", lines), "/", "5", "enter");
  expect([fives.top, press(fives, "n").top, press(fives, "n", "N").top]).toEqual([5, 15, 5]);
  expect(press(fives, "/", "x", "escape")).toMatchObject({ query: "", typing: false });
  expect(typeIntoPager(fives, { type: "key", key: "escape", text: "" }, rows)).toEqual({ type: "cancelled" });
});

test("the wheel moves it", () => {
  const wheel = { type: "mouse", action: "wheel_down", button: "none", column: 0, row: 0 } as const;
  expect(typeIntoPager(createPager("output", lines), wheel, rows)).toMatchObject({ state: { top: 3 } });
});
