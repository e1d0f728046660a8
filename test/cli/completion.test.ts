import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCompletion } from "../../src/cli/completion.ts";
import { commands } from "../../src/cli/commands.ts";

const folder = mkdtempSync(join(tmpdir(), "completion-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function script(shell: string): Promise<string> {
  let out = "";
  const home = join(folder, "home");
  const io = {
    stdin: (async function* () {})(),
    stdout: (text: string) => void (out += text),
    stderr: () => undefined,
  };
  expect(await runCompletion([shell], { ...io, env: { IKIGAI_HOME: home } })).toBe(0);
  return out;
}

beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"]) writeFileSync(join(folder, `ikigai.${shell}`), await script(shell));
  writeFileSync(join(folder, "history.jsonl"), "");
});

function missing(shell: string): boolean {
  return spawnSync(shell, ["--version"]).error !== undefined;
}

describe("ikigai completion", () => {
  test("knows three shells", async () => {
    await expect(script("tcsh")).rejects.toThrow("completion takes bash, zsh or fish");
    await expect(script("toString")).rejects.toThrow("completion takes bash, zsh or fish");
  });

  /** What bash would offer when Tab is pressed at the end of this line. */
  function bash(line: string): readonly string[] {
    const program = `source ikigai.bash; COMP_LINE=$1; COMP_POINT=\${#1}; _ikigai; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr, error } = spawnSync("bash", ["--norc", "-c", program, "bash", line], {
      cwd: folder,
      encoding: "utf8",
    });
    if (error !== undefined) throw error;
    expect(stderr).toBe("");
    return stdout.split("\n").filter((word) => word !== "");
  }

  test.each([
    ["ikigai ", commands.map(({ name }) => name)],
    ["ikigai ex", ["explain", "export"]],
    ["ikigai --v", ["--version"]],
    ["ikigai login anth", ["anthropic"]],
    [
      "ikigai explain claude-opus-5-5/",
      ["none", "low", "med", "high", "max"].map((level) => `claude-opus-5-5/${level}`),
    ],
    ["ikigai explain claude-opus-5-5/m", ["claude-opus-5-5/med", "claude-opus-5-5/max"]],
    ["ikigai -p hello --model gemini-3.8-fl", ["gemini-3.8-flash"]],
    ["ikigai -p hello --model=gemini-3.8-fl", ["gemini-3.8-flash"]],
    ["ikigai -p hello -m gpt-6.1-s", ["gpt-6.1-sol"]],
    ["ikigai usage --by ", ["provider", "model", "agent", "session", "day"]],
    ["ikigai usage --by=se", ["session"]],
    ["ikigai doctor --", ["--offline", "--fix", "--json", "--help"]],
    ["ikigai db m", ["migrate", "move"]],
    ["ikigai import hi", ["history.jsonl"]],
    ["ikigai export k3 --output hist", ["history.jsonl"]],
    ["ikigai completion ", ["bash", "zsh", "fish"]],
    ["ikigai history --limit ", []],
    ["ikigai nobody ", []],
  ])("in bash: %s", (line, expected) => {
    expect(bash(line)).toEqual(expected);
  });

  test("in bash, models whose name has a colon are offered from it on", () => {
    const [whole = ""] = bash("ikigai explain ").filter((name) => name.includes(":"));
    const [before = "", after] = whole.split(":");
    expect(after).not.toBe("");
    expect(bash(`ikigai explain ${before}:`)).toContain(after);
  });

  test("in bash, a key press", async (context) => {
    if (missing("tmux")) context.skip("tmux is not installed");
    const session = `completion-${process.pid}`;
    const tmux = (...args: string[]) =>
      spawnSync("tmux", ["-L", session, "-f", "/dev/null", ...args], { encoding: "utf8" });
    const screen = (): string => tmux("capture-pane", "-p").stdout;
    const until = async (check: () => boolean): Promise<void> => {
      for (let round = 0; round < 500 && !check(); round++) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    try {
      const shell = `env -i PATH=/usr/bin:/bin TERM=screen PS1='> ' bash --norc --noprofile`;
      tmux("new-session", "-d", "-x", "100", "-y", "20", "-c", folder, shell);
      // Whoever types before the shell reads types into nothing.
      await until(() => screen().startsWith(">"));
      tmux("send-keys", "source ikigai.bash; clear; echo ready", "Enter");
      await until(() => screen().startsWith("ready\n>"));
      tmux("send-keys", "ikigai log", "Tab", "i", "Tab", "goo", "Tab", "# done");
      await until(() => screen().includes("# done"));
      expect(screen()).toContain("> ikigai login google # done");
    } finally {
      tmux("kill-server");
    }
  });

  test("in zsh", (context) => {
    if (missing("zsh")) context.skip("zsh is not installed");
    const program = "autoload -U compinit; compinit -D; source ./ikigai.zsh; print -r -- $_comps[ikigai]";
    const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", program], { cwd: folder, encoding: "utf8" });
    expect({ stdout, stderr }).toEqual({ stdout: "_ikigai\n", stderr: "" });
  });

  test("in fish", (context) => {
    if (missing("fish")) context.skip("fish is not installed");
    const offers = (line: string) => {
      const program = `source ikigai.fish; complete -C ${JSON.stringify(line)}`;
      const { stdout } = spawnSync("fish", ["--no-config", "-c", program], { cwd: folder, encoding: "utf8" });
      return stdout.split("\n").map((row) => row.split("\t")[0]);
    };
    expect(offers("ikigai expl")).toContain("explain");
    expect(offers("ikigai login anth")).toContain("anthropic");
    expect(offers("ikigai -p hi --model claude-opus-5-5/h")).toContain("claude-opus-5-5/high");
  });
});
