import { describe, expect, test } from "vitest";
import { copyText } from "../../src/term/copy.ts";
import { line, span } from "../../src/term/line.ts";
import { createPlainWriter } from "../../src/term/plain.ts";
import { elapsed, spinnerAt } from "../../src/term/spinner.ts";
import { createPalette } from "../../src/term/theme.ts";

describe("plain output", () => {
  function start() {
    const pieces: string[] = [];
    return { pieces, writer: createPlainWriter((text) => pieces.push(text), createPalette("dark", 0)) };
  }

  test("U31 only ever appends: no codes, states as words, each said once", () => {
    const { pieces, writer } = start();
    writer.state("thinking");
    writer.state("thinking");
    for (const piece of ["Hel", "lo\x1b", "[31m wor", "ld\r", "\nbye"]) writer.stream(piece);
    writer.state("done");
    writer.line(line(span("Tokens: 3", { color: "muted" })));
    expect(pieces.join("")).toBe("thinking\nHello world\nbye\ndone\nTokens: 3\n");
    expect(pieces.join("")).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  });

  test("U31 what comes is written at once", () => {
    const { pieces, writer } = start();
    writer.stream("a");
    expect(pieces).toEqual(["a"]);
    writer.stream("\r");
    writer.end();
    expect(pieces.join("")).toBe("a\n");
  });
});

describe("U08 copying", () => {
  const text = "한글 text";
  const base = { platform: "linux" as const };

  test("says which way worked", async () => {
    const codes: string[] = [];
    const ran: string[] = [];
    const run = async ([name = ""]: readonly string[]) => {
      ran.push(name);
      return name === "xclip";
    };
    const send = (code: string) => void codes.push(code);
    const env = { WAYLAND_DISPLAY: "w", DISPLAY: ":0" };
    expect(await copyText(text, { ...base, env, send, run })).toMatchObject({
      copied: true,
      way: expect.stringMatching(/^xclip and .*OSC 52/),
    });
    expect(ran).toEqual(["wl-copy", "xclip"]);
    expect(codes).toEqual([`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`]);
  });

  test("over ssh only the terminal is asked", async () => {
    const run = async () => true;
    const result = await copyText(text, { ...base, env: { SSH_TTY: "t", DISPLAY: ":0" }, send: () => undefined, run });
    expect(result.way).toMatch(/^the terminal/);
  });

  test("says when nothing worked, and why", async () => {
    const env = { DISPLAY: ":0" };
    const run = async () => false;
    expect(await copyText(text, { ...base, env, run })).toEqual({ copied: false, way: "no clipboard tool was found" });
    const long = await copyText("x".repeat(100_000), { ...base, env, run, send: () => undefined });
    expect(long).toMatchObject({ copied: false, way: expect.stringContaining("too long") });
  });

  test("a tool that is not there is no accident", async () => {
    expect(await copyText(text, { ...base, env: { TERMUX_VERSION: "1" } })).toMatchObject({ copied: false });
  });
});

test("what moves is a function of time", () => {
  expect(new Set([0, 100, 200].map(spinnerAt)).size).toBe(3);
  expect(spinnerAt(0)).toBe(spinnerAt(1000));
  expect([999, 14_000, 125_000, 3_720_000].map(elapsed)).toEqual(["0s", "14s", "2m05s", "1h02m"]);
});
