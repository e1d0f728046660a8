import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createPicker, pickerMatches } from "../../src/term/index.ts";
import { compose } from "./composition.ts";
import { createHandClock, createVirtualTerminal } from "./virtual.ts";

function start(columns = 80, rows = 24, options: { strip?: boolean } = {}) {
  const terminal = createVirtualTerminal(columns, rows);
  const clock = createHandClock();
  const program = compose(terminal, { clock, ...options });
  const settle = () => clock.advance(200);
  settle();
  return {
    terminal,
    clock,
    ...program,
    settle,
    press: async (...codes: readonly string[]) => {
      for (const code of codes) {
        terminal.type(code);
        settle();
      }
      return terminal.screen();
    },
  };
}

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `line ${from + index}`).join("\n");
const pageUp = "\x1b[5~";
const end = "\x1b[F";

describe("frames", () => {
  test("U01 2,000 lines stream into 24 rows: nothing is cleared, frames are whole and small, at most 60 a second", async () => {
    const { terminal, clock, say } = start();
    const before = terminal.writes.length;
    for (let index = 0; index < 2000; index++) {
      say("answer", `streamed line ${index} of **many** words\n`);
      clock.advance(2);
    }
    clock.advance(100);
    const frames = terminal.writes.slice(before);
    expect(frames.length).toBeGreaterThan(100);
    expect(frames.length).toBeLessThanOrEqual(4100 / 16 + 2);
    for (const frame of frames) {
      expect(frame).not.toMatch(/\x1b\[[23]?J/);
      expect(frame.startsWith("\x1b[?2026h") && frame.endsWith("\x1b[?2026l")).toBe(true);
      expect(Buffer.byteLength(frame)).toBeLessThanOrEqual(80 * 24 * 8);
    }
    expect((await terminal.screen()).join("\n")).toContain("streamed line 1999");
  });

  test("a key writes its row only, and nothing is written when nothing changed", async () => {
    const { terminal, stage, settle, press } = start();
    const before = terminal.writes.length;
    await press("a");
    const [frame = "", ...more] = terminal.writes.slice(before);
    expect(more).toEqual([]);
    expect(frame.length).toBeLessThan(120);
    stage.redraw();
    settle();
    expect(terminal.writes).toHaveLength(before + 1);
  });

  test("U07 no timer runs when nothing moves, and an animation ends with its reason", () => {
    const { clock, stage } = start();
    expect(clock.waiting()).toBe(0);
    stage.animate("on");
    clock.advance(1000);
    expect(clock.waiting()).toBe(1);
    stage.animate("off");
    clock.advance(1000);
    expect(clock.waiting()).toBe(0);
  });

  test("a terminal that is behind gets the newest frame once it has caught up, and no other", async () => {
    const terminal = createVirtualTerminal();
    const clock = createHandClock();
    let slow = false;
    const write = (text: string) => {
      terminal.write(text);
      return !slow;
    };
    const { say } = compose({ ...terminal, write }, { clock });
    clock.advance(100);
    slow = true;
    say("a", "one\n");
    clock.advance(100);
    const before = terminal.writes.length;
    say("a", "two\n");
    say("a", "three\n");
    clock.advance(1000);
    expect(terminal.writes).toHaveLength(before);
    slow = false;
    terminal.handlers()?.drained();
    clock.advance(100);
    expect(terminal.writes).toHaveLength(before + 1);
    expect((await terminal.screen()).join("\n")).toContain("three");
  });

  test("text cannot bring codes of its own", async () => {
    const { terminal, say, settle } = start();
    say("evil", "a\x1b[2Jb\x1b]0;title\x07c\u202ed\x9b31me");
    settle();
    expect((await terminal.screen()).join("\n")).toContain("abc<U+202E>d31me");
  });
});

describe("the transcript", () => {
  test("U02 PgUp while streaming keeps the first visible line and counts; End returns", async () => {
    const { terminal, say, settle, press } = start();
    say("answer", numbered(100));
    settle();
    const [, first] = await press(pageUp);
    for (let index = 0; index < 50; index++) {
      say("answer", `\nmore ${index}`);
      settle();
    }
    say("next", numbered(7));
    settle();
    const held = await terminal.screen();
    expect(held[1]).toBe(first);
    expect(held.join("\n")).toContain("57 new lines · End ↓");
    const back = await press(end);
    expect(back.join("\n")).toContain("line 6");
    expect(back.join("\n")).not.toContain("new lines");
    expect((await press(pageUp, pageUp)).join("\n")).not.toContain("new lines");
  });

  test("U02 paging down to the end follows again, and the wheel scrolls", async () => {
    const { terminal, say, settle, press } = start();
    say("answer", numbered(100));
    settle();
    const shown = await terminal.screen();
    const [, first] = await press("\x1b[<64;5;5M");
    expect(first).not.toBe(shown[1]);
    await press("\x1b[<65;5;5M");
    say("answer", "\nthe newest");
    settle();
    expect((await terminal.screen()).join("\n")).toContain("the newest");
  });

  test("U03 on exit the transcript is on the normal screen", async () => {
    const { terminal, say, settle, press } = start(40, 12);
    say("answer", numbered(60));
    settle();
    await press("\x04");
    const all = (await terminal.everything()).filter((row) => row.startsWith("line "));
    expect(all).toEqual(numbered(60).split("\n"));
  });

  test("U04 search finds text anywhere, wrapped or not, and shows it marked", async () => {
    const { terminal, say, search, settle } = start(40, 12);
    for (let index = 0; index < 300; index++) {
      say(
        `block ${index}`,
        index === 123 ? "this is a long line and it holds the one needle, in hay" : `block ${index}`,
      );
    }
    settle();
    search("the one NEEDLE");
    settle();
    const shown = (await terminal.screen()).join("\n");
    expect(shown).toContain("needle, in hay");
    expect(shown).toContain("block 122");
    search("needle");
    settle();
    expect(terminal.writes.at(-1)).toMatch(/\x1b\[48;5;\d+mneedle/);
  });

  test("U11 100 → 40 → 100 columns in mid-stream: one copy of each line, rewrapped", async () => {
    const { terminal, say, settle } = start(100, 30);
    const words = (index: number) => `${index}: ${"word ".repeat(12).trim()} end${index}\n`;
    const all: string[] = [];
    for (let index = 0; index < 12; index++) {
      all.push(words(index));
      say("answer", words(index));
      if (index === 4) terminal.resize(40, 30);
      if (index === 8) terminal.resize(100, 30);
      settle();
    }
    const shown = (await terminal.screen()).join("\n");
    for (let index = 0; index < 12; index++)
      expect(shown.match(new RegExp(`\\bend${index}\\b`, "g")), `${index}`).toHaveLength(1);
    const before = terminal.writes.length;
    terminal.resize(40, 30);
    settle();
    expect(terminal.writes.slice(before).join("")).not.toMatch(/\x1b\[[23]?J/);
    const narrow = (await terminal.screen()).slice(0, -4).join(" ").replace(/\s+/g, " ");
    expect(narrow).toContain(all.slice(-5).join(" ").replace(/\s+/g, " ").trim());
  });

  test("U11 a held position survives another width", async () => {
    const { terminal, say, settle, press } = start(100, 20);
    for (let index = 0; index < 40; index++) say(`b${index}`, `${index}: ${"word ".repeat(30)}`);
    settle();
    const [, first = ""] = await press(pageUp);
    terminal.resize(40, 20);
    settle();
    terminal.resize(100, 20);
    settle();
    expect((await terminal.screen())[1]).toBe(first);
  });

  test("only blocks that are looked at are rendered", () => {
    const { say, settle, rendered } = start();
    for (let index = 0; index < 1000; index++) say(`b${index}`, numbered(3, index));
    settle();
    expect(rendered()).toBeLessThan(30);
  });
});

describe("the editor on the screen", () => {
  test.each(["한글", "日本語", "👨‍👩‍👧‍👦", "e\u0301x", "plain", "tab\there"])(
    "U10 the real cursor is at the caret after %s",
    async (text) => {
      const { terminal, press } = start();
      await press(`\x1b[200~${text}\x1b[201~`);
      const at = await terminal.cursor();
      // Whatever width the terminal gives it: what is typed next stands where the cursor was.
      await press("#");
      const row = terminal.row(at.row);
      expect(row[at.column]).toBe("#");
      expect((await terminal.cursor()).column).toBe(at.column + 1);
    },
  );

  test("U10 the caret between wide characters", async () => {
    const { terminal, press } = start();
    await press("한글日本", "\x1b[D", "\x1b[D");
    expect(await terminal.cursor()).toEqual({ row: 21, column: 2 + 4 });
  });

  test("U09 a paste of 5,000 lines sends nothing, with brackets and without", async () => {
    const { terminal, sent, editor, press } = start();
    await press(`\x1b[200~${numbered(5000)}\x1b[201~`);
    expect(sent).toEqual([]);
    expect((await terminal.screen()).join("\n")).toContain("[paste 1: 5000 lines]");
    await press(numbered(20).replaceAll("\n", "\r") + "\r");
    expect(sent).toEqual([]);
    expect(editor().text).toHaveLength(4);
    await press("\r");
    expect(sent).toEqual([`${numbered(5000)}${numbered(20)}\n`]);
  });

  test("U12 Shift+Enter, Alt+Enter, Ctrl+J and a backslash make a new line, Enter sends", async () => {
    const { sent, press } = start();
    await press("a", "\x1b[13;2u", "b", "\x1b[27;2;13~", "c", "\x1b\r", "d", "\n", "e", "\\", "\r", "f", "\r");
    expect(sent).toEqual(["a\nb\nc\nd\ne\nf"]);
  });

  test("keys the terminal can send better are asked for", async () => {
    const kitty = start();
    await kitty.press("\x1b[?0u\x1b[?62c");
    expect([...kitty.terminal.modes]).toEqual(["kitty_keys"]);
    const other = start();
    await other.press("\x1b[?62c");
    expect([...other.terminal.modes]).toEqual(["other_keys"]);
  });

  test("U08 the mouse is taken only on request", async () => {
    const { terminal, press, stage } = start();
    expect(terminal.modes.has("mouse")).toBe(false);
    await press("\x1b[13~");
    expect(terminal.modes.has("mouse")).toBe(true);
    stage.setMouse("off");
    expect(terminal.modes.has("mouse")).toBe(false);
  });
});

describe("overlays", () => {
  test("a picker filters, and chooses by number, arrows and Enter; Escape leaves it", async () => {
    const { sent, press } = start();
    await press("\x0f", "2");
    expect((await press("\x0f", "l", "r", "g")).join("\n")).toMatch(/› 1 other-large/);
    await press("\r");
    await press("\x0f", "\x1b[B", "\x1b[B", "\r");
    const closed = await press("\x0f", "\x1b");
    expect(sent).toEqual(["picked sim-slow", "picked other-large", "picked sim-think"]);
    expect(closed.join("\n")).toContain("ask anything");
  });

  test("what has the words in it stays in the list's own order, what only resembles it follows", () => {
    const names = ["opus-5-5", "opus-5", "old-opus", "o-p-u-s", "sonnet", "opus"];
    const items = names.map((label) => ({ value: label, label, ...(label === "sonnet" ? { hint: "no opus" } : {}) }));
    const found = pickerMatches(createPicker("", items, { query: "opus" })).map(({ label }) => label);
    expect(found).toEqual(["opus", "opus-5-5", "opus-5", "old-opus", "sonnet", "o-p-u-s"]);
    expect(pickerMatches(createPicker("", items, { query: "5 op" })).map(({ label }) => label)).toEqual([
      "opus-5-5",
      "opus-5",
    ]);
  });

  test("an approval takes numbers and letters; Escape and a paste are no yes", async () => {
    const { sent, press } = start();
    const f2 = "\x1bOQ";
    await press(f2, "1");
    await press(f2, "S");
    await press(f2, "\x1b[B", "\x1b[B", "\r");
    await press(f2, "\x1b[200~y\x1b[201~", "\x1b");
    expect(sent).toEqual(["answered once", "answered session", "answered no", "answered no"]);
  });
});

describe("lending", () => {
  test("an editor has the terminal for itself, then everything is painted again", async () => {
    const { terminal, stage, say, settle } = start();
    say("a", "before");
    settle();
    let during: readonly string[] = [];
    await stage.lend(async () => {
      say("a", " and during");
      settle();
      during = await terminal.screen();
    });
    settle();
    expect(during.join("").trim()).toBe("");
    expect((await terminal.screen()).join("\n")).toContain("before and during");
  });

  test("the end of the terminal is heard", () => {
    const { terminal, ends } = start();
    terminal.handlers()?.signal("SIGTERM");
    expect(ends).toEqual(["SIGTERM"]);
  });
});

describe("golden screens", () => {
  const story = (say: (id: string, text: string) => void) => {
    say("1", "› Improve the README\n");
    say("2", "$ ls -la && cat README.md    ✓ 0.1s\n");
    say(
      "3",
      "I updated the README: the first paragraph now says what the program is for, in words a new reader knows. 한글 too.\n",
    );
  };
  const cases = {
    conversation: async () => undefined,
    picker: async (press: Press) => void (await press("\x0f", "sim")),
    approval: async (press: Press) => void (await press("\x1bOQ")),
    writing: async (press: Press) => void (await press("a question\x1b\rin two lines")),
  };
  type Press = ReturnType<typeof start>["press"];
  const sizes = [
    [80, 24],
    [40, 12],
    [120, 40],
  ] as const;
  for (const [name, act] of Object.entries(cases)) {
    test.each(sizes)(`${name} at %i×%i`, async (columns, rows) => {
      const { terminal, say, settle, press } = start(columns, rows, { strip: true });
      story(say);
      settle();
      await act(press);
      const shown = `${(await terminal.screen()).join("\n")}\n`;
      const file = new URL(`golden/${name}-${columns}x${rows}.txt`, import.meta.url);
      if (process.env["UPDATE_GOLDEN"] === "1" || !existsSync(file)) writeFileSync(file, shown);
      expect(shown).toBe(readFileSync(file, "utf8"));
    });
  }
});
