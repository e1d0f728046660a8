import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../tools/files.mjs";

const source = join(root, "bin/ikigai.cjs");

/** What stands where the program would: it says what it was given and does what it is told. */
const program = `
import { writeSync } from "node:fs";
const [what, ...rest] = process.argv.slice(2);
writeSync(1, JSON.stringify({ args: process.argv.slice(2), version: process.version }) + "\\n");
if (what === "exit") process.exit(Number(rest[0]));
if (what === "die") process.kill(process.pid, "SIGKILL");
if (what === "wait") {
  process.on("SIGTERM", () => process.exit(42));
  writeSync(1, "waiting\\n");
  setInterval(() => {}, 1000);
}
if (what === "warn") {
  process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
  process.emitWarning("Something else is experimental", "ExperimentalWarning");
  process.emitWarning("SQLite is slow today");
}
`;

describe("the launcher", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ikigai-launcher-"));
    mkdirSync(join(folder, "bin"));
    mkdirSync(join(folder, "dist"));
    cpSync(source, join(folder, "bin/ikigai.cjs"));
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
    writeFileSync(join(folder, "dist/main.js"), program);
    // `-r` this to be an old Node, as far as the launcher can see.
    writeFileSync(join(folder, "old.cjs"), `Object.defineProperty(process, "version", { value: "v20.1.0" });`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (args: readonly string[], options: readonly string[] = []) =>
    spawnSync(process.execPath, [...options, join(folder, "bin/ikigai.cjs"), ...args], { encoding: "utf8" });
  const old = (): readonly string[] => ["-r", join(folder, "old.cjs")];

  /** Puts this very Node where the repository's own would be. */
  const withBundledNode = (version: string): (() => void) => {
    const system = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
    const home = join(folder, "node_modules", `node-${system}`);
    mkdirSync(join(home, "bin"), { recursive: true });
    writeFileSync(join(home, "package.json"), JSON.stringify({ version, bin: { node: "bin/node" } }));
    symlinkSync(process.execPath, join(home, "bin/node"));
    return () => rmSync(join(folder, "node_modules"), { recursive: true });
  };

  test("hands over arguments and the exit code", () => {
    const { stdout, status } = run(["exit", "7", "--flag", "two words"]);
    expect(JSON.parse(stdout)).toMatchObject({ args: ["exit", "7", "--flag", "two words"] });
    expect(status).toBe(7);
  });

  test("hides the one warning of node:sqlite and no other", () => {
    const { stderr } = run(["warn"]);
    expect(stderr).not.toContain("SQLite is an experimental feature");
    expect(stderr).toContain("Something else is experimental");
    expect(stderr).toContain("SQLite is slow today");
  });

  test("on an old Node says in one line what is missing", () => {
    const { stdout, stderr, status } = run(["exit", "0"], old());
    expect(stdout).toBe("");
    expect(stderr.trim().split("\n")).toEqual([
      "ikigai needs Node 22.19 or newer; this is v20.1.0. Get one from https://nodejs.org",
    ]);
    expect(status).toBe(1);
  });

  test("on an old Node starts the one the repository brings, with arguments, exit code and signal", () => {
    const remove = withBundledNode("24.21.0");
    try {
      const { stdout, status } = run(["exit", "9", "two words"], old());
      expect(JSON.parse(stdout)).toEqual({ args: ["exit", "9", "two words"], version: process.version });
      expect(status).toBe(9);
      expect(run(["die"], old()).signal).toBe("SIGKILL");
    } finally {
      remove();
    }
  });

  test("passes a signal on to the Node it started", async () => {
    const remove = withBundledNode("24.21.0");
    try {
      const child = spawn(process.execPath, [...old(), join(folder, "bin/ikigai.cjs"), "wait"]);
      let said = "";
      while (!said.includes("waiting")) said += String(await once(child.stdout, "data"));
      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([42, null]);
    } finally {
      remove();
    }
  });

  test("does not start a bundled Node that is too old itself", () => {
    const remove = withBundledNode("20.0.0");
    try {
      expect(run(["exit", "0"], old()).status).toBe(1);
    } finally {
      remove();
    }
  });

  test("is written in syntax that every Node can read", () => {
    const code = readFileSync(source, "utf8").replace(/^\s*(?:\/\/|\/\*).*$/gm, "");
    expect(code).not.toMatch(/=>|`|\b(?:const|let|class|async|await)\b|\.\.\.|\?\.|\?\?|,\s*\)|catch\s*\{/);
  });
});
