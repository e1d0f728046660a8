import fastStringWidth from "fast-string-width";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeLine } from "../../src/term/ansi.ts";
import { viewDiff, viewPatch } from "../../src/term/diff.ts";
import { createHighlighter } from "../../src/term/highlight.ts";
import { cut, line, lineWidth, type Lines, mark, pad, span, spread, textOf } from "../../src/term/line.ts";
import { createMarkdown, renderMarkdown } from "../../src/term/markdown.ts";
import { renderTable } from "../../src/term/table.ts";
import { colorDepth, createPalette, themeFrom } from "../../src/term/theme.ts";
import { clean, narrow, widthOf } from "../../src/term/width.ts";
import { wrap, wrapText } from "../../src/term/wrap.ts";

const shown = (lines: Lines) => lines.map(textOf);

describe("lines", () => {
  test.each([
    ["plain", 5],
    ["한글", 4],
    ["👨‍👩‍👧‍👦", 2],
    ["e\u0301", 1],
    ["🇩🇪", 2],
    ["日本", 4],
  ])("%s is %i wide", (text, width) => expect(widthOf(text)).toBe(width));

  test("of narrow characters are as wide as they are long", () => {
    const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).filter((text) =>
      narrow.test(text),
    );
    expect(all.length).toBeGreaterThan(1000);
    expect(all.filter((text) => fastStringWidth(text) !== 1)).toEqual([]);
    expect([...new Intl.Segmenter().segment(all.join(""))]).toHaveLength(all.length);
  });

  test("are cut, padded and spread", () => {
    expect(textOf(cut(line("hello world"), 6))).toBe("hello…");
    expect(textOf(cut(line("한글한글"), 4))).toBe("한…");
    expect(textOf(pad(line("한"), 5))).toBe("한   ");
    expect(textOf(spread(line("left"), line("right"), 12))).toBe("left   right");
    expect(textOf(spread(line("a long left side"), line("right"), 12))).toBe("a lon… right");
  });

  test("are wrapped between words, with a hanging indent", () => {
    expect(shown(wrapText("the quick brown fox", 10))).toEqual(["the quick", "brown fox"]);
    expect(shown(wrap(line("• the quick brown fox"), 10, line("  ")))).toEqual([
      "• the",
      "  quick",
      "  brown",
      "  fox",
    ]);
    expect(shown(wrapText("unbreakable", 4))).toEqual(["unbr", "eaka", "ble"]);
    expect(shown(wrapText("a\n\nb", 4))).toEqual(["a", "", "b"]);
    expect(shown(wrapText("  unbreakable", 6))).toEqual(["  unbr", "eakabl", "e"]);
    expect(shown(wrap(line("  unbreakable", " a"), 6, line("  ")))).toEqual(["  unbr", "  eaka", "  ble", "  a"]);
  });

  test("wrapped keep every letter and never exceed the width", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 20 }), (text, width) => {
        const rows = wrapText(text, width);
        for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(width);
        const letters = (given: string) => given.replace(/[ \n]/g, "");
        expect(letters(shown(rows).join(""))).toBe(letters(clean(text)));
      }),
    );
  });

  test("are marked by place", () => {
    expect(mark([span("ab"), span("cd", { bold: true })], 1, 3, { inverse: true })).toEqual([
      { text: "a" },
      { text: "b", style: { inverse: true } },
      { text: "c", style: { bold: true, inverse: true } },
      { text: "d", style: { bold: true } },
    ]);
  });

  test("lose codes and controls", () => {
    expect(clean("a\x1b[31mb\x1b]0;x\x07c\x00d\te\r\nf\rg\u202eh")).toBe("abcd    e\nf\ng<U+202E>h");
    expect(encodeLine([span("a\x1b[2Jb", { link: "https://x/\x1b[2J" })], createPalette("dark", 24))).toBe("a[2Jb");
  });
});

