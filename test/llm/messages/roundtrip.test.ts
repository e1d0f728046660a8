import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { project, user, type JsonObject, type Message } from "../../../src/core/index.ts";
import { adapter, bodyOf, decodeBody, decodeFrames, framesOf, model, type ModelKind } from "./support.ts";

const kinds = ["budget", "adaptive", "bound"] as const satisfies readonly ModelKind[];

// Half surrogate pairs too: what a model has signed goes back as it is.
const anyText = fc.string({
  unit: fc.oneof(fc.string({ minLength: 1, maxLength: 1, unit: "binary" }), fc.constantFrom(" ", "\n"), halfPair()),
});
const visibleText = fc
  .string({ minLength: 1, unit: "grapheme" })
  .filter((text) => text.trim() !== "" && text.isWellFormed());
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonObject[string]);
const input = fc
  .dictionary(fc.string(), json, { maxKeys: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

const block = fc.oneof(
  fc.record({ type: fc.constant("thinking"), thinking: anyText, signature: fc.base64String({ minLength: 4 }) }),
  fc.record({ type: fc.constant("redacted_thinking"), data: fc.base64String({ minLength: 4 }) }),
  fc.record({ type: fc.constant("text"), text: visibleText }),
  fc.record({
    type: fc.constant("text"),
    text: visibleText,
    citations: fc.array(input, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ type: fc.constant("tool_use"), id: fc.constant(""), name: fc.constantFrom("look", "read"), input }),
  fc.record({
    type: fc.constant("tool_use"),
    id: fc.constant(""),
    name: fc.constant("look"),
    input,
    caller: fc.constant({ type: "direct" }),
  }),
  fc.record({
    type: fc.constant("server_tool_use"),
    id: fc.constant("srvtoolu_1"),
    name: fc.constant("web_search"),
    input,
  }),
  fc.record({
    type: fc.constant("web_search_tool_result"),
    tool_use_id: fc.constant("srvtoolu_1"),
    content: fc.array(input),
  }),
);

/** Blocks of one answer; each call gets an id of its own. */
const answer = fc
  .array(block, { minLength: 1, maxLength: 8 })
  .map((blocks) =>
    blocks.map((each, index): JsonObject => (each.type === "tool_use" ? { ...each, id: `toolu_${index}` } : each)),
  );

describe("B05 what the model said goes back as it was", () => {
  test.each(kinds)("streamed, on %s", (kind) => {
    fc.assert(
      fc.property(answer, (content) => {
        const { message } = decodeFrames(framesOf(content, "tool_use"), { model: model(kind).id });
        expect(sentBack(kind, message)).toBe(JSON.stringify(expected(kind, content)));
      }),
      { numRuns: 300 },
    );
  });

  test.each(kinds)("in one body, on %s", (kind) => {
    fc.assert(
      fc.property(answer, (content) => {
        const body = { type: "message", model: "m", content, stop_reason: "tool_use", usage: {} };
        const { message } = decodeBody(body, { model: model(kind).id });
        expect(sentBack(kind, message)).toBe(JSON.stringify(expected(kind, content)));
      }),
      { numRuns: 100 },
    );
  });

  test("under any of the model's names, and to no other model", () => {
    const thought = { type: "thinking", thinking: "hm", signature: "sig" };
    const said = { type: "text", text: "so" };
    const { message } = decodeFrames(framesOf([thought, said]), { model: "claude-test-budget-20260101" });
    const origin = { ...message.origin, model: "claude-test-budget-20260101" };
    expect(sentBack("budget", { ...message, origin })).toBe(JSON.stringify([thought, said]));
    expect(sentBack("adaptive", { ...message, origin })).toBe(JSON.stringify([said]));
  });
});

/** The content of the assistant turn in the request that follows it, through the projection as in life. */
function sentBack(kind: ModelKind, said: Message): string {
  const info = model(kind);
  const results: Message = {
    role: "tool",
    content: said.content.flatMap((part) =>
      part.type === "tool_call"
        ? [{ type: "tool_result", tool_call_id: part.id, content: [], is_error: false } as const]
        : [],
    ),
  };
  // A last message keeps server calls that are still open; after results or nothing the turn is the model's.
  const history = [user("go"), said, ...(results.content.length > 0 ? [results] : [])];
  const { messages } = project(history, adapter.projection({ provider: "anthropic", model: info, quirks: {} }));
  const body = bodyOf(info, { messages, cache: "off", tools: [{ name: "look", parameters: { type: "object" } }] });
  const [, turn] = body["messages"] as unknown as readonly { readonly content: readonly JsonObject[] }[];
  return JSON.stringify(turn?.content);
}

/** An answer that stands last is one to be continued, and older models refuse blanks at the end of that. */
function expected(kind: ModelKind, content: readonly JsonObject[]): readonly JsonObject[] {
  const last = content.at(-1);
  const isLast = !content.some(({ type }) => type === "tool_use");
  if (kind === "bound" || !isLast || last?.["type"] !== "text" || "citations" in last) return content;
  return [...content.slice(0, -1), { ...last, text: String(last["text"]).trimEnd() }];
}

function halfPair(): fc.Arbitrary<string> {
  return fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
}
