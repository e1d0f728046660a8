import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blocksOf, chunk, decodeBody, decodeFrames, stop } from "./helpers.ts";

const quirks = { think_tags: true };

function blocks(pieces: readonly string[], given = quirks): readonly unknown[] {
  return blocksOf(decodeFrames([...pieces.map((content) => chunk({ content })), stop], { quirks: given }).message);
}

describe("<think> in text", () => {
  test("becomes thinking where the server's row says so, and only there", () => {
    const text = "<think>\nhm, well\n</think>\n\nHello";
    expect(blocks([text])).toEqual([{ thinking: "hm, well\n" }, { text: "Hello" }]);
    expect(blocks([text], { think_tags: false })).toEqual([{ text }]);
    const body = decodeBody({ choices: [{ message: { content: text }, finish_reason: "stop" }] }, { quirks });
    expect(blocksOf(body.message)).toEqual([{ thinking: "hm, well\n" }, { text: "Hello" }]);
  });

  test("an empty pair leaves nothing", () => {
    expect(blocks(["<think>\n\n</think>\n\nHello"])).toEqual([{ text: "Hello" }]);
  });

  test("without an end it stays thinking; what only looks like a tag stays text", () => {
    expect(blocks(["<think>hm"])).toEqual([{ thinking: "hm" }]);
    expect(blocks(["a < b <thi", "s"])).toEqual([{ text: "a < b <this" }]);
    expect(blocks(["a <think"])).toEqual([{ text: "a <think" }]);
    expect(blocks(["</think> a"])).toEqual([{ text: "</think> a" }]);
  });

  test("what was held back when the connection broke is handed out", () => {
    const { message } = decodeFrames([chunk({ content: "a <thi" })], { quirks });
    expect(blocksOf(message)).toEqual([{ text: "a <thi" }]);
  });

  test("several times in one answer", () => {
    const text = "<think>a</think>b<think>c</think>d";
    expect(blocks([text])).toEqual([{ thinking: "a" }, { text: "b" }, { thinking: "c" }, { text: "d" }]);
  });

  test("any cut gives the same blocks", () => {
    const part = fc.constantFrom("<think>", "</think>", "<", "</", "think>", "<think", "a", " b\n", "\n\n", "𝄞", ">");
    const texts = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(""));
    const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 20 });
    fc.assert(
      fc.property(texts, cuts, (text, places) => {
        const sorted = [...new Set([0, ...places.filter((place) => place < text.length), text.length])].sort(
          (left, right) => left - right,
        );
        const pieces = sorted.slice(1).map((end, index) => text.slice(sorted[index], end));
        expect(blocks(pieces)).toEqual(blocks([text]));
      }),
      { numRuns: 1_000 },
    );
  });
});
