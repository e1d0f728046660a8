import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decoder } from "../../../src/llm/index.ts";
import { createFeed } from "../../../src/llm/feed.ts";
import { createWriter } from "../../../src/llm/writer.ts";
import type { StreamEvent } from "../../../src/core/index.ts";

function heard(framing: "sse" | "ndjson" | "json", pieces: readonly string[]): readonly unknown[] {
  const said: unknown[] = [];
  const decoder: Decoder = {
    frame: (data, event) => said.push(event === undefined ? [data] : [data, event]),
    body: (json) => said.push({ body: json }),
    end: () => said.push("end"),
  };
  const feed = createFeed(decoder, framing);
  for (const piece of pieces) feed.push(piece);
  feed.end();
  return said;
}

describe("feed", () => {
  test("frames, with and without a name, comments ignored", () => {
    const text = ': keep-alive\n\nevent: a\ndata: {"x":1}\n\ndata: [DONE]\n\n';
    expect(heard("sse", [text])).toEqual([['{"x":1}', "a"], ["[DONE]"], "end"]);
  });

  test("B20 any cut gives the same frames, with every line end", () => {
    for (const lineEnd of ["\n", "\r\n", "\r"]) {
      const text = [
        ": c",
        "",
        "event: a",
        'data: {"x":"é👍"}',
        "",
        "data: [DONE]",
        "",
        'error: {"message":"m"}',
        "",
      ].join(lineEnd);
      const whole = heard("sse", [text]);
      fc.assert(
        fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
          const places = [0, ...cuts.toSorted((left, right) => left - right), text.length];
          const pieces = places.slice(1).map((place, index) => text.slice(places[index], place));
          expect(heard("sse", pieces)).toEqual(whole);
        }),
        { numRuns: 200 },
      );
    }
  });

  test("a last frame without its blank line is handed out, half a frame is not", () => {
    expect(heard("sse", ['data: {"x":1}'])).toEqual([['{"x":1}'], "end"]);
    expect(heard("sse", ['data: {"x":1}\n\ndata: {"y'])).toEqual([['{"x":1}'], "end"]);
  });

  test("a body where frames were expected is a body", () => {
    expect(heard("sse", ['  {"error"', ':"x"}'])).toEqual([{ body: { error: "x" } }]);
    expect(heard("json", ["[1,", "2]"])).toEqual([{ body: [1, 2] }]);
    expect(heard("json", ['{"cut'])).toEqual(["end"]);
  });

  test("a bare JSON error among frames is found, however it is cut", () => {
    const text = 'data: {"a":1}\n\n{"error":\n{"code":503}}\n';
    const expected = [['{"a":1}'], ['{"error":\n{"code":503}}\n'], "end"];
    for (let cut = 0; cut <= text.length; cut++)
      expect(heard("sse", [text.slice(0, cut), text.slice(cut)])).toEqual(expected);
  });

  test("lines of JSON", () => {
    expect(heard("ndjson", ['{"a":1}\n{"b"', ":2}\n", '{"c'])).toEqual([['{"a":1}'], ['{"b":2}'], "end"]);
  });
});

describe("writer", () => {
  function written(write: (out: ReturnType<typeof createWriter>) => void): StreamEvent[] {
    const events: StreamEvent[] = [];
    write(createWriter((event) => events.push(event)));
    return events;
  }
  const cut = { category: "network", message: "m", retryable: true } as const;

  test("nothing follows the end, and there is one", () => {
    const events = written((out) => {
      out.error(cut);
      out.text(out.openText(), "late");
      out.error(cut);
    });
    expect(events).toEqual([{ type: "error", error: cut }]);
  });

  test.each([
    ["", { arguments: {} }],
    ["{}", { arguments: {} }],
    ['{"a":1}', { arguments: { a: 1 } }],
    ['{"a": 1}', { arguments: { a: 1 }, arguments_text: '{"a": 1}' }],
    ["null", { arguments: {}, arguments_text: "null" }],
    ["[1]", { arguments: {}, arguments_text: "[1]", invalid: true }],
    ['{"a":', { arguments: {}, arguments_text: '{"a":', invalid: true }],
    [
      '{"n":12345678901234567890}',
      { arguments: { n: 12345678901234567000 }, arguments_text: '{"n":12345678901234567890}' },
    ],
  ])("arguments %j are parsed once, at their end", (text, expected) => {
    const events = written((out) => {
      const block = out.openToolCall("c", "f");
      for (const letter of text) out.toolDelta(block, letter);
      out.toolDone(block);
    });
    expect(events.at(-1)).toEqual({ type: "tool_call_done", block_index: 0, ...expected });
    expect(events.filter((event) => event.type === "tool_call_delta")).toHaveLength(text.length);
  });
});
