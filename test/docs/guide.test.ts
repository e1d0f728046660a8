import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { loadConfig, problemText } from "../../src/config/index.ts";
import { filesUnder, root } from "../../tools/files.mjs";
import { newDatabase } from "../store/support/postgres.ts";
import { keeps, readPage, tidy, type Block, type Page } from "./guide-page.ts";
import { installed, runPage, type Ran } from "./guide-run.ts";

/** How many blocks say that they cannot be run here, and why. One more needs a reason that convinces its reviewer. */
const notRun = 3;

const pages = [...filesUnder("docs/guide").filter((path) => path.endsWith(".md")), "README.md"].map(readPage);

describe("the guide", () => {
  const pagesToRun = pages.filter(({ blocks }) => blocks.length > 0);
  const ran = new Map<Page, readonly Ran[]>();
  beforeAll(async () => {
    const packageFolder = await installed();
    const waiting = [...pagesToRun];
    const lane = async (): Promise<void> => {
      for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
        ran.set(page, await runAll(page, packageFolder));
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    rmSync(packageFolder, { recursive: true, force: true });
  }, 300_000);

  test("is run whole, but for what says why not", () => {
    const reasons = pages.flatMap(({ not_run }) => not_run);
    expect(reasons.length, reasons.join("\n")).toBe(notRun);
  });

  describe.each(pagesToRun.map((page) => [page.path, page] as const))("%s", (_path, page) => {
    test.each(page.blocks.map((block, index) => [block.line, block, index] as const))(
      "line %i does what it says",
      (_line, block, index) => check(block, ran.get(page)?.[index]),
    );
  });
});

/** Pages that are run at the same time. */
const lanes = 3;

/** The page on databases gets one; in it stands an address that anybody could have. */
async function runAll(page: Page, package_folder: string): Promise<readonly Ran[]> {
  if (!page.with.includes("postgresql")) return runPage(page, { package_folder });
  const { url, drop } = await newDatabase();
  try {
    return await runPage(page, { package_folder, replaced: { "postgres://you@localhost/ikigai": url } });
  } finally {
    await drop();
  }
}

function check({ kind, file, text, promised, exit_code }: Block, ran: Ran | undefined): void {
  expect(ran).toBeDefined();
  const { output = "", failed = "", exit_code: code } = ran ?? {};
  expect(code, `${failed}${output}`).toBe(exit_code);
  if (exit_code === 0) expect(failed, output).toBe("");
  if (promised !== undefined && !keeps(promised, output)) expect(tidy(output)).toBe(tidy(promised));
  if (kind === "json" && file === undefined) expect(configProblems(text)).toEqual([]);
}

function configProblems(text: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "ikigai-guide-config-"));
  try {
    const path = join(folder, "config.json");
    writeFileSync(path, text);
    return loadConfig(path, {}).problems.map((problem) => problemText(problem));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the figures of the readme are those of the benchmarks", () => {
  const measured = readFileSync(join(root, "docs/benchmarks.md"), "utf8");
  const figures = readFileSync(join(root, "README.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && line.includes("**"))
    .flatMap((line) => line.split("|").slice(2))
    .flatMap((cell) => /\d[\d.]*/.exec(cell)?.[0] ?? []);
  expect(figures.length).toBeGreaterThan(40);
  expect(figures.filter((figure) => !measured.includes(` ${figure} `))).toEqual([]);
});

describe("what a page promises is held against what was printed", () => {
  test.each<readonly [boolean, string, string]>([
    [true, "one\ntwo", "\none  \ntwo\n"],
    [false, "one\ntwo", "one"],
    [false, "one", "one\ntwo"],
    [true, "1 of … done", "1 of 3 done"],
    [false, "1 of … done", "1 of\n3 done"],
    [true, "first\n…\nlast", "first\nlast"],
    [true, "first\n…\nlast", "first\n2\n3\nlast"],
    [false, "first\n…\nlast", "first\n2"],
    [false, "a.c", "abc"],
  ])("%s: %j for %j", (kept, promised, printed) => {
    expect(keeps(promised, printed)).toBe(kept);
  });
});
