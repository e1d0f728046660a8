import { describe, expect, test } from "vitest";
import { completions, createCompleter, placeAt, type CompletionSource } from "../../src/repl/commands/completions.ts";
import { mentionsIn } from "../../src/repl/commands/mentions.ts";
import { allWords, freeText, nextWord, takeOptions } from "../../src/repl/commands/words.ts";
import { histories } from "../store/support/engines.ts";
import { machine } from "./machine.ts";

describe("words", () => {
  test("are quoted like in a shell", () => {
    expect(allWords(`a "b c" 'd "e"' f\\ g "h \\" i" j'k'l`)).toEqual(["a", "b c", 'd "e"', "f g", 'h " i', "jkl"]);
    expect(nextWord("   ")).toBeUndefined();
    expect(nextWord('"" rest')).toEqual({ word: "", rest: "rest" });
    expect(() => nextWord('"open')).toThrow("not closed");
  });

  test("text is kept as typed, unless it is one quoted piece", () => {
    expect(freeText('  "one piece"  ')).toBe("one piece");
    expect(freeText('"two" and "more"')).toBe('"two" and "more"');
    expect(freeText("don't\n  indent")).toBe("don't\n  indent");
    expect(freeText('"open')).toBe('"open');
  });

  test("options before a text, and behind a quoted one", () => {
    const known = { model: "model", yes: null };
    const parse = (text: string) => {
      const { options, text: rest } = takeOptions(text, known);
      return [Object.fromEntries(options), rest];
    };
    expect(parse("--model a --model=b --yes do it")).toEqual([{ model: ["a", "b"], yes: [] }, "do it"]);
    expect(parse('"do it" --yes')).toEqual([{ yes: [] }, '"do it"']);
    expect(parse('"do it" --yes really')).toEqual([{}, '"do it" --yes really']);
    expect(parse("-- --yes is text")).toEqual([{}, "--yes is text"]);
    expect(parse("do it --yes")).toEqual([{}, "do it --yes"]);
    expect(() => parse("--nothing")).toThrow("no option --nothing");
    expect(() => parse("--model")).toThrow("--model wants a value");
  });
});

describe("mentions", () => {
  test("stand at the beginning of a word, outside of code", () => {
    const text = 'see @a.md, (me@example.org) @"two words.txt" `@no.md`\n```py\n@app.route\n```\n@end/';
    expect(mentionsIn(text).map(({ path }) => path)).toEqual(["a.md", "two words.txt", "end/"]);
  });
});

describe("completion", () => {
  const { open } = histories("sqlite");
  const source = async (): Promise<CompletionSource> => {
    const { here, services } = await machine(await open());
    await here.agents.command({ type: "mark", agent_uuid: here.root, label: "before" });
    await here.agents.command({ type: "mark", agent_uuid: here.root, label: "two words" });
    return { agents: () => here.agents, here: () => here.root, services };
  };
  const labels = async (text: string, from: CompletionSource, caret = text.length) =>
    (await completions(text, caret, from))?.items.map(({ label }) => label);

  test("commands, fuzzily, with what they do", async () => {
    const from = await source();
    expect((await labels("/", from))?.slice(0, 2)).toEqual(["/model", "/fork"]);
    expect((await labels("/rw", from))?.[0]).toBe("/rewind");
    expect(await labels("/zzz", from)).toBeUndefined();
    expect(await labels("/exit", from)).toBeUndefined();
    const menu = await completions("/mod", 4, from);
    expect(menu).toMatchObject({ start: 0, end: 4 });
    expect(menu?.items[0]).toEqual({
      insert: "/model ",
      label: "/model",
      hint: "switch to another model or depth of thinking",
    });
  });

  test("models, then their levels behind the slash", async () => {
    const from = await source();
    expect(await labels("/model ", from)).toEqual(["claude-opus-5-5", "gpt-6.1-sol", "grok-5"]);
    expect(await labels("/model gpt", from)).toEqual(["gpt-6.1-sol"]);
    expect(await labels("/model gpt-6.1-sol/", from)).toEqual([
      "gpt-6.1-sol/low",
      "gpt-6.1-sol/med",
      "gpt-6.1-sol/high",
    ]);
    expect(await labels("/model gpt-6.1-sol/h", from)).toEqual(["gpt-6.1-sol/high"]);
    expect(await labels("/fork --model gr", from)).toEqual(["grok-5"]);
    expect((await labels("/fork --", from))?.[0]).toBe("--model");
    expect(await labels("/fork --budget 3 wri", from)).toBeUndefined();
  });

  test("agents, marks, words, paths, in the middle of a line", async () => {
    const from = await source();
    expect(await labels("/kill ", from)).toEqual([from.here().slice(0, 4)]);
    expect(await labels("/wait 60 ", from)).toEqual([from.here().slice(0, 4)]);
    expect((await completions("/rewind ", 8, from))?.items.map(({ insert }) => insert)).toEqual([
      '"two words"',
      "before",
    ]);
    expect(await labels("/think sh", from)).toEqual(["show"]);
    expect(await labels("/pin sr", from)).toEqual(["src/", "src/main.ts"]);
    expect(await labels("see @src/m and more", from, 10)).toEqual(["src/main.ts"]);
    expect(placeAt("see @src/m and more", 10)).toMatchObject({ start: 5, end: 10 });
    expect(await labels("plain words", from)).toBeUndefined();
    expect(await labels("/model claude-opus-5-5/high ", from)).toBeUndefined();
  });

  test("the newest question wins, however late the older answers are", async () => {
    const from = await source();
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    const slow: CompletionSource = {
      ...from,
      services: { ...from.services, paths: (prefix) => (prefix === "R" ? promise : from.services.paths(prefix, 9)) },
    };
    const shown: unknown[] = [];
    const completer = createCompleter(slow, (menu) => shown.push(menu?.items.map(({ label }) => label)));
    const first = completer.look("@R", 2);
    await completer.look("@RE", 3);
    resolve(["Rome"]);
    await first;
    expect(shown).toEqual([["README.md"]]);
  });
});
