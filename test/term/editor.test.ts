import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editorKeys, typeInto, viewEditor, viewMenu } from "../../src/term/editor-view.ts";
import {
  acceptMenu,
  continueLine,
  createEditor,
  type Editor,
  edit,
  editorValue,
  insert,
  paste,
  setText,
  submitted,
  withMenu,
} from "../../src/term/editor.ts";
import { textOf } from "../../src/term/line.ts";
import type { Input } from "../../src/term/keys.ts";

const width = 20;
const key = (name: string): Input => ({ type: "key", key: name, text: name.length === 1 ? name : "" });

/** `press(editor, "a", "left")` */
function press(editor: Editor, ...names: readonly string[]): Editor {
  return names.reduce((state, name) => typeInto(state, key(name), { keys: editorKeys, width }) ?? state, editor);
}

/** The text with `|` at the caret. */
const shown = ({ text, caret }: Editor) => `${text.slice(0, caret)}|${text.slice(caret)}`;
const at = (marked: string): Editor => {
  const caret = marked.indexOf("|");
  return { ...createEditor(), text: marked.replace("|", ""), caret };
};

describe("editing", () => {
  test.each([
    ["ab|", "left", "a|b"],
    ["|ab", "left", "|ab"],
    ["a|👨‍👩‍👧‍👦b", "right", "a👨‍👩‍👧‍👦|b"],
    ["a👨‍👩‍👧‍👦|b", "backspace", "a|b"],
    ["한글|", "backspace", "한|"],
    ["e\u0301|x", "left", "|e\u0301x"],
    ["a|b", "delete", "a|"],
    ["one two|", "alt+b", "one |two"],
    ["one, |two", "alt+b", "|one, two"],
    ["|one two", "alt+f", "one| two"],
    ["one two|", "ctrl+w", "one |"],
    ["|one two", "alt+d", "| two"],
    ["a\nb|c", "home", "a\n|bc"],
    ["a\nb|c\nd", "end", "a\nbc|\nd"],
    ["a\nbc|d", "ctrl+u", "a\n|d"],
    ["a|b\nc", "ctrl+k", "a|\nc"],
    ["a|\nc", "ctrl+k", "a|c"],
    ["a|b", "shift+enter", "a\n|b"],
    ["a|b", "alt+enter", "a\n|b"],
    ["a|b", "ctrl+j", "a\n|b"],
    ["ab\ncd|", "up", "ab|\ncd"],
    ["a|b\nc", "down", "ab\nc|"],
    ["a\n|", "ctrl+home", "|a\n"],
  ])("%j, %s", (before, name, after) => {
    expect(shown(press(at(before), name))).toBe(after);
  });

  test("U12 a backslash and Enter make a new line", () => {
    expect(shown(continueLine(at("a\\|")) ?? createEditor())).toBe("a\n|");
    expect(continueLine(at("a|"))).toBeUndefined();
  });

  test("up and down aim at the column they started from", () => {
    expect(shown(press(at("long line|\nx\nanother one"), "down", "down"))).toBe("long line\nx\nanother o|ne");
  });

  test("up and down go through wrapped rows", () => {
    const text = "0123456789 0123456789 0123456789";
    expect(press({ ...createEditor(), text, caret: 2 }, "down").caret).toBe(13);
    expect(press({ ...createEditor(), text, caret: 13 }, "up").caret).toBe(2);
  });

  test("what was killed comes back, in one piece, and older ones after it", () => {
    const killed = press(at("one two three|"), "ctrl+w", "ctrl+w");
    expect(shown(press(killed, "ctrl+y"))).toBe("one two three|");
    const twice = press(press(at("a b|"), "ctrl+w"), "left", "ctrl+k", "ctrl+y");
    expect(shown(press(twice, "alt+y"))).toBe("ab|");
  });

  test("undo takes back words, not letters, and redo gives them again", () => {
    const typed = press(createEditor(), "a", "b", "space", "c", "d");
    const spaced = press(insert(press(createEditor(), "a", "b"), " "), "c", "d");
    expect(typed.text).toBe("abcd");
    expect(shown(press(spaced, "ctrl+_"))).toBe("ab|");
    expect(shown(press(spaced, "ctrl+_", "ctrl+_", "alt+_", "alt+_"))).toBe("ab cd|");
    expect(shown(press(setText(at("old|"), "new"), "ctrl+_"))).toBe("old|");
  });

  test("keys that mean nothing here are left to others", () => {
    for (const name of ["enter", "escape", "tab", "pageup", "f1"]) {
      expect(typeInto(createEditor(), key(name), { keys: editorKeys, width })).toBeUndefined();
    }
  });
});

