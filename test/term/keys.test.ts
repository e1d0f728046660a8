import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createInputReader } from "../../src/term/input.ts";
import { actionOf, createKeyMap, parseKey, showKey } from "../../src/term/keymap.ts";
import { createKeyDecoder, type Input } from "../../src/term/keys.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function decode(text: string): readonly Input[] {
  const decoder = createKeyDecoder();
  return [...decoder.feed(bytes(text)), ...decoder.flush()];
}

const keysOf = (inputs: readonly Input[]) =>
  inputs.map((input) =>
    input.type === "key" ? input.key : input.type === "paste" ? `paste ${input.text}` : input.type,
  );

describe("codes of keys", () => {
  test.each([
    ["a", ["a"]],
    ["A", ["A"]],
    ["é한👍", ["é", "한", "👍"]],
    ["\r", ["enter"]],
    ["\n", ["ctrl+j"]],
    ["\x1b\r", ["alt+enter"]],
    ["\x1b[13;2u", ["shift+enter"]],
    ["\x1b[27;2;13~", ["shift+enter"]],
    ["\x1b[27;5;106~", ["ctrl+j"]],
    ["\x1b[106;5u", ["ctrl+j"]],
    ["\x03", ["ctrl+c"]],
    ["\x1b[99;5u", ["ctrl+c"]],
    ["\x1b[27;6;67~", ["ctrl+shift+c"]],
    ["\x1b[99;5:3u", []],
    ["\x1b", ["escape"]],
    ["\x1b[27u", ["escape"]],
    ["\x1b\x1b", ["escape", "escape"]],
    ["\x1b\x1b[A", ["alt+up"]],
    ["\x1b[A\x1bOA\x1b[1;5A", ["up", "up", "ctrl+up"]],
    ["\x1b[1;3D\x1bb", ["alt+left", "alt+b"]],
    ["\x1bB", ["alt+shift+b"]],
    ["\x1b[3~\x1b[3;5~", ["delete", "ctrl+delete"]],
    ["\x1b[5~\x1b[6~\x1b[H\x1b[F\x1b[1~\x1b[4~", ["pageup", "pagedown", "home", "end", "home", "end"]],
    ["\t\x1b[Z", ["tab", "shift+tab"]],
    ["\x7f\b", ["backspace", "ctrl+h"]],
    ["\x00\x1f", ["ctrl+space", "ctrl+_"]],
    ["\x1bOP\x1b[15~\x1b[[A", ["f1", "f5", "f1"]],
    ["\x1b[57414u", ["enter"]],
    ["\x1b[32;5u", ["ctrl+space"]],
    ["\x1b[27;2;65~", ["A"]],
    ["\x1bO", ["alt+shift+o"]],
    ["\x1b[", ["alt+["]],
    ["\x1b]", ["alt+]"]],
    ["\x1b[200~two\r\nlines\x1b[201~x", ["paste two\nlines", "x"]],
    ["\x1b[200~bad\x1b[31mcode\x07\x1b[201~", ["paste badcode"]],
    ["\x1b[?62;22c\x1b[?1u", ["answer", "answer"]],
    ["\x1bP>|tmux 3.4\x1b\\x", ["x"]],
    ["\x1b[?2026;2$yx", ["x"]],
  ])("%j", (text, keys) => {
    expect(keysOf(decode(text))).toEqual(keys);
  });

  test("mouse", () => {
    expect(decode("\x1b[<0;10;5M\x1b[<32;11;5M\x1b[<0;11;5m\x1b[<65;1;1M")).toMatchObject([
      { action: "press", button: "left", column: 9, row: 4 },
      { action: "drag", button: "left", column: 10, row: 4 },
      { action: "release" },
      { action: "wheel_down" },
    ]);
  });

  test("the terminal's background", () => {
    expect(decode("\x1b]11;rgb:ffff/8080/0000\x1b\\")).toEqual([
      { type: "answer", about: "background", rgb: [255, 128, 0] },
    ]);
    expect(decode("\x1b]11;rgb:ff/80/00\x07")).toMatchObject([{ rgb: [255, 128, 0] }]);
  });
});

describe("cuts", () => {
  const codes = [
    "\x1b[A",
    "\x1b[1;5C",
    "\x1bOP",
    "\x1b",
    "\x1bx",
    "\r",
    "\x1b[13;2u",
    "\x1b[27;5;106~",
    "\x1b[<0;3;4M",
  ];
  const texts = ["é", "👨‍👩‍👧‍👦", "plain", "\x1b[200~a\nb\x1b[201~", "\x1b]11;rgb:00/00/00\x07", "\x1b\x1b[B", "\x1b["];
  const input = fc.array(fc.oneof(fc.constantFrom(...codes, ...texts), fc.string({ unit: "grapheme" })), {
    maxLength: 12,
  });

  test("anywhere in the bytes give the same keys", () => {
    fc.assert(
      fc.property(input, fc.array(fc.nat(200), { maxLength: 20 }), (parts, cuts) => {
        const all = bytes(parts.join(""));
        const decoder = createKeyDecoder();
        const places = [0, ...cuts.filter((cut) => cut < all.length), all.length].sort((one, other) => one - other);
        const pieces = places.slice(1).map((end, index) => all.slice(places[index], end));
        const found = [...pieces.flatMap((piece) => decoder.feed(piece)), ...decoder.flush()];
        expect(found).toEqual(decode(parts.join("")));
        expect(decoder.waiting()).toBeUndefined();
      }),
    );
  });

  test("garbage ends, and never comes out as control characters", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (garbage) => {
        const decoder = createKeyDecoder();
        const found = [...decoder.feed(garbage), ...decoder.flush(), ...decoder.flush()];
        for (const input of found) if (input.type === "key") expect(input.text).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
      }),
    );
  });
});

