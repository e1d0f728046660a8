import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { exitCodeMeanings, exitCodes, lengthExitCode, limitExitCode } from "../../src/cli/exit-codes.ts";
import { flagForm, helpFor, helpText, helpWanted } from "../../src/cli/help.ts";
import { defaultMockPort } from "../../src/cli/mock.ts";
import { printCommand, startCommand } from "../../src/cli/start-commands.ts";
import { faultKinds } from "../../src/testing/index.ts";
import { root } from "../../tools/files.mjs";

const all = [printCommand, ...commands];
const named = all.map((command) => [command.name, command] as const);

describe("the help", () => {
  test("of everything is a line for each command", () => {
    for (const { name, summary } of all) {
      expect(helpText()).toContain(summary);
      expect(helpText()).toMatch(new RegExp(`^  ikigai ${name} `, "m"));
    }
    expect(helpText()).toContain(startCommand.summary);
  });

  test.each(named)("of %s is complete", (name, { usage, about, flags, notes = [], examples }) => {
    const text = helpFor(name);
    const words = text.replaceAll(/\s+/g, " ");
    for (const form of usage) expect(text).toContain(`ikigai ${form}\n`);
    for (const part of [...about, ...notes, ...flags.map(({ says }) => says)]) expect(words).toContain(part);
    for (const flag of flags) expect(text).toContain(`  ${flagForm(flag)}  `);
    expect(about.length).toBeGreaterThan(0);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(example).toMatch(/\bikigai\b/);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  test.each(named)("of %s names the flags it takes, and no others", (name, { flags }) => {
    const taken = [
      ...sourceOf(name).matchAll(/[\s{]"?([a-z-]+)"?: \{ type: "(string|boolean)"(?:[^}]*short: "(\w)")?/g),
    ];
    const told = flags.map((flag) => `${flag.name} ${flag.value === undefined ? "boolean" : "string"} ${flag.short}`);
    expect(new Set(told)).toEqual(new Set(taken.map(([, flag, type, short]) => `${flag} ${type} ${short}`)));
  });

  test.each([
    [["--help"], helpText()],
    [["-h"], helpText()],
    [["help"], helpText()],
    [["help", "db"], helpFor("db")],
    [["help", "nobody"], helpText()],
    [["db", "--help"], helpFor("db")],
    [["wire", "decode", "-h"], helpFor("wire")],
    [["-p", "--help"], helpFor("-p")],
    [["--model", "sim-echo", "-p", "-h"], helpFor("-p")],
    [["history", "--", "--help"], undefined],
    [["history", "-p"], undefined],
    [[], undefined],
  ])("is wanted by %j", ([name, ...args], text) => {
    expect(helpWanted(name, args)).toBe(text);
  });

  test("says of the emulator what the emulator says", () => {
    const flags = commands.find(({ name }) => name === "mock")?.flags ?? [];
    expect(flags.find(({ name }) => name === "fault")?.words).toEqual(faultKinds);
    expect(flags.find(({ name }) => name === "port")?.says).toContain(String(defaultMockPort));
  });

  test("has a meaning for every exit code", () => {
    const codes = [0, 1, ...Object.values(exitCodes), lengthExitCode, limitExitCode];
    const known = Object.keys(exitCodeMeanings).map(Number);
    expect(known).toEqual([...new Set(codes)].toSorted((left, right) => left - right));
  });
});

/** The file that the table loads for a command. */
function sourceOf(name: string): string {
  const tables = ["src/cli/commands.ts", "src/cli/start-commands.ts"];
  const table = tables.map((path) => readFileSync(join(root, path), "utf8")).join("");
  const row = table.slice(table.indexOf(`name: "${name}",\n`));
  const [, file = ""] = /import\("(.+?)"\)/.exec(row) ?? [];
  return readFileSync(join(root, "src/cli", file), "utf8");
}
