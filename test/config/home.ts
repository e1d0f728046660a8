import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Io } from "../../src/cli/io.ts";

/** A folder that stands for a person's home, gone after the tests of the file. */
export function makeHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), "ikigai-home-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string): string => join(folder, name);
  return {
    folder,
    env: { IKIGAI_HOME: folder },
    path,
    write(name, content, mode = 0o600) {
      writeFileSync(path(name), typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
      chmodSync(path(name), mode);
      return path(name);
    },
    read: (name) => readFileSync(path(name), "utf8"),
    mode: (name) => statSync(path(name)).mode & 0o777,
    remove: (name) => rmSync(path(name), { force: true }),
  };
}

export type Home = {
  readonly folder: string;
  readonly env: { readonly [name: string]: string };
  readonly path: (name: string) => string;
  readonly write: (name: string, content: unknown, mode?: number) => string;
  readonly read: (name: string) => string;
  readonly mode: (name: string) => number;
  readonly remove: (name: string) => void;
};

export type Ran = { readonly code: number; readonly out: string; readonly err: string };
type Run = (args: readonly string[], io: Io) => Promise<number>;

/** Runs a command the way the program does, errors included, and keeps everything that would be seen. */
export async function run(
  command: Run,
  args: readonly string[],
  io: Partial<Io> & { readonly input?: string } = {},
): Promise<Ran> {
  const { failed } = await import("../../src/cli/failed.ts");
  let out = "";
  let err = "";
  const { input = "", ...rest } = io;
  const whole: Io = {
    stdin: (async function* () {
      yield input;
    })(),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
    ...rest,
  };
  const code = await command(args, whole).catch((error: unknown) => failed(error, whole));
  return { code, out, err };
}

/** A key-shaped text that no file of the repository holds in one piece. */
export function canary(prefix = "sk-ant-"): string {
  return `${prefix}${["canary", "0123456789abcdefghij", "WXYZ"].join("")}`;
}
