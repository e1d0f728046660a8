import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { globTool } from "../../../src/agent/tools/glob.ts";
import { grepTool } from "../../../src/agent/tools/grep.ts";
import { builtInTools, toolset } from "../../../src/agent/tools/index.ts";
import { geminiSchema } from "../../../src/llm/protocols/gemini/schema.ts";
import { strictSchema } from "../../../src/llm/schema.ts";
import { newBench, newFolder, textOf, type Bench } from "./support.ts";

const glob = globTool();
const grep = grepTool();

function project(files: { readonly [path: string]: string }): Bench {
  const bench = newBench();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(bench.root, path)), { recursive: true });
    writeFileSync(join(bench.root, path), text);
  }
  return bench;
}

describe("glob", () => {
  const files = {
    "a.ts": "",
    "src/b.ts": "",
    "src/deep/c.ts": "",
    "src/deep/d.js": "",
    "node_modules/x/e.ts": "",
    "dist/f.ts": "",
    "src/made/g.ts": "",
    ".hidden/h.ts": "",
    ".gitignore": "dist/\n",
    "src/.gitignore": "made\n",
  };

  test("finds files, without those that git does not keep", async () => {
    const { run } = project(files);
    expect(textOf(await run(glob, { pattern: "**/*.ts" }))).toBe("a.ts\nsrc/b.ts\nsrc/deep/c.ts");
    expect(textOf(await run(glob, { pattern: "*.{ts,js}", path: "src/deep" }))).toBe("src/deep/c.ts\nsrc/deep/d.js");
    expect(textOf(await run(glob, { pattern: ".hidden/*" }))).toBe(".hidden/h.ts");
    expect(textOf(await run(glob, { pattern: "*.rs" }))).toBe("[No file matches.]");
  });

  test.each(["../*", "/etc/*", "src/../../*", "{..,src}/*", "~/*"])(
    "does not leave its folder: %s",
    async (pattern) => {
      const { run, context } = project(files);
      expect((await run(glob, { pattern })).is_error).toBe(true);
      expect(glob.intent({ pattern }, context).effect).toBe("unknown");
    },
  );

  test("does not go through links", async () => {
    const { run, root } = project(files);
    const outside = newFolder();
    writeFileSync(join(outside, "secret.ts"), "");
    symlinkSync(outside, join(root, "link"));
    expect(textOf(await run(glob, { pattern: "**/secret.ts" }))).toBe("[No file matches.]");
    const permitted_paths = [root];
    expect((await run(glob, { pattern: "*", path: "link" }, { permitted_paths })).is_error).toBe(true);
  });
});

describe("grep", () => {
  const files = {
    "a.txt": "one\nTwo words\nthree\n",
    "src/b.txt": "two\n",
    ".env": "SECRET=two\n",
    "credentials.json": '{"two": 2}',
    "kept.key": "two",
    ".git/config": "two",
    "ignored.txt": "two",
    ".ignore": "ignored.txt\n",
  };

  test("lines with their files and numbers", async () => {
    const { run } = project(files);
    expect(textOf(await run(grep, { pattern: "two" }))).toBe("src/b.txt:1:two");
    expect(textOf(await run(grep, { pattern: "two", ignore_case: true }))).toBe("a.txt:2:Two words\nsrc/b.txt:1:two");
    expect(textOf(await run(grep, { pattern: "t.o", output: "files" }))).toBe("src/b.txt");
    expect(textOf(await run(grep, { pattern: "^t", output: "count" }))).toBe("a.txt:1\nsrc/b.txt:1");
    expect(textOf(await run(grep, { pattern: "Two", context: 1 }))).toBe(
      "a.txt-1-one\na.txt:2:Two words\na.txt-3-three",
    );
    expect(textOf(await run(grep, { pattern: "one.Two", multiline: true, path: "a.txt" }))).toContain("a.txt:1:one");
    expect(textOf(await run(grep, { pattern: "t.o", literal: true }))).toBe("[Nothing found.]");
  });

  test("files with secrets are passed over, whatever the pattern of names", async () => {
    const { run } = project(files);
    for (const glob of ["*", ".env", "**/.env*", "*.json", "*.key", ".git/*"]) {
      const text = textOf(await run(grep, { pattern: "two", glob }));
      expect([glob, text.replace("src/b.txt:1:two", "").replace("ignored.txt:1:two", "").trim()]).toEqual([
        glob,
        text.includes("two") ? "" : "[Nothing found.]",
      ]);
    }
  });

  test("what is wrong is a result", async () => {
    const { run } = project(files);
    expect(textOf(await run(grep, { pattern: "(" }))).toContain("unclosed group");
    expect(textOf(await run(grep, { pattern: "x", path: "absent" }))).toContain("no such file");
    expect(textOf(await run(grep, { pattern: "x", output: "else" }))).toContain("lines, files or count");
    expect(textOf(await run(grep, { pattern: "--pre=ls" }))).toBe("[Nothing found.]");
  });

  test("long results come in pages", async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `match number ${index}`);
    const { run } = project({ "long.txt": lines.join("\n") });
    const first = textOf(await run(grep, { pattern: "match" }));
    const [, offset] = /Read on with offset (\d+)/.exec(first) ?? [];
    const second = textOf(await run(grep, { pattern: "match", offset: Number(offset) }));
    expect(second.split("\n")[0]).toBe(`long.txt:${Number(offset) + 1}:match number ${offset}`);
  });
});

