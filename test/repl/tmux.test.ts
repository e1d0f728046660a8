import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundle } from "../../tools/build.mjs";
import { root } from "../../tools/files.mjs";

/** The built program in a real terminal. */
const available = spawnSync("tmux", ["-V"]).status === 0;
const folder = available ? mkdtempSync(join(tmpdir(), "ikigai-tmux-")) : "";
const socket = join(folder, "tmux");
const program = join(folder, "app/bin/ikigai.cjs");

function tmux(...args: readonly string[]): string {
  return execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
}

const keys = (session: string, ...names: readonly string[]) => tmux("send-keys", "-t", session, ...names);
const write = (session: string, text: string) => tmux("send-keys", "-t", session, "-l", text);
const screen = (session: string) => tmux("capture-pane", "-p", "-t", session);
const everything = (session: string) => tmux("capture-pane", "-p", "-S", "-", "-t", session);

async function until(session: string, text: string | RegExp, read = screen): Promise<string> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const shown = read(session);
    if (typeof text === "string" ? shown.includes(text) : text.test(shown)) return shown;
    await sleep(50);
  }
  throw new Error(`waited for ${text}, saw:\n${read(session)}`);
}

/** A person of their own: no keys, no history, a project with one file in it. */
function home(name: string): string {
  const made = join(folder, name);
  mkdirSync(join(made, "proj"), { recursive: true });
  writeFileSync(join(made, "proj/README.md"), "hi\n");
  return made;
}

type Start = { readonly args?: string; readonly env?: string };

/** A shell in a terminal, the program in it. */
async function start(session: string, at: string, { args = "", env = "" }: Start = {}): Promise<void> {
  tmux("new-session", "-d", "-s", session, "-x", "100", "-y", "30", "sh");
  tmux("set-option", "-s", "escape-time", "0");
  write(session, `PS1='shell> '; cd ${at}/proj; stty -g > ${at}/before; clear`);
  keys(session, "Enter");
  await run(session, at, { args, env });
}

async function run(session: string, at: string, { args = "", env = "" }: Start = {}): Promise<void> {
  const world = `env -i PATH="$PATH" HOME=${at} TERM=xterm-256color LANG=C.UTF-8 ${env}`;
  write(session, `${world} ${process.execPath} ${program} ${args}; echo "code $?"`);
  keys(session, "Enter");
  await until(session, /\$\d/);
}

/** The program's own process, found from the shell that it was started in. */
function pidIn(session: string): number {
  const shell = tmux("display-message", "-p", "-t", session, "#{pane_pid}").trim();
  return Number(execFileSync("ps", ["-o", "pid=", "--ppid", shell], { encoding: "utf8" }).trim());
}

async function expectRestored(session: string, at: string, code: number): Promise<string> {
  await until(session, `code ${code}`, everything);
  write(session, `stty -g > ${at}/after; cmp ${at}/before ${at}/after && echo same`);
  keys(session, "Enter");
  const shown = await until(session, /^same$/m, everything);
  const modes = tmux("display-message", "-p", "-t", session, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}");
  expect(modes.trim()).toBe("0 1 0");
  return shown;
}

