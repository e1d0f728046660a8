import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHiddenLine } from "../../src/cli/ask.ts";
import { root } from "../../tools/files.mjs";
import { canary, makeHome } from "./home.ts";

const home = makeHome();
const key = canary();

const recorder = "script";
/** util-linux's `script` gives a program a real terminal; elsewhere its options differ. */
const hasScript = spawnSync(recorder, ["--version"]).stdout?.toString().includes("util-linux") ?? false;
if (!hasScript) console.log("no `script` of util-linux: login is not tried in a real terminal");

/** What a person would see of a command that is run in a terminal, who types each answer when its prompt appears. */
async function atTerminal(
  command: string,
  answers: readonly (readonly [prompt: string, typed: string])[],
): Promise<string> {
  const env = {
    ...home.env,
    PATH: process.env["PATH"],
    HOME: home.folder,
    SHELL: "/bin/sh",
    TERM: "xterm",
    LANG: "C.UTF-8",
  };
  const child = spawn(recorder, ["-qec", command, "/dev/null"], { env, cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [...answers];
  let seen = "";
  let from = 0;
  child.stdout.on("data", (bytes: Buffer) => {
    seen += bytes.toString("utf8");
    const next = waiting[0];
    const at = next === undefined ? -1 : seen.indexOf(next[0], from);
    if (next === undefined || at === -1) return;
    from = at + next[0].length;
    waiting.shift();
    child.stdin.write(next[1]);
  });
  await new Promise((resolve) => child.on("close", resolve));
  expect(waiting, seen).toEqual([]);
  return seen.replaceAll("\r\n", "\n");
}

const ikigai = `'${process.execPath}' '${join(root, "src/main.ts")}'`;

describe.skipIf(!hasScript)("in a real terminal", () => {
  test("a typed key is stored, never on the screen, and the terminal echoes again afterwards", async () => {
    const seen = await atTerminal(`${ikigai} login anthropic; stty -a | tr ' ' '\\n' | grep -x -e echo -e icanon`, [
      ["not shown: ", `wrong\u0015${key}x\u007f\r`],
    ]);
    expect(seen).toBe(
      "Key for Anthropic (made at https://platform.claude.com/settings/keys), not shown: \n" +
        `Stored the key of Anthropic (…WXYZ) in ${home.path("credentials.json")}\n` +
        "icanon\necho\n",
    );
    expect(JSON.parse(home.read("credentials.json"))).toEqual({ anthropic: { api_key: key } });
    expect(home.mode("credentials.json")).toBe(0o600);
  });

  test("the provider is picked from a list, the rest of a pasted text goes nowhere", async () => {
    const seen = await atTerminal(`${ikigai} login; rest=$(timeout 1 head -n 1); echo "[$rest]"`, [
      ["(number or name)? ", "2\r"],
      ["not shown: ", `\u001b[200~${key}\nrm -rf all\n\u001b[201~`],
    ]);
    expect(seen).toContain("  2  openai       https://platform.openai.com/api-keys\n");
    expect(seen).toMatch(/\[\]\n$/);
    expect(seen).not.toContain("canary");
    expect(seen).not.toContain("rm -rf");
    expect(JSON.parse(home.read("credentials.json"))).toMatchObject({ openai: { api_key: key } });
  });

  test("Ctrl+C stores nothing and leaves the terminal as it was", async () => {
    const seen = await atTerminal(`${ikigai} login google; echo "code $?"; stty -a | tr ' ' '\\n' | grep -x echo`, [
      ["not shown: ", `${key}\u0003`],
    ]);
    expect(seen).toMatch(/not shown: \nNothing was stored\.\ncode 130\necho\n$/);
    expect(JSON.parse(home.read("credentials.json"))).not.toHaveProperty("google");
  });

  test("doctor shows the terminal and no key; logout ends it", async () => {
    const seen = await atTerminal(`${ikigai} doctor --offline; ${ikigai} logout --all`, []);
    expect(seen).toContain("✓ terminal     xterm, ");
    expect(seen).toContain("✓ keys         anthropic: …WXYZ from ");
    expect(seen).toContain("Removed the key of openai from ");
    expect(seen).not.toContain("canary");
    expect(existsSync(home.path("credentials.json"))).toBe(true);
    expect(JSON.parse(home.read("credentials.json"))).toEqual({});
  });
});

describe("a line typed blind", () => {
  test.each([
    ["abc\r", "entered", "abc"],
    ["abc\u0004", "entered", "abc"],
    ["\u0004", "cancelled", ""],
    ["ab\u0003", "cancelled", "ab"],
    ["ab\u007f\u007f\u007fc\n", "entered", "c"],
    ["ab\bc\n", "entered", "ac"],
    ["old\u0015new\r", "entered", "new"],
    ["a\u001b[Db\u001bOC\t\r", "entered", "ab"],
    ["\u001b[200~abc\u001b[201~", "open", "abc"],
    ["a😀\u007fb\r", "entered", "ab"],
    ["first\nsecond\n", "entered", "first"],
  ])("%j is %s with %j", (typed, state, text) => {
    const line = createHiddenLine();
    expect(line.type(typed)).toBe(state);
    expect(line.text()).toBe(text);
  });

  test("in pieces it is the same line", () => {
    const line = createHiddenLine();
    const states = "ab\u007fc\r".split("").map((piece) => line.type(piece));
    expect(states).toEqual(["open", "open", "open", "open", "entered"]);
    expect(line.text()).toBe("ac");
  });
});