describe("colours", () => {
  const accent = [span("x", { color: "accent", bold: true })];
  test.each([
    [0, "\x1b[1mx\x1b[0m"],
    [4, "\x1b[1;94mx\x1b[0m"],
    [8, "\x1b[1;38;5;111mx\x1b[0m"],
    [24, "\x1b[1;38;2;127;180;255mx\x1b[0m"],
  ] as const)("of %i bits", (depth, written) => expect(encodeLine(accent, createPalette("dark", depth))).toBe(written));

  test("NO_COLOR, dumb terminals and pipes have none", () => {
    expect(colorDepth({ NO_COLOR: "1", COLORTERM: "truecolor" }, 24)).toBe(0);
    expect(colorDepth({ NO_COLOR: "" }, 8)).toBe(8);
    expect(colorDepth({ TERM: "dumb" }, 8)).toBe(0);
    expect(colorDepth({ COLORTERM: "truecolor" }, 8)).toBe(24);
    expect(colorDepth({ COLORTERM: "truecolor" }, 1)).toBe(0);
  });

  test("follow the background", () => {
    expect(themeFrom([255, 255, 240], {})).toBe("light");
    expect(themeFrom([20, 20, 30], { COLORFGBG: "0;15" })).toBe("dark");
    expect(themeFrom(undefined, { COLORFGBG: "0;15" })).toBe("light");
    expect(themeFrom(undefined, {})).toBe("dark");
  });

  test("without them the chosen row can still be told", () => {
    expect(encodeLine([span("x", { back: "selected_back" })], createPalette("dark", 0))).toBe("\x1b[7mx\x1b[0m");
  });
});

const sample = `# Title

A paragraph with **bold**, *slanted*, \`code\` and [a link](https://example.org/x),
going on.

- one
- two with more words than fit
  - inner
- [x] done

3. three
4. four

> quoted text
> goes on

\`\`\`ts
const answer = 42;
\`\`\`

| name | n |
|:-----|--:|
| a    | 1 |
| long name | 22 |

---

a < b &amp; c`;

describe("Markdown", () => {
  test("is laid out", () => {
    expect(shown(renderMarkdown(sample, 30))).toMatchInlineSnapshot(`
      [
        "Title",
        "",
        "A paragraph with bold,",
        "slanted, code and a link",
        "(https://example.org/x),",
        "going on.",
        "",
        "• one",
        "• two with more words than fit",
        "  • inner",
        "☑ done",
        "",
        "3. three",
        "4. four",
        "",
        "│ quoted text",
        "│ goes on",
        "",
        "  const answer = 42;",
        "",
        "name      │  n",
        "──────────┼───",
        "a         │  1",
        "long name │ 22",
        "",
        "──────────────────────────────",
        "",
        "a < b & c",
      ]
    `);
  });

  test("keeps its styles", () => {
    const [first] = renderMarkdown("**bold** `code`", 40);
    expect(first).toEqual([
      { text: "bold", style: { bold: true } },
      { text: " " },
      { text: "code", style: { color: "code" } },
    ]);
  });

  test("that grows looks the same in the end as if it had come at once", () => {
    const whole = renderMarkdown(sample, 34);
    fc.assert(
      fc.property(fc.array(fc.nat(sample.length), { maxLength: 12 }), (cuts) => {
        const text = createMarkdown();
        for (const end of cuts.sort((one, other) => one - other)) text.render(sample.slice(0, end), 34, "growing");
        expect(text.render(sample, 34)).toEqual(whole);
      }),
    );
  });

  test("of which a part is finished is not laid out again", () => {
    const asked: string[] = [];
    const highlighter = {
      highlight: (code: string) => {
        asked.push(code);
        return undefined;
      },
      version: () => 0,
    };
    const text = createMarkdown(highlighter);
    const start = "```ts\nconst a = 1;\n```\n\nAnd then ";
    for (let count = 0; count < 20; count++) text.render(start + "words ".repeat(count), 40, "growing");
    expect(asked).toEqual(["const a = 1;"]);
  });

  test("looks the same while it grows, long lists and long code included", () => {
    const items = Array.from({ length: 200 }, (_, index) => `${index + 1}. item **${index}** with some words`).join(
      "\n",
    );
    const code = `\`\`\`\n${Array.from({ length: 200 }, (_, index) => `row ${index};`).join("\n")}\n\`\`\``;
    const source = `# Head\n\n${items}\n\nBetween\n\n${code}\n\n- a\n- b\n\nEnd\u001b[31m.\n`;
    const text = createMarkdown();
    for (let end = 1; end < source.length; end += 7) {
      const rows = shown(text.render(source.slice(0, end), 40, "growing"));
      // A line that is not finished may still become something else.
      if (source[end - 1] === "\n") expect(rows).toEqual(shown(renderMarkdown(source.slice(0, end), 40)));
    }
    expect(shown(text.render(source, 40, "growing"))).toEqual(shown(renderMarkdown(source, 40)));
    expect(shown(text.render(source, 40))).toEqual(shown(renderMarkdown(source, 40)));
  });

  test("never exceeds the width", () => {
    for (const width of [10, 17, 30, 80]) {
      for (const row of renderMarkdown(sample, width)) expect(lineWidth(row)).toBeLessThanOrEqual(width);
    }
  });
});

