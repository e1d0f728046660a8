import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { bundle } from "../../tools/build.mjs";
import { root } from "../../tools/files.mjs";

/** The built program in a real terminal. */
export const available = spawnSync("tmux", ["-V"]).status === 0;
const folder = available ? mkdtempSync(join(tmpdir(), "ikigai-tmux-")) : "";
const socket = join(folder, "tmux");
export const program = join(folder, "app/bin/ikigai.cjs");

function tmux(...args: readonly string[]): string {
  return execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
}

export const keys = (session: string, ...names: readonly string[]) => tmux("send-keys", "-t", session, ...names);
export const write = (session: string, text: string) => tmux("send-keys", "-t", session, "-l", text);
export const screen = (session: string) => tmux("capture-pane", "-p", "-t", session);
export const everything = (session: string) => tmux("capture-pane", "-p", "-S", "-", "-t", session);

export async function until(session: string, text: string | RegExp, read = screen): Promise<string> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const shown = read(session);
    if (typeof text === "string" ? shown.includes(text) : text.test(shown)) return shown;
    await sleep(50);
  }
  throw new Error(`waited for ${text}, saw:\n${read(session)}`);
}

/** A person of their own: no keys, no history, a project with one file in it. */
export function home(name: string): string {
  const made = join(folder, name);
  mkdirSync(join(made, "proj"), { recursive: true });
  writeFileSync(join(made, "proj/README.md"), "hi\n");
  return made;
}

export type Start = { readonly args?: string; readonly env?: string };

/** A shell in a terminal, the program in it. */
export async function start(session: string, at: string, { args = "", env = "" }: Start = {}): Promise<void> {
  tmux("new-session", "-d", "-s", session, "-x", "100", "-y", "30", "sh");
  tmux("set-option", "-s", "escape-time", "0");
  write(session, `PS1='shell> '; cd ${at}/proj; stty -g > ${at}/before; clear`);
  keys(session, "Enter");
  await run(session, at, { args, env });
}

export async function run(session: string, at: string, { args = "", env = "" }: Start = {}): Promise<void> {
  const world = `env -i PATH="$PATH" HOME=${at} TERM=xterm-256color LANG=C.UTF-8 ${env}`;
  write(session, `${world} ${process.execPath} ${program} ${args}; echo "code $?"`);
  keys(session, "Enter");
  await until(session, /\$\d/);
}

/** The program's own process, found from the shell that it was started in. */
export function pidIn(session: string): number {
  const shell = tmux("display-message", "-p", "-t", session, "#{pane_pid}").trim();
  return Number(execFileSync("ps", ["-o", "pid=", "--ppid", shell], { encoding: "utf8" }).trim());
}

export async function expectRestored(session: string, at: string, code: number): Promise<string> {
  await until(session, `code ${code}`, everything);
  write(session, `stty -g > ${at}/after; cmp ${at}/before ${at}/after && echo same`);
  keys(session, "Enter");
  const shown = await until(session, /^same$/m, everything);
  const modes = tmux("display-message", "-p", "-t", session, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}");
  expect(modes.trim()).toBe("0 1 0");
  return shown;
}

/** Builds the program where nobody else looks. */
export async function build(): Promise<void> {
  const { outputFiles } = await bundle();
  for (const { path, contents } of outputFiles) {
    const file = join(folder, "app", relative(root, path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
  }
  mkdirSync(join(folder, "app/bin"), { recursive: true });
  cpSync(join(root, "bin/ikigai.cjs"), program);
  writeFileSync(join(folder, "app/package.json"), `{ "type": "module" }`);
}

export function tearDown(): void {
  spawnSync("tmux", ["-S", socket, "kill-server"]);
  // What was killed with its terminal may still be putting things away.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