describe("history", () => {
  const editor = createEditor(["first", "second line\nof two", "third"]);

  test("up and down walk through it and come back to the draft", () => {
    const draft = press(editor, "x");
    expect(press(draft, "up").text).toBe("third");
    expect(press(draft, "up", "up").text).toBe("second line\nof two");
    // Inside of two lines up and down move the caret first.
    expect(press(draft, "up", "up", "up", "up").text).toBe("first");
    expect(press(draft, "up", "up", "up", "up", "up").text).toBe("first");
    expect(shown(press(draft, "up", "down"))).toBe("x|");
  });

  test("what is sent is remembered, blank or repeated lines are not", () => {
    expect(submitted(insert(editor, "fourth")).history.at(-1)).toBe("fourth");
    expect(submitted(insert(editor, "third")).history).toHaveLength(3);
    expect(submitted(insert(editor, "  ")).history).toHaveLength(3);
    expect(submitted(insert(editor, "new"), 2).history).toEqual(["third", "new"]);
  });

  test("Ctrl+R searches, again goes on, Enter takes it, Escape does not", () => {
    const found = press(insert(editor, "draft"), "ctrl+r", "i", "r");
    expect(found.text).toBe("third");
    expect(press(found, "ctrl+r").text).toBe("first");
    expect(press(found, "ctrl+r", "enter")).toMatchObject({ text: "first", search: undefined });
    expect(press(found, "escape")).toMatchObject({ text: "draft", search: undefined });
    expect(press(found, "enter", "ctrl+_").text).toBe("draft");
    const rows = viewEditor(press(found, "q"), { width, rowsMax: 5 }).rows.map(textOf);
    expect(rows.at(-1)).toBe("search: irq (nothin…");
  });
});

