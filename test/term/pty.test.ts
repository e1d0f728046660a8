import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../tools/files.mjs";

const available = spawnSync("tmux", ["-V"]).status === 0;
const folder = available ? mkdtempSync(join(tmpdir(), "ikigai-pty-")) : "";
const socket = join(folder, "tmux");

function tmux(...args: readonly string[]): string {
  return execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
}

const keys = (session: string, ...names: readonly string[]) => tmux("send-keys", "-t", session, ...names);
const screen = (session: string) => tmux("capture-pane", "-p", "-t", session);
const everything = (session: string) => tmux("capture-pane", "-p", "-S", "-", "-t", session);

async function until(session: string, text: string | RegExp, read = screen): Promise<string> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const shown = read(session);
    if (typeof text === "string" ? shown.includes(text) : text.test(shown)) return shown;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  throw new Error(`waited for ${text}, saw:\n${read(session)}`);
}

/** A shell in a terminal of its own, the demo in it. */
async function start(session: string, { env = "", extended = "off" } = {}): Promise<void> {
  tmux("new-session", "-d", "-s", session, "-x", "100", "-y", "30", "sh");
  tmux("set-option", "-s", "extended-keys", extended);
  tmux("set-option", "-s", "escape-time", "0");
  const command = `PS1='shell> '; cd ${root}; stty -g > ${folder}/${session}.before; ${env} ${process.execPath} test/term/demo.ts; echo "code $?"`;
  keys(session, "-l", command);
  keys(session, "Enter");
  await until(session, "ask anything");
}

/** The terminal is as it was: its modes, what a shell prints, the cursor. */
async function expectRestored(session: string): Promise<string> {
  await until(session, /code \d+/, everything);
  keys(
    session,
    "-l",
    `stty -g > ${folder}/${session}.after; cmp ${folder}/${session}.before ${folder}/${session}.after && echo same`,
  );
  keys(session, "Enter");
  const shown = await until(session, /^same$/m, everything);
  expect(tmux("display-message", "-p", "-t", session, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}").trim()).toBe(
    "0 1 0",
  );
  return shown;
}

describe.skipIf(!available)("in a real terminal", () => {
  afterAll(() => {
    spawnSync("tmux", ["-S", socket, "kill-server"]);
    rmSync(folder, { recursive: true, force: true });
  });

  test("U03 U13 keys, resize, end: the transcript stays and the terminal is as before", async () => {
    await start("keys", { env: "DEMO_LINES=100" });
    keys("keys", "-l", "hello 한글");
    await until("keys", "> hello 한글");
    expect(tmux("display-message", "-p", "-t", "keys", "#{cursor_x}").trim()).toBe(String(2 + 6 + 4));
    keys("keys", "Enter");
    await until("keys", "› hello 한글");
    keys("keys", "PageUp");
    await until("keys", "demo line 70");
    tmux("resize-window", "-t", "keys", "-x", "50", "-y", "15");
    await until("keys", "a1f3 sim/med");
    keys("keys", "C-d");
    const shown = await expectRestored("keys");
    expect(shown).toContain("demo line 0\n");
    expect(shown.match(/demo line 42\n/g)).toHaveLength(1);
    expect(shown).toContain("code 0");
  });

  test.each(["off", "on"])("U12 a new line by Alt+Enter, Ctrl+J and backslash, extended keys %s", async (extended) => {
    const session = `newline-${extended}`;
    await start(session, { extended });
    keys(session, "a", "M-Enter", "b", "C-j", "c", "\\");
    await until(session, "c\\");
    keys(session, "Enter");
    await until(session, /> a\n {2}b\n {2}c\n/);
    keys(session, "d", "Enter");
    await until(session, /› a\nb\nc\nd\n/);
    keys(session, "C-d");
    await expectRestored(session);
  });

  test("U12 Shift+Enter with extended keys", async () => {
    await start("shift", { extended: "on" });
    keys("shift", "a", "S-Enter", "b");
    await until("shift", /> a\n {2}b\n/);
    keys("shift", "C-d");
    await expectRestored("shift");
  });

  test.each(["TERM", "HUP", "INT"])("U13 after SIG%s the terminal is as before", async (signal) => {
    const session = `signal-${signal}`;
    await start(session);
    keys(session, "F3");
    const shell = tmux("display-message", "-p", "-t", session, "#{pane_pid}").trim();
    const child = execFileSync("ps", ["-o", "pid=", "--ppid", shell], { encoding: "utf8" }).trim();
    process.kill(Number(child), `SIG${signal}`);
    expect(await expectRestored(session)).toContain("code 143");
  });

  test("U13 after an exception the terminal is as before and the error readable", async () => {
    await start("thrown");
    keys("thrown", "F12");
    const shown = await expectRestored("thrown");
    expect(shown).toContain("Error: thrown by F12");
    expect(shown).toContain("code 1");
  });
});
