import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { machineServices } from "../../src/cli/repl-machine.ts";

const folder = mkdtempSync(join(tmpdir(), "ikigai machine-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function editor(name: string, lines: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
  return `'${file}'`;
}

const edit = (command: string | undefined, text: string): Promise<string | undefined> =>
  machineServices(folder, { PATH: process.env["PATH"], EDITOR: command }).edit(text);

describe("an editor", () => {
  test("gets the text and gives back what was written, arguments and all", async () => {
    expect(await edit(`${editor("adds", 'printf "%s" "$1" >> "$2"')} more`, "one ")).toBe("one more");
    expect(await edit("true", "one\ntwo")).toBe("one\ntwo");
  });

  test("that fails changes nothing", async () => {
    expect(await edit("false", "one")).toBeUndefined();
  });

  test("that is not there is named", async () => {
    await expect(edit("no-such-editor", "one")).rejects.toThrow(/"no-such-editor.*could not be started; set EDITOR/);
  });
});
