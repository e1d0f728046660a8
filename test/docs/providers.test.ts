import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtinProviders } from "../../src/llm/registry.ts";
import { haveAllRecordings, loadRecordings, recordingsFolder, recordingsMessage } from "../recordings/load.ts";

const folder = join(import.meta.dirname, "../../docs/providers");
const index = readFileSync(join(folder, "README.md"), "utf8");
const pages = readdirSync(folder)
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

const facts = join(recordingsFolder, "../wire");
const knownIds = new Set(haveAllRecordings ? loadRecordings().map(({ recording }) => recording.id.slice(-8)) : []);
console.log(recordingsMessage("provider pages"));

describe("the checklist", () => {
  const points = rowsOf(index).map(([number, point]) => [number, point]);

  test("has its 21 + 3 + 3 points", () => {
    const numbers = Array.from({ length: 21 }, (_, place) => String(place + 1));
    expect(points.map(([number]) => number)).toEqual([...numbers, "K1", "K2", "K3", "M1", "M2", "M3"]);
  });

  test.each(pages)("is answered whole in $name, each point with what it rests on", ({ text }) => {
    const rows = rowsOf(text);
    expect(rows.map(([number, point]) => [number, point])).toEqual(points);
    const unfounded = rows.filter((row) => row.includes("") || referencesIn(row.at(-1) ?? "") === 0);
    expect(unfounded).toEqual([]);
  });

  test("every provider that is more than a row of data has a page", () => {
    const names = builtinProviders.filter(({ preset }) => preset !== true).map(({ name }) => `${name}.md`);
    expect(names.filter((name) => !pages.some((page) => page.name === name))).toEqual([]);
  });

  test("every page is in the index", () => {
    expect(pages.map(({ name }) => name).filter((name) => !index.includes(`(${name})`))).toEqual([]);
  });
});

describe("what the pages say of our rows", () => {
  const cell = (page: string, number: string): string =>
    rowsOf(pages.find(({ name }) => name === page)?.text ?? "").find(([first]) => first === number)?.[2] ?? "";

  test.each(builtinProviders.filter(({ preset }) => preset !== true))(
    "$name: key variables, key format, default model, prefixes",
    (row) => {
      const page = `${row.name}.md`;
      for (const variable of row.key_variables) expect(cell(page, "K1")).toContain(`\`${variable}\``);
      if (row.key_prefix !== undefined) expect(cell(page, "K2")).toContain(`\`${row.key_prefix}\``);
      expect(cell(page, "K3")).toContain(`\`${row.default_model}\``);
      for (const prefix of row.prefixes.filter((word) => !/^o\d$/.test(word))) {
        expect(cell(page, "M1")).toContain(`\`${prefix}\``);
      }
    },
  );
});

describe.skipIf(!haveAllRecordings)("what the pages rest on (where the recordings are)", () => {
  test.each(pages)("$name names recordings that exist", ({ text }) => {
    expect(recordingIds(text).filter((id) => !knownIds.has(id))).toEqual([]);
  });

  test.skipIf(!existsSync(facts)).each(pages)("$name names fact pages and sections that exist", ({ text }) => {
    const named = [...text.matchAll(/fact page wire\/([a-z-]+\.md)(?:#([a-z0-9-]+))?/g)];
    const missing = named.filter(([, page = "", section]) => !hasSection(page, section));
    expect(missing.map(([whole]) => whole)).toEqual([]);
  });
});

/** The rows of the checklist: number, point, answers, what they rest on. */
function rowsOf(text: string): readonly string[][] {
  const lines = text.split("\n").filter((line) => /^\| (?:\d+|[KM]\d) \|/.test(line));
  return lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function referencesIn(cell: string): number {
  return recordingIds(cell).length + [...cell.matchAll(/fact page wire\/[a-z-]+\.md/g)].length;
}

/** Alone, or at the end of a shortened name in the form `…name-0-1234abcd`. */
function recordingIds(text: string): readonly string[] {
  const alone = [...text.matchAll(/(?<![\w.-])([0-9a-f]{8})(?![\w-])/g)];
  const named = [...text.matchAll(/`…[^`]*-([0-9a-f]{8})`/g)];
  return [...alone, ...named].map(([, id = ""]) => id);
}

function hasSection(page: string, section: string | undefined): boolean {
  const path = join(facts, page);
  if (!existsSync(path)) return false;
  if (section === undefined) return true;
  const headings = [...readFileSync(path, "utf8").matchAll(/^##+ (.+)$/gm)].map(([, heading = ""]) => slugOf(heading));
  return headings.some((heading) => heading === section || heading.startsWith(`${section}-`));
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .trim()
    .replaceAll(" ", "-");
}
