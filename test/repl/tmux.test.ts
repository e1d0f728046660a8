import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  available,
  build,
  everything,
  expectRestored,
  home,
  keys,
  pidIn,
  program,
  run,
  screen,
  start,
  tearDown,
  until,
  write,
} from "./tmux.ts";

type Trace = { readonly loaded: readonly string[]; readonly sockets: number; readonly prompt: boolean };

describe.skipIf(!available)("the built program in a terminal", () => {
  beforeAll(build, 60_000);
  afterAll(tearDown);

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

  test("U05 the version is said before anything is imported, the prompt before history, models and sockets", async () => {
    const at = home("traced");
    const trace = (name: string) => {
      const options = `--import=${new URL("trace.mjs", import.meta.url).href}`;
      return { NODE_OPTIONS: options, TRACE_FILE: join(at, `${name}.json`) };
    };
    const read = (name: string): Trace => JSON.parse(readFileSync(join(at, `${name}.json`), "utf8")) as Trace;
    const own = ({ loaded }: Trace) => loaded.filter((url) => url.includes("/app/"));

    const env = { PATH: process.env["PATH"], HOME: at, ...trace("version") };
    expect(spawnSync(process.execPath, [program, "--version"], { env, encoding: "utf8" }).stdout).toMatch(
      /^\d+\.\d+\.\d+/,
    );
    const [launcher = "", main = "", ...more] = own(read("version"));
    expect([basename(launcher), basename(main)]).toEqual(["ikigai.cjs", "main.js"]);
    // The number itself, and what the bundler puts beside it.
    expect(more.reduce((bytes, url) => bytes + statSync(new URL(url)).size, 0)).toBeLessThan(2_000);

    const { NODE_OPTIONS, TRACE_FILE } = trace("prompt");
    await start("traced", at, { env: `NODE_OPTIONS=${NODE_OPTIONS} TRACE_FILE=${TRACE_FILE}` });
    await until("traced", "Three things to try");
    keys("traced", "C-d");
    await expectRestored("traced", at, 0);
    const prompt = read("prompt");
    expect(prompt).toMatchObject({ prompt: true, sockets: 0 });
    expect(own(prompt).length).toBeGreaterThan(2);
    // Loading any of these opens files, threads or sockets, or is large.
    const heavy = /^node:(sqlite|http|https|http2|net|tls|dns|worker_threads)$/;
    expect(prompt.loaded.filter((url) => heavy.test(url))).toEqual([]);
    expect(existsSync(join(at, ".local/share/ikigai/ikigai.db"))).toBe(true);
  });

  test("a history that cannot be written is said in the header and at the end, and the talk goes on", async () => {
    const at = home("unwritable");
    // Nobody, root included, can make a folder there; where there is none, only root can.
    await start("unwritable", at, { env: "IKIGAI_HOME=/proc/nowhere" });
    await until("unwritable", /db sqlite · cannot be written, \d+ wait/);
    await until("unwritable", "kept in memory");
    write("unwritable", "hello");
    await until("unwritable", "> hello");
    keys("unwritable", "Enter");
    await until("unwritable", "Tokens:");
    keys("unwritable", "C-d");
    expect(await expectRestored("unwritable", at, 0)).toMatch(/\d+ entries could not be written/);
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