describe("time", () => {
  /** Chunks with the time they come at; reads on until nothing is waited for. */
  function read(...chunks: readonly (readonly [number, string])[]): readonly Input[] {
    const reader = createInputReader();
    const found: Input[] = [];
    const settle = (until: number) => {
      for (let due = reader.deadline(); due !== undefined && due <= until; due = reader.deadline()) {
        found.push(...reader.tick(due));
      }
    };
    for (const [at, text] of chunks) {
      settle(at);
      found.push(...reader.feed(bytes(text), at));
    }
    settle(Number.POSITIVE_INFINITY);
    return found;
  }

  test("an escape alone is the key, with more soon after it a code", () => {
    expect(keysOf(read([0, "\x1b"], [100, "[A"]))).toEqual(["escape", "[", "A"]);
    expect(keysOf(read([0, "\x1b"], [10, "[A"]))).toEqual(["up"]);
  });

  test("typing sends at once", () => {
    const reader = createInputReader();
    expect(keysOf(reader.feed(bytes("a"), 0))).toEqual(["a"]);
    expect(keysOf(reader.feed(bytes("\r"), 80))).toEqual(["enter"]);
    expect(reader.deadline()).toBeUndefined();
  });

  test("a line with Enter at its end is sent, also when it comes at once", () => {
    expect(keysOf(read([0, "ls\r"]))).toEqual(["l", "s", "enter"]);
    expect(keysOf(read([0, "ls"], [5, "\r"]))).toEqual(["l", "s", "enter"]);
  });

  test("U09 a burst without brackets is a paste and sends nothing", () => {
    expect(keysOf(read([0, "one\rtwo\rthree\r"]))).toEqual(["paste one\ntwo\nthree\n"]);
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}\r`).join("");
    const chunks = (lines.match(/[\s\S]{1,1000}/g) ?? []).map((text, index) => [index * 3, text] as const);
    expect(read(...chunks)).toEqual([{ type: "paste", text: lines.replaceAll("\r", "\n") }]);
  });

  test("U09 a burst in the smallest pieces sends nothing either", () => {
    const keys = keysOf(read(...Array.from("one\rtwo\r").map((text, index) => [index * 4, text] as const)));
    expect(keys).toEqual(["o", "n", "e", "paste \ntwo\n"]);
  });

  test("U09 a bracketed paste of 5,000 lines is one input", () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}`).join("\n");
    const all = `\x1b[200~${lines}\x1b[201~`;
    const chunks = (all.match(/[\s\S]{1,1000}/g) ?? []).map((text, index) => [index * 500, text] as const);
    expect(read(...chunks)).toEqual([{ type: "paste", text: lines }]);
  });

  test("a paste without its end comes out in the end", () => {
    expect(keysOf(read([0, "\x1b[200~lost"], [5000, "x"]))).toEqual(["paste lost", "x"]);
  });
});

describe("key map", () => {
  const defaults = { send: ["enter"], newline: ["shift+enter", "ctrl+j"], quit: ["ctrl+c"] } as const;

  test("finds the action of a key", () => {
    expect(actionOf(defaults, "ctrl+j")).toBe("newline");
    expect(actionOf(defaults, "x")).toBeUndefined();
  });

  test("a person's keys replace the defaults and are taken from other actions", () => {
    const { map, problems } = createKeyMap(defaults, { send: ["Ctrl-J", "^S"] });
    expect(map).toEqual({ send: ["ctrl+j", "ctrl+s"], newline: ["shift+enter"], quit: ["ctrl+c"] });
    expect(problems).toEqual([]);
  });

  test("what cannot be is said", () => {
    const { map, problems } = createKeyMap(defaults, { sned: ["x"], send: ["hyper+q"], newline: ["f9"], quit: ["F9"] });
    expect(problems.map(({ action }) => action)).toEqual(["sned", "send", "quit"]);
    expect(map.newline).toEqual(["f9"]);
  });

  test.each([
    ["Ctrl+Shift+P", "ctrl+shift+p", "Ctrl+Shift+P"],
    ["alt-enter", "alt+enter", "Alt+Enter"],
    ["esc", "escape", "Esc"],
    ["?", "?", "?"],
    ["ctrl++", "ctrl++", "Ctrl++"],
    ["-", "-", "-"],
    ["^R", "ctrl+r", "Ctrl+R"],
    ["PgUp", "pageup", "PgUp"],
  ])("%s", (written, key, forPeople) => {
    expect(parseKey(written)).toBe(key);
    expect(showKey(key)).toBe(forPeople);
  });
});
