import { describe, expect, test } from "vitest";
import { unansweredToolCalls, user, validateConversation, type Message } from "../../src/core/index.ts";

const origin = { provider: "p", api: "a", model: "m" };

describe("validateConversation names the place", () => {
  const cases: readonly [string, unknown, string][] = [
    ["not an object", [], ""],
    ["no messages", {}, "messages"],
    ["empty messages", { messages: [] }, "messages"],
    ["unknown role", { messages: [{ role: "system", content: [] }] }, "messages[0].role"],
    [
      "a block of another role",
      { messages: [{ role: "user", content: [{ type: "thinking", text: "" }] }] },
      "messages[0].content[0].type",
    ],
    [
      "text that is no string",
      { messages: [{ role: "user", content: [{ type: "text", text: 1 }] }] },
      "messages[0].content[0].text",
    ],
    ["assistant without origin", { messages: [{ role: "assistant", content: [] }] }, "messages[0].origin"],
    [
      "a result without its flag",
      { messages: [{ role: "tool", content: [{ type: "tool_result", tool_call_id: "c", content: [] }] }] },
      "messages[0].content[0].is_error",
    ],
    [
      "a call whose arguments are text",
      {
        messages: [
          { role: "assistant", origin, content: [{ type: "tool_call", id: "c", name: "f", arguments: "{}" }] },
        ],
      },
      "messages[0].content[0].arguments",
    ],
    [
      "an image without data",
      { messages: [{ role: "user", content: [{ type: "image", media_type: "image/png" }] }] },
      "messages[0].content[0].data",
    ],
    ["a wrong level", { messages: [user("x")], thinking: { level: "huge" } }, "thinking.level"],
    ["a limit of nothing", { messages: [user("x")], max_output_tokens: 0 }, "max_output_tokens"],
    ["a half token", { messages: [user("x")], max_output_tokens: 1.5 }, "max_output_tokens"],
    [
      "two tools of one name",
      {
        messages: [user("x")],
        tools: [
          { name: "f", parameters: {} },
          { name: "f", parameters: {} },
        ],
      },
      "tools[1].name",
    ],
    [
      "a tool name with a blank",
      { messages: [user("x")], tools: [{ name: "bad name!", parameters: {} }] },
      "tools[0].name",
    ],
    [
      "a tool of one string",
      { messages: [user("x")], tools: [{ name: "f", parameters: { type: "string" } }] },
      "tools[0].parameters",
    ],
    [
      "a choice of a tool that is not there",
      { messages: [user("x")], tool_choice: { mode: "specific", name: "g" } },
      "tool_choice.name",
    ],
    ["an unknown mode", { messages: [user("x")], tool_choice: { mode: "maybe" } }, "tool_choice.mode"],
    ["an empty stop", { messages: [user("x")], stop_sequences: [""] }, "stop_sequences"],
    ["temperature as text", { messages: [user("x")], temperature: "hot" }, "temperature"],
    [
      "opaque data without a maker",
      { messages: [{ role: "assistant", origin, content: [{ type: "provider", opaque: { data: {} } }] }] },
      "messages[0].content[0].opaque.provider",
    ],
  ];
  test.each(cases)("%s", (_name, value, place) => {
    expect(validateConversation(value).map((problem) => problem.place)).toContain(place);
  });

  test("a legal conversation has no problems", () => {
    const messages: Message[] = [
      user("hi"),
      { role: "assistant", origin, content: [{ type: "tool_call", id: "c", name: "f", arguments: {} }] },
      {
        role: "tool",
        content: [{ type: "tool_result", tool_call_id: "c", content: [{ type: "text", text: "1" }], is_error: false }],
      },
    ];
    expect(validateConversation({ messages, max_output_tokens: -1, tools: [{ name: "f", parameters: {} }] })).toEqual(
      [],
    );
    expect(unansweredToolCalls(messages)).toEqual([]);
  });

  test("calls and results that do not pair up are found on both sides", () => {
    const call: Message = {
      role: "assistant",
      origin,
      content: [{ type: "tool_call", id: "c", name: "f", arguments: {} }],
    };
    const result: Message = {
      role: "tool",
      content: [{ type: "tool_result", tool_call_id: "d", content: [], is_error: false }],
    };
    expect(unansweredToolCalls([user("x"), call, result]).map((problem) => problem.place)).toEqual([
      "messages[1].content[0]",
      "messages[2].content[0]",
    ]);
  });
});
