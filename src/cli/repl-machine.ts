import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { launch } from "../agent/tools/processes.ts";
import type { Environment } from "../config/index.ts";
import type { Services } from "../repl/index.ts";
import { attachment } from "./attach.ts";

type Machine = Pick<Services, "paths" | "attach" | "shell" | "edit">;

/** What the screen needs of this machine: files, a person's own commands, an editor. */
export function machineServices(folder: string, env: Environment): Machine {
  const home = env["HOME"];
  return {
    paths: async (prefix, limit) => pathsLike(folder, prefix, { limit, home }),
    attach: async (path) => attachment(placeOf(folder, path, home)),
    shell: (command, how) => runShell(command, { ...how, folder, env }),
    edit: (text) => editText(text, env),
  };
}

function placeOf(folder: string, path: string, home: string | undefined): string {
  if (/^https?:\/\//.test(path) || isAbsolute(path)) return path;
  return path.startsWith("~/") && home !== undefined ? join(home, path.slice(2)) : resolve(folder, path);
}

function pathsLike(
  folder: string,
  prefix: string,
  { limit, home }: { readonly limit: number; readonly home: string | undefined },
): readonly string[] {
  const slash = prefix.lastIndexOf("/") + 1;
  const begin = prefix.slice(0, slash);
  const start = prefix.slice(slash).toLowerCase();
  try {
    const entries = readdirSync(placeOf(folder, begin === "" ? "." : begin, home), { withFileTypes: true });
    return entries
      .filter(({ name }) => name.toLowerCase().startsWith(start) && (start !== "" || !name.startsWith(".")))
      .filter(({ name }) => name !== ".git" && name !== "node_modules")
      .toSorted(
        (one, other) => Number(other.isDirectory()) - Number(one.isDirectory()) || compare(one.name, other.name),
      )
      .slice(0, limit)
      .map((entry) => `${begin}${entry.name}${entry.isDirectory() ? "/" : ""}`);
  } catch {
    // No folder begins like this.
    return [];
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

type ShellRun = Parameters<Services["shell"]>[1] & { readonly folder: string; readonly env: Environment };

/** With the person's own environment and shell, and everything it starts ended with it. */
async function runShell(command: string, { signal, output, folder, env }: ShellRun): ReturnType<Services["shell"]> {
  const shell = env["SHELL"] ?? "/bin/sh";
  const running = launch({
    // The outer shell joins both outputs into one pipe, so that they stay in order.
    argv: ["/bin/sh", "-c", 'exec "$0" -c "$1" 2>&1', shell, command],
    cwd: folder,
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    onOutput: output,
  });
  const stop = (): void => void running.stop();
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const { exit_code, problem } = await running.ended;
  signal.removeEventListener("abort", stop);
  return { exit_code, output: problem ?? running.output().text };
}

/** Agents go on meanwhile. */
async function editText(text: string, env: Environment): Promise<string | undefined> {
  const editor = [env["VISUAL"], env["EDITOR"]].find((name) => (name ?? "").trim() !== "") ?? "vi";
  const folder = mkdtempSync(join(tmpdir(), "ikigai-"));
  const file = join(folder, "message.md");
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // `$EDITOR` may have arguments; the file is one word, whatever is in its name.
    const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    const [status] = await once(child, "exit");
    if (status === notFound || status === notRunnable) {
      throw new Error(`the editor ${JSON.stringify(editor)} could not be started; set EDITOR to one that is there`);
    }
    return status === 0 ? readFileSync(file, "utf8").replace(/\n$/, "") : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a shell says of a command that it could not start. */
const notFound = 127;
const notRunnable = 126;
