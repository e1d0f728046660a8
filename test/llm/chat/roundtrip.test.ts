import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, Message } from "../../../src/core/index.ts";
import { chunk, decodeBody, decodeFrames, projectAndEncode } from "./helpers.ts";

/** Any string, half surrogate pairs included. */
const text = fc.string({
  unit: fc.constantFrom("a", "é", "\n", '"', "\\", "𝄞", "\ud834", "\udd1e", " "),
  maxLength: 12,
});
const someText = text.filter((value) => value !== "");

/** Details as a server may send them: each entry has an index of its own, so that none are neighbours of a kind. */
const details = fc
  .array(
    fc.oneof(
      fc.record({ type: fc.constant("reasoning.text"), text, signature: fc.option(someText) }),
      fc.record({ type: fc.constant("reasoning.summary"), summary: text, id: someText }),
      fc.record({ type: fc.constant("reasoning.encrypted"), data: someText, format: fc.constant("x-v1") }),
      fc.record({ type: fc.constant("reasoning.new_kind"), anything: fc.jsonValue({ maxDepth: 1 }) }),
    ),
    { maxLength: 4 },
  )
  .map((entries): readonly JsonObject[] => entries.map((entry, index) => asJson({ ...entry, index })));

const calls = fc
  .array(fc.tuple(fc.dictionary(fc.constantFrom("a", "b"), fc.jsonValue({ maxDepth: 2 })), fc.constantFrom(0, 1)), {
    minLength: 1,
    maxLength: 3,
  })
  .map((list): readonly JsonObject[] =>
    list.map(([given, indent], index) => ({
      id: `call_${index}`,
      type: "function",
      function: { name: "f", arguments: JSON.stringify(given, undefined, indent) },
    })),
  );

function asJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function sentBack(message: Message): JsonObject {
  const results = message.content.flatMap((block) =>
    block.type === "tool_call"
      ? [{ type: "tool_result" as const, tool_call_id: block.id, content: [], is_error: false }]
      : [],
  );
  return projectAndEncode([message, { role: "tool", content: results }])[0] ?? {};
}

describe("B05 what came goes back as it was", () => {
  test("a whole body", () => {
    fc.assert(
      fc.property(details, calls, (reasoning_details, tool_calls) => {
        const { message } = decodeBody({
          choices: [{ message: { reasoning_details, tool_calls }, finish_reason: "stop" }],
        });
        const sent = sentBack(message);
        expect(sent["tool_calls"]).toEqual(tool_calls);
        expect(sent["reasoning_details"] ?? []).toEqual(reasoning_details);
      }),
      { numRuns: 200 },
    );
  });

  test("a stream, its texts and arguments in pieces", () => {
    fc.assert(
      fc.property(details, calls, fc.integer({ min: 1, max: 5 }), (reasoning_details, tool_calls, size) => {
        const thinking = reasoning_details.flatMap((entry) => fragmentsOf(entry, size));
        const calling = tool_calls.flatMap((call, index) => callFragments(call, index, size));
        const frames = [
          ...thinking.map((entry) => chunk({ reasoning_details: [entry] })),
          ...calling.map((call) => chunk({ tool_calls: [call] })),
          chunk({}, { finish_reason: "tool_calls" }),
        ];
        const sent = sentBack(decodeFrames(frames).message);
        expect(sent["tool_calls"]).toEqual(tool_calls);
        expect(sent["reasoning_details"] ?? []).toEqual(reasoning_details);
      }),
      { numRuns: 200 },
    );
  });
});

function fragmentsOf(entry: JsonObject, size: number): readonly JsonObject[] {
  const part =
    entry["type"] === "reasoning.text" ? "text" : entry["type"] === "reasoning.summary" ? "summary" : undefined;
  if (part === undefined) return [entry];
  const { [part]: whole, signature, ...rest } = entry;
  const pieces = cut(typeof whole === "string" ? whole : "", size);
  // The signature comes by itself, last, without a text.
  const seal = signature === undefined ? [] : [{ ...rest, signature }];
  return [...pieces.map((piece) => ({ ...rest, [part]: piece })), ...seal];
}

function callFragments(call: JsonObject, index: number, size: number): readonly JsonObject[] {
  const given = asJson(call["function"]);
  const pieces = cut(String(given["arguments"]), size);
  const rest = pieces.map((piece) => ({ index, function: { arguments: piece } }));
  return [{ ...call, index, function: { name: "f", arguments: "" } }, ...rest];
}

/** At least one piece, also of nothing. */
function cut(whole: string, size: number): readonly string[] {
  const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, place) =>
    whole.slice(place * size, (place + 1) * size),
  );
  return pieces.length === 0 ? [""] : pieces;
}