describe("pastes", () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}`).join("\n");

  test("U09 5,000 lines are one insertion with a placeholder that can be opened and edited", () => {
    const pasted = press(paste(insert(createEditor(), "see "), lines), "!");
    expect(editorValue(pasted)).toBe(`see ${lines}!`);
    expect(viewEditor(pasted, { width: 40, rowsMax: 5 }).rows.map(textOf)).toEqual(["> see [paste 1: 5000 lines]!"]);
    const long = paste(createEditor(), "x".repeat(5_000));
    expect(viewEditor(long, { width: 40, rowsMax: 5 }).rows.map(textOf)).toEqual(["> [paste 1: 5000 characters]"]);
    const opened = press(pasted, "ctrl+x");
    expect(opened.text).toBe(`see ${lines}!`);
    expect(editorValue(press(opened, "backspace"))).toBe(`see ${lines.slice(0, -1)}!`);
    expect(viewEditor(opened, { width: 40, rowsMax: 5 }).rows).toHaveLength(5);
  });

  test("a placeholder goes as a whole, and comes back", () => {
    const pasted = paste(createEditor(), lines);
    expect(press(pasted, "backspace").text).toBe("");
    expect(editorValue(press(pasted, "backspace", "ctrl+_"))).toBe(lines);
    expect(editorValue(press(pasted, "ctrl+u", "ctrl+y", "ctrl+y"))).toBe(lines + lines);
  });

  test("short pastes are text; line ends and codes are cleaned", () => {
    expect(paste(createEditor(), "a\r\nb\x1b[31m\tc").text).toBe("a\nb    c");
  });

  test("nobody can type a placeholder", () => {
    expect(editorValue(insert(createEditor(), "a\u{10f000}b"))).toBe("ab");
  });
});

describe("completion", () => {
  const items = ["/model", "/mark", "/mouse"].map((label) => ({ label, insert: `${label} `, hint: "…" }));
  const open = withMenu(insert(createEditor(), "/m"), { start: 0, end: 2, items, selected: 0 });

  test("is walked and taken with keys", () => {
    expect(shown(press(open, "down", "tab"))).toBe("/mark |");
    expect(shown(press(open, "up", "enter"))).toBe("/mouse |");
    expect(shown(press(open, "escape"))).toBe("/m|");
    expect(acceptMenu(open).menu).toBeUndefined();
    expect(press(open, "o").menu).toBeUndefined();
  });

  test("shows the chosen one among as many as there is room for", () => {
    expect(viewMenu(open, 20, 2).map(textOf)).toEqual([" /model  …          ", " /mark   …          "]);
    expect(viewMenu(press(open, "up"), 20, 2).map((row) => textOf(row).trim())).toEqual(["/mark   …", "/mouse  …"]);
  });
});

describe("view", () => {
  test.each([
    ["한글|", 4],
    ["日本語|", 6],
    ["👨‍👩‍👧‍👦|", 2],
    ["ab|cd", 2],
  ])("U10 the caret of %s", (marked, column) => {
    expect(viewEditor(at(marked), { width: 40, rowsMax: 5 }).caret).toEqual({ row: 0, column: column + 2 });
  });

  test("wraps between words and keeps a column for the caret", () => {
    const { rows, caret } = viewEditor(at("hello wide world of words|"), { width: 14, rowsMax: 5 });
    expect(rows.map(textOf)).toEqual(["> hello wide ", "  world of ", "  words"]);
    expect(caret).toEqual({ row: 2, column: 7 });
    const full = viewEditor(at("0123456789|"), { width: 13, rowsMax: 5 });
    expect(full.caret).toEqual({ row: 0, column: 12 });
  });

  test("shows the rows around the caret", () => {
    const text = Array.from({ length: 30 }, (_, index) => `row ${index}`).join("\n");
    const { rows, caret } = viewEditor({ ...createEditor(), text, caret: 60 }, { width: 40, rowsMax: 4 });
    expect(rows).toHaveLength(4);
    expect(textOf(rows[caret.row] ?? [])).toBe("  row 10");
  });

  test("a hint stands where nothing is written", () => {
    const view = viewEditor(createEditor(), { width: 40, rowsMax: 4, hint: "ask anything" });
    expect(view.rows.map(textOf)).toEqual(["> ask anything"]);
    expect(view.caret).toEqual({ row: 0, column: 2 });
  });
});

test("whatever is done, the caret is between graphemes, on the screen, and undo leads back to nothing", () => {
  const names = [...Object.values(editorKeys).flat(), "enter", "tab", "escape"];
  const texts = [
    "👨‍👩‍👧‍👦",
    "한글",
    "e\u0301",
    "\u0301",
    "\u200d",
    "🇩🇪",
    "two\nlines",
    "word ",
    "x".repeat(30),
    "\u{10f000}",
  ];
  const step = fc.oneof(
    fc.constantFrom(...names).map(key),
    fc
      .oneof(fc.constantFrom(...texts), fc.string({ unit: "grapheme" }))
      .map((text): Input => ({ type: "key", key: text, text })),
    fc.constantFrom("short", "many\n".repeat(20)).map((text): Input => ({ type: "paste", text })),
  );
  const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.integer({ min: 5, max: 30 }),
      fc.boolean(),
      (inputs, columns, empty) => {
        let editor = createEditor(empty ? [] : ["an old one", "two\nlines"]);
        for (const input of inputs) {
          editor = typeInto(editor, input, { keys: editorKeys, width: columns }) ?? editor;
          const starts = [...segmenter.segment(editor.text)].map(({ index }) => index);
          expect([...starts, editor.text.length]).toContain(editor.caret);
          const view = viewEditor(editor, { width: columns, rowsMax: 4 });
          expect(view.caret.row).toBeLessThan(view.rows.length);
          expect(view.caret.column).toBeLessThan(columns);
          expect(editorValue(editor)).not.toMatch(/[\u{10f000}-\u{10ffff}]/u);
        }
        if (!empty) return;
        let back = { ...editor, search: undefined };
        while (back.past.length > 0) back = { ...edit(back, "undo", columns), search: undefined };
        expect(back.text).toBe("");
      },
    ),
    { numRuns: 300 },
  );
});
