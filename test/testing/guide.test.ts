import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/guide/testing.md"), "utf8");
const blocks = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
const folder = mkdtempSync(join(tmpdir(), "guide-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the guide's programs run and print what they say", () => {
  test("there are some", () => {
    expect(blocks.length).toBeGreaterThanOrEqual(3);
  });

  test.each(blocks.map((code, index): [number, string] => [index, code]))("program %i", (index, code) => {
    const entry = pathToFileURL(join(root, "src/testing/index.ts")).href;
    const path = join(folder, `program-${index}.ts`);
    writeFileSync(path, code.replaceAll('"ikigai/testing"', JSON.stringify(entry)));
    const printed = execFileSync(process.execPath, [path], { encoding: "utf8" }).trim().split("\n");
    const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map((match) => match[1]);
    expect(promised.length).toBeGreaterThan(0);
    expect(printed).toEqual(promised);
  });
});