describe.skipIf(!available)("the built program in a terminal", () => {
  beforeAll(async () => {
    const { outputFiles } = await bundle();
    for (const { path, contents } of outputFiles) {
      const file = join(folder, "app", relative(root, path));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, contents);
    }
    mkdirSync(join(folder, "app/bin"), { recursive: true });
    cpSync(join(root, "bin/ikigai.cjs"), program);
    writeFileSync(join(folder, "app/package.json"), `{ "type": "module" }`);
  }, 60_000);

  afterAll(() => {
    spawnSync("tmux", ["-S", socket, "kill-server"]);
    rmSync(folder, { recursive: true, force: true });
  });

  test("U03 U16 first start, a talk, a tool that asks, the end, and back again", async () => {
    const at = home("first");
    await start("first", at);
    await until("first", "Three things to try");
    write("first", "run cat README.md");
    await until("first", "> run cat README.md");
    keys("first", "Enter");
    await until("first", "wants to use bash");
    await sleep(500);
    write("first", "1");
    await until("first", "That is all I wanted to know.");
    write("first", "for later");
    await until("first", "> for later");
    await sleep(1_000);
    process.kill(pidIn("first"), "SIGTERM");
    const left = await expectRestored("first", at, 143);
    expect(left).toContain("› run cat README.md");
    expect(left).toMatch(/To go on: ikigai --resume \w+/);
    write("first", "clear");
    keys("first", "Enter");
    await run("first", at);
    const shown = await until("first", "> for later");
    expect(shown).toContain("That is all I wanted to know.");
    keys("first", "C-c", "C-c");
    await expectRestored("first", at, 0);
  });

  test.each([
    ["HUP", 129],
    ["INT", 130],
  ])("U13 U23 after SIG%s the terminal is as before, and nothing is left running", async (signal, code) => {
    const at = home(`signal-${signal}`);
    const session = `signal-${signal}`;
    await start(session, at);
    const mark = `31${code}4`;
    write(session, `run sleep ${mark}`);
    await until(session, `> run sleep ${mark}`);
    keys(session, "Enter");
    await until(session, "wants to use bash");
    await sleep(500);
    write(session, "y");
    await until(session, "running a tool");
    process.kill(pidIn(session), `SIG${signal}`);
    await expectRestored(session, at, code);
    const left = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" }).stdout.split("\n");
    expect(left.filter((line) => line.trim() === `sleep ${mark}`)).toEqual([]);
  });

  test("U14 killed in the middle of an answer: what had come is there, and shown as cut off", async () => {
    const at = home("killed");
    await start("killed", at, { env: "IKIGAI_SIM_DELAY_MS=5" });
    write("killed", "write 500 lines");
    await until("killed", "> write 500 lines");
    keys("killed", "Enter");
    await until("killed", /^ \d\d\. /m);
    await sleep(600);
    const before = Number(/^ (\d+)\. [^]*?$/m.exec(screen("killed"))?.[1] ?? 0);
    process.kill(pidIn("killed"), "SIGKILL");
    await until("killed", "code 137");
    await start("again", at);
    const shown = await until("again", /cut off|not finished/);
    const last = Math.max(...[...shown.matchAll(/^ (\d+)\. /gm)].map(([, number]) => Number(number)));
    expect(last).toBeGreaterThanOrEqual(before);
    keys("again", "C-d");
    await expectRestored("again", at, 0);
  });

  test("Ctrl+Z goes to the shell and fg comes back; Ctrl+G writes in an editor; Ctrl+L paints again", async () => {
    const at = home("shell");
    const editor = join(at, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nprintf "written elsewhere" > "$1"\n');
    chmodSync(editor, 0o755);
    await start("shell", at, { env: `EDITOR=${editor}` });
    keys("shell", "C-g");
    await until("shell", "> written elsewhere");
    keys("shell", "C-z");
    await until("shell", /Stopped|shell> $/m);
    write("shell", 'fg; echo "code $?"');
    keys("shell", "Enter");
    await until("shell", "> written elsewhere");
    keys("shell", "C-l");
    await until("shell", "> written elsewhere");
    keys("shell", "C-c", "C-c");
    await until("shell", "code 0", everything);
  });

  test("U31 without a terminal, lines are answered one after the other and it ends well", () => {
    const at = home("pipe");
    const { stdout, status } = spawnSync(process.execPath, [program], {
      cwd: join(at, "proj"),
      input: "hello\n/model sim-echo\nand you?\n",
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: at, IKIGAI_SIM_DELAY_MS: "0" },
    });
    expect(status).toBe(0);
    expect(stdout).toContain("I follow rules");
    expect(stdout).toContain("You said: “and you?”");
    expect(stdout).not.toContain("\x1b");
  });
});
