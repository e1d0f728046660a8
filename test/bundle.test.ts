import { beforeAll, describe, expect, test } from "vitest";
import { bundle, nodeImports, reachable } from "../tools/build.mjs";

type Metafile = Awaited<ReturnType<typeof bundle>>["metafile"];

describe("what is loaded when", () => {
  let metafile: Metafile;
  beforeAll(async () => {
    ({ metafile } = await bundle());
  });

  /** The source files that end up in what an entry loads before any of its functions is called. */
  const loadedBy = (entry: string): readonly string[] =>
    reachable(metafile, entry, { late: false }).flatMap((output) =>
      Object.keys(metafile.outputs[output]?.inputs ?? {}),
    );

  const loadedLaterBy = (entry: string): readonly string[] =>
    reachable(metafile, entry, { late: true }).flatMap((output) => Object.keys(metafile.outputs[output]?.inputs ?? {}));

  test("B50 importing the library loads no wire, no model data, no terminal and no database", () => {
    const early = loadedBy("dist/index.js");
    expect(early).toContain("src/index.ts");
    const allowed =
      /^src\/(?:index\.ts$|core\/|llm\/(?!protocols\/|models\/.*\.json$))|^node_modules\/eventsource-parser\//;
    expect(early.filter((path) => !allowed.test(path))).toEqual([]);
  });

  test("B50 the wires come with the library and load on first use", () => {
    const late = loadedLaterBy("dist/index.js");
    for (const protocol of ["messages", "responses", "chat", "gemini"]) {
      expect(late).toContain(`src/llm/protocols/${protocol}/index.ts`);
    }
  });

  test("the library never reaches for Node", () => {
    expect(nodeImports(metafile)).toEqual([]);
  });

  test("starting the program loads no wire and no model data", () => {
    const early = loadedBy("dist/main.js");
    expect(early).toContain("src/main.ts");
    expect(early.filter((path) => /^src\/(?:llm\/protocols\/|llm\/models\/.*\.json$|testing\/)/.test(path))).toEqual(
      [],
    );
  });

  test("vendors' packages are not part of what is shipped", () => {
    expect(
      Object.keys(metafile.inputs).filter((path) => /anthropic-ai|node_modules\/openai|@google/.test(path)),
    ).toEqual([]);
  });
});