describe("every tool", () => {
  test.each(builtInTools().map((tool) => [tool.definition.name, tool] as const))(
    "%s has a schema for all providers",
    (_, tool) => {
      const { parameters } = tool.definition;
      const strict = strictSchema(parameters);
      expect(strict.ok).toBe(true);
      expect(geminiSchema(parameters)).toEqual({ ...parameters, additionalProperties: false });
      // Strict schemas and others hold the same properties.
      expect(strict.ok ? Object.keys(Object(strict.schema["properties"])) : []).toEqual(
        Object.keys(Object(parameters["properties"])),
      );
    },
  );

  test.each(builtInTools().map((tool) => [tool.definition.name, tool] as const))(
    "%s never throws for what it is given",
    async (_, tool) => {
      const { run, context } = newBench();
      const odd = [
        {},
        { path: 7, pattern: [], url: null, command: {} },
        { path: "\0", pattern: "\0", url: "::", command: "\0" },
      ];
      for (const args of odd) {
        expect(typeof tool.intent(args, context).summary).toBe("string");
        expect((await run(tool, args)).is_error).toBe(true);
      }
    },
  );

  test("private folders and folders of keys are never shown, from wherever they are searched", async () => {
    const bench = project({
      "open.txt": "word",
      "home[1]/settings.txt": "word",
      "sub/.ssh/config": "word",
      "work/deep/mine.txt": "word",
      "work/shown.txt": "word",
    });
    const tools = [join(bench.root, "home[1]"), join(bench.root, "work/deep")];
    const [search, names] = [grepTool(tools), globTool(tools)];
    const places = [{}, { cwd: join(bench.root, "work") }, { cwd: join(bench.root, "work/deep") }];
    for (const place of places) {
      for (const more of [{}, { glob: "**/.ssh/*" }, { glob: "*.txt" }, { glob: "**/mine.txt" }]) {
        const text = textOf(await bench.run(search, { pattern: "word", path: bench.root, ...more }, place));
        expect(text).not.toMatch(/settings\.txt|\.ssh|mine\.txt/);
      }
      const all = textOf(await bench.run(search, { pattern: "word", path: bench.root }, place));
      expect(all.split("\n")).toEqual(["open.txt:1:word", "work/shown.txt:1:word"]);
    }
    const found = textOf(await bench.run(names, { pattern: "**/*.txt" }));
    expect(found.split("\n")).toEqual(["open.txt", "work/shown.txt"]);
  });

  test("is found by its name", () => {
    const { tools, unknown } = toolset(builtInTools(), ["grep", "bash", "nothing"]);
    expect([tools.map(({ definition }) => definition.name), unknown]).toEqual([["bash", "grep"], ["nothing"]]);
  });
});
