import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const guide = readFileSync(join(root, "docs/guide/requests.md"), "utf8");
const programs = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
const folder = mkdtempSync(join(tmpdir(), "ikigai-guide-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the guide to requests", () => {
  test("has programs", () => {
    expect(programs.length).toBeGreaterThanOrEqual(5);
  });

  test.each(programs.map((code, index): [number, string] => [index, code]))(
    "program %i prints what it says",
    (index, code) => {
      const sources = { '"ikigai/testing"': "src/testing/index.ts", '"ikigai"': "src/index.ts" };
      const linked = Object.entries(sources).reduce(
        (text, [name, path]) => text.replaceAll(name, JSON.stringify(pathToFileURL(join(root, path)).href)),
        code,
      );
      const path = join(folder, `program-${index}.ts`);
      writeFileSync(path, linked);
      const printed = execFileSync(process.execPath, [path], { encoding: "utf8" }).trim().split("\n");
      const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map((match) => match[1]);
      expect(promised.length).toBeGreaterThan(0);
      expect(printed).toEqual(promised);
    },
  );
});
