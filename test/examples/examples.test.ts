import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { findSecrets } from "../../src/testing/index.ts";
import { filesUnder, root } from "../../tools/files.mjs";

/** Runs a program as its reader would, with the sources in the place of the package. */
function run(path: string, ...flags: string[]): string {
  const hook = pathToFileURL(join(root, "test/examples/source.mjs")).href;
  const { VCR_RECORD: _record, ANTHROPIC_API_KEY: _key, NODE_OPTIONS: _options, ...env } = process.env;
  return execFileSync(process.execPath, ["--import", hook, ...flags, join(root, path)], { encoding: "utf8", env });
}

describe("examples", () => {
  test("examples/emulator-faults.mjs meets every fault it tells of", () => {
    const lines = run("examples/emulator-faults.mjs").trim().split("\n");
    expect(
      lines.map((line) => [line.slice(0, 22).trim(), line.slice(22, 34).trim(), line.slice(35, 60).trim()]),
    ).toEqual([
      ["overloaded twice", "3 attempts", "overloaded, overloaded"],
      ["cut in the middle", "2 attempts", "network"],
      ["silence", "2 attempts", "timeout"],
      ["an error halfway", "2 attempts", "server"],
      ["a bad request", "1 attempts", "invalid_request"],
      ["cut every time", "3 attempts", "network, network, network"],
    ]);
  });

  test("examples/record-replay.test.mjs replays without a key", () => {
    const said = run("examples/record-replay.test.mjs", "--test-reporter=tap", "--test");
    expect(said).toMatch(/^# pass 2$/m);
    expect(said).toMatch(/^# fail 0$/m);
  });

  test("hold no keys", () => {
    const texts = filesUnder("examples").map((path) => readFileSync(join(root, path), "utf8"));
    expect(texts.flatMap((text) => findSecrets(text))).toEqual([]);
  });
});