describe("code", () => {
  test("is coloured once its language is there", async () => {
    let loaded: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      loaded = resolve;
    });
    const highlighter = createHighlighter(() => loaded());
    const code = 'const a = "<b>"; // why\nreturn 1;';
    // A language no other test loads: they share what is loaded.
    expect(highlighter.highlight(code, "csharp")).toBeUndefined();
    await arrived;
    const lines = highlighter.highlight(code, "csharp") ?? [];
    expect(shown(lines)).toEqual(code.split("\n"));
    expect(lines[0]).toContainEqual({ text: "const", style: { color: "keyword" } });
    expect(lines[0]).toContainEqual({ text: '"<b>"', style: { color: "string" } });
    expect(lines[0]).toContainEqual({ text: "// why", style: { color: "comment" } });
    expect(highlighter.highlight("x", "no-such-language")).toBeUndefined();
  });
});

describe("tables", () => {
  const table = {
    header: [line("name"), line("what it says")],
    rows: [[line("한글"), line("a longer sentence of several words")]],
  };

  test("wrap their cells", () => {
    expect(shown(renderTable(table, 24))).toEqual([
      "name │ what it says     ",
      "─────┼──────────────────",
      "한글 │ a longer sentence",
      "     │ of several words ",
    ]);
  });

  test("become lists where columns have no room", () => {
    expect(shown(renderTable(table, 8))).toContain("name:");
  });
});

describe("diffs", () => {
  test("have numbers, signs and counts", () => {
    const { lines, added, removed } = viewDiff("a\nhi\nc\n", "a\nhello\nworld\nc\n", 40);
    expect(shown(lines)).toEqual(["  1   a", "  2 - hi", "  2 + hello", "  3 + world", "  4   c"]);
    expect({ added, removed }).toEqual({ added: 2, removed: 1 });
    expect(lines[1]?.at(-1)?.style).toEqual({ color: "removed", back: "removed_back" });
  });

  test("leave out what is far from a change", () => {
    const before = Array.from({ length: 40 }, (_, index) => `${index}`);
    const after = before.with(2, "x").with(30, "y");
    const rows = shown(viewDiff(before.join("\n"), after.join("\n"), 40, 1).lines);
    expect(rows).toHaveLength(9);
    expect(rows).toContain("      ⋯");
  });

  test("made by others are read", () => {
    const patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -7,2 +7,2 @@ f()\n same\n--- old\n+++ new\n";
    const { lines, added, removed } = viewPatch(patch, 60);
    expect(shown(lines).slice(-3)).toEqual(["  7   same", "  8 - -- old", "  8 + ++ new"]);
    expect({ added, removed }).toEqual({ added: 1, removed: 1 });
  });
});
