import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorCategories } from "../src/core/index.ts";
import { generated, picture, pictureFile } from "../tools/docs.mjs";
import { filesUnder, root } from "../tools/files.mjs";
import { meanings } from "../tools/reference/errors.mjs";

const pages = await generated();
const read = (path: string): string => readFileSync(join(root, path), "utf8");

describe("the reference", () => {
  test.each([...pages])("%s is what npm run docs writes", (path, text) => {
    expect(read(path)).toBe(text);
  });

  test("has no page that nothing writes, and lists them all", () => {
    const found = filesUnder("docs/reference");
    expect(found.filter((path) => !pages.has(path))).toEqual([]);
    const contents = read("docs/reference/README.md");
    const listed = found.filter((path) => path.endsWith(".md") && !path.endsWith("README.md"));
    for (const path of listed) expect(contents).toContain(`](${basename(path)})`);
  });

  test("explains every category of errors", () => {
    expect(Object.keys(meanings)).toEqual([...errorCategories]);
  });

  test("has a row for what is known to differ", () => {
    const models = read("docs/reference/models.md");
    expect(models).toMatch(/^\| `claude-haiku-4-5` .* \| 11349 \| 21674 \| 32000 \| 32000 ⚠ \|/m);
    expect(models).toMatch(/^\| `gpt-6\.1-sol` .* \| low ⚠ \| low \| medium \| high \| max \|/m);
    const tools = read("docs/reference/tools.md");
    expect(tools).toContain("| [file_read](#file_read) | read | in the project: allowed; outside: a person is asked |");
    expect(tools).toContain("| [bash](#bash) | command | a person is asked |");
  });
});

describe("the picture", () => {
  const svg = picture();

  test("is what npm run docs makes of the real screen", () => {
    expect(read(pictureFile)).toBe(svg);
  });

  test("shows a conversation on two models, and a fork", () => {
    const words = [...svg.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text).join(" ");
    for (const seen of ["Why does our cache grow", "grep", "Switched to OpenAI", "root"]) expect(words).toContain(seen);
    expect(words).not.toMatch(/undefined|NaN|Error/);
  });

  test("is well-formed", () => {
    const open = [...svg.matchAll(/<(\w+)[^>]*(?<!\/)>/g)].length;
    const closed = [...svg.matchAll(/<\/\w+>/g)].length;
    expect(open).toBe(closed);
    expect(svg).not.toMatch(/&(?!amp;|lt;|gt;|quot;)/);
  });
});
