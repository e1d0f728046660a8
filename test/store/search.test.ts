import { describe, expect, test } from "vitest";
import { parseQuery } from "../../src/store/query.ts";
import type { SearchOptions, Store } from "../../src/store/index.ts";
import { engineNames, histories } from "./support/engines.ts";
import { answers, says, skipIds, withAgent } from "./support/make.ts";

describe.each(engineNames)("search on %s", (engine) => {
  const { open } = histories(engine);

  /** `after`: ids begin behind this one, as if so much had been written before. */
  async function library({ after = 0 } = {}): Promise<Store> {
    const store = await open();
    const { session, agent } = await withAgent(store, "/one");
    if (after > 0) await skipIds(store, session.uuid, after);
    const other = await withAgent(store, "/two");
    await store.history.append(agent.uuid, [
      says("The quick brown fox jumps over the lazy dog"),
      answers("A résumé of foxes: src/store/index.ts, and foo_bar(baz)."),
      { kind: "tool_result", content: "fox fox fox fox", data: { tool_call_id: "1", is_error: false } },
      { kind: "system", content: "never mention the fox" },
      { kind: "compact", content: "we spoke of ÄRGER and größe", data: {} },
    ]);
    await store.history.append(other.agent.uuid, [says("a dog, not a Fox"), says("東京都の天気は晴れです")]);
    return store;
  }

  const found = async (store: Store, query: string, options?: SearchOptions): Promise<readonly string[]> =>
    (await store.search(query, options)).map((hit) => hit.excerpt);

  const cases: readonly (readonly [query: string, expected: readonly string[]])[] = [
    ["fox", ["a dog, not a Fox", "fox fox fox fox", "The quick brown fox jumps over the lazy dog"]],
    ["FOX dog", ["a dog, not a Fox", "The quick brown fox jumps over the lazy dog"]],
    ["fox -dog", ["fox fox fox fox"]],
    ['"lazy dog"', ["The quick brown fox jumps over the lazy dog"]],
    ['"dog lazy"', []],
    ['-"lazy dog" dog', ["a dog, not a Fox"]],
    ["jum*", ["The quick brown fox jumps over the lazy dog"]],
    ["jum", []],
    ["resume", ["A résumé of foxes: src/store/index.ts, and foo_bar(baz)."]],
    ["résumé", ["A résumé of foxes: src/store/index.ts, and foo_bar(baz)."]],
    ["store/index.ts", ["A résumé of foxes: src/store/index.ts, and foo_bar(baz)."]],
    ["bar", ["A résumé of foxes: src/store/index.ts, and foo_bar(baz)."]],
    ["ärger GRÖSSE", []],
    ["ärger größe", ["we spoke of ÄRGER and größe"]],
    ["天気", ["東京都の天気は晴れです"]],
    ["天気 fox", []],
    ["mention", []],
    ["it's' OR NOT (", []],
  ];

  test("finds words, phrases, beginnings and their absence, newest first", async () => {
    const store = await library();
    for (const [query, expected] of cases) expect(await found(store, query), query).toEqual(expected);
  });

  test("finds the same in a long history, page by page", async () => {
    const store = await library({ after: 1_000_000 });
    for (const [query, expected] of cases) {
      expect(await found(store, query), query).toEqual(expected);
      const pages: string[] = [];
      for (let before_id = 2_000_000; ;) {
        const [hit] = await store.search(query, { limit: 1, before_id });
        if (hit === undefined) break;
        pages.push(hit.excerpt);
        before_id = hit.id;
      }
      expect(pages, query).toEqual(expected);
    }
    expect(await found(store, "fox", { offset: 1, limit: 1 })).toEqual(["fox fox fox fox"]);
    expect(await found(store, "fox", { limit: 10_000 })).toHaveLength(3);
    expect(await found(store, "fox", { before_id: 1_000 })).toEqual([]);
  });

  test.runIf(engine === "sqlite")("only what is over at once is done on this thread", async () => {
    const [short, long] = [await library(), await library({ after: 1_000_000 })];
    // What is done here is over before it could be given up.
    const here = async (store: Store, query: string, options: SearchOptions = {}): Promise<boolean> =>
      store.search(query, { ...options, signal: AbortSignal.abort() }).then(
        () => true,
        () => false,
      );
    for (const query of ["fox", "fox dog", "fox -dog", '"lazy dog"'])
      expect(await here(short, query), query).toBe(true);
    expect(await here(long, "fox")).toBe(true);
    for (const query of ["fox dog", "fox -dog", '"lazy dog"', "jum*"])
      expect(await here(long, query), query).toBe(false);
    expect(await here(short, "jum*")).toBe(false);
    expect(await here(long, "fox", { before_id: 500_000 })).toBe(false);
    expect(await here(long, "fox", { offset: 5_000 })).toBe(false);
    expect(await here(long, "fox", { folder: "/one" })).toBe(false);
  });

  test("says where a hit is", async () => {
    const store = await library();
    const [hit] = await store.search("lazy");
    const [session] = await store.sessions.list({ folder: "/one" });
    expect(hit).toMatchObject({ kind: "user", folder: "/one", session_uuid: session?.uuid });
    expect(await store.history.entry(hit?.uuid ?? "")).toMatchObject({ id: hit?.id, agent_uuid: hit?.agent_uuid });
  });

  test("ranks on demand", async () => {
    const store = await library();
    const [best] = await store.search("fox", { order: "best" });
    expect(best?.excerpt).toBe("fox fox fox fox");
    expect(await found(store, "fox", { order: "best", offset: 1 })).toHaveLength(2);
  });

  test("ranks within a folder and a session", async () => {
    const store = await library();
    expect(await found(store, "fox", { order: "best", folder: "/two" })).toEqual(["a dog, not a Fox"]);
    const [session] = await store.sessions.list({ folder: "/one" });
    const within = { order: "best", session_uuid: session?.uuid ?? "" } as const;
    expect(await found(store, "dog", within)).toHaveLength(1);
    const [newest] = await store.search("fox");
    const older = await store.search("fox", { order: "best", before_id: newest?.id ?? 0 });
    expect(older.map(({ id }) => id)).not.toContain(newest?.id);
    expect(older).toHaveLength(2);
  });

  test("B44 never finds what files held before tools changed them", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const before = await store.blobs.put(Buffer.from("TOKEN=canaryinafile"));
    await store.history.append(agent.uuid, [{ kind: "file_change", content: "/proj/.env", data: { before } }]);
    expect(await store.search("canaryinafile")).toEqual([]);
    expect(await store.search("canary*", { order: "best" })).toEqual([]);
    expect(Buffer.from((await store.blobs.get(before)) ?? []).toString()).toBe("TOKEN=canaryinafile");
  });

  test("stays within a folder or a session", async () => {
    const store = await library();
    expect(await found(store, "fox", { folder: "/two" })).toEqual(["a dog, not a Fox"]);
    const [session] = await store.sessions.list({ folder: "/one" });
    expect(await found(store, "dog", { session_uuid: session?.uuid ?? "" })).toHaveLength(1);
  });

  test("goes on where the page before it ended", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    await store.history.append(
      agent.uuid,
      Array.from({ length: 50 }, (_, index) => says(`word ${index} ${index % 2 === 0 ? "even" : ""}`)),
    );
    const seen: string[] = [];
    for (let before_id: number | undefined; ;) {
      const page = await store.search("even", { limit: 7, ...(before_id === undefined ? {} : { before_id }) });
      if (page.length === 0) break;
      seen.push(...page.map((hit) => hit.excerpt));
      before_id = page.at(-1)?.id;
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => `word ${48 - 2 * index} even`));
  });

  test("shows one line around what was found", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const long = `${"before ".repeat(100)}the\n\nNeedle is here ${"after ".repeat(100)}`;
    await store.history.append(agent.uuid, [says(long), says(`${"x".repeat(70_000)} beyond`)]);
    const [excerpt = ""] = await found(store, "needle");
    expect(excerpt).toMatch(/^… .*the Needle is here.* …$/);
    expect(excerpt.length).toBeLessThan(200);
    expect(await found(store, "beyond")).toEqual([]);
  });

  test("needs a word, and can be given up", async () => {
    const store = await library();
    for (const query of ["", "-fox", "!!!"])
      await expect(store.search(query)).rejects.toMatchObject({ kind: "invalid" });
    const signal = AbortSignal.abort();
    await expect(store.search("fox", { order: "best", signal })).rejects.toMatchObject({ kind: "aborted" });
  });
});

test("a query is read as people write it", () => {
  expect(parseQuery('one "two three" -four fi* "six seven"* -"eight nine"')).toMatchObject([
    { words: ["one"], prefix: false, excluded: false },
    { words: ["two", "three"], prefix: false, excluded: false },
    { words: ["four"], excluded: true },
    { words: ["fi"], prefix: true },
    { words: ["six", "seven"], prefix: true },
    { words: ["eight", "nine"], excluded: true },
  ]);
  expect(parseQuery('"open')).toMatchObject([{ words: ["open"] }]);
  expect(parseQuery("a.b-c")).toMatchObject([{ words: ["a", "b", "c"] }]);
});
