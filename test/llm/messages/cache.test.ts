import { describe, expect, test } from "vitest";
import { user, type JsonObject, type Message, type Request } from "../../../src/core/index.ts";
import {
  assistant,
  bodyOf,
  call,
  encode,
  markersIn,
  model,
  own,
  result,
  signed,
  withoutMarkers,
  type ModelKind,
} from "./support.ts";

const info = model("adaptive");
const tools = [{ name: "look", parameters: { type: "object" } }];
const system = [
  { type: "text", text: "one" },
  { type: "text", text: "two" },
] as const;
const short = '{"type":"ephemeral"}';
const long = '{"type":"ephemeral","ttl":"1h"}';
const said = (text: string): Message => assistant(own(info), { type: "text", text });
const markers = (request: Omit<Request, "model">): readonly string[] => markersIn(bodyOf(info, request));

describe("breakpoints", () => {
  test("end of tools, system and messages, and where the last turn ended", () => {
    expect(markers({ messages: [user("a")], tools, system })).toEqual([
      `tools.0 ${short}`,
      `system.1 ${short}`,
      `messages.0.content.0 ${short}`,
    ]);
    const messages = [user("a"), said("b"), user("c"), assistant(own(info), call("x")), result("x")];
    expect(markers({ messages, tools, system })).toEqual([
      `tools.0 ${short}`,
      `system.1 ${short}`,
      `messages.2.content.0 ${short}`,
      `messages.4.content.0 ${short}`,
    ]);
  });

  test("long is an hour everywhere, off is nowhere", () => {
    expect(markers({ messages: [user("a")], system, cache: "long" })).toEqual([
      `system.1 ${long}`,
      `messages.0.content.0 ${long}`,
    ]);
    const hinted: Message = { role: "user", content: [{ type: "text", text: "a", cache_hint: "long" }] };
    expect(markers({ messages: [hinted], system, tools, cache: "off" })).toEqual([]);
  });

  test("hints first, four at most, an hour never behind minutes", () => {
    const hinted: Message = { role: "user", content: [{ type: "text", text: "a", cache_hint: "long" }] };
    const messages = [hinted, said("b"), user("c"), said("d"), user("e")];
    expect(markers({ messages, tools, system })).toEqual([
      `tools.0 ${long}`,
      `system.1 ${long}`,
      `messages.0.content.0 ${long}`,
      `messages.4.content.0 ${short}`,
    ]);
  });

  test("more hints than there is room for: the last ones count", () => {
    const content = ["a", "b", "c", "d", "e"].map((text) => ({ type: "text", text, cache_hint: "short" }) as const);
    const { body, notes } = encode(info, { messages: [{ role: "user", content }], system });
    expect(markersIn(body)).toEqual([1, 2, 3, 4].map((index) => `messages.0.content.${index} ${short}`));
    expect(notes).toMatchObject([{ code: "cache_hints_left_out" }]);
  });

  test("thinking and raw blocks never carry one", () => {
    const raw = { provider: "anthropic", model: info.id, data: { type: "server_tool_use", id: "s", input: {} } };
    const paused = assistant(own(info), { type: "text", text: "w" }, signed(info, "t"), {
      type: "provider",
      opaque: raw,
    });
    expect(markers({ messages: [user("a"), paused] })).toEqual([
      `messages.0.content.0 ${short}`,
      `messages.1.content.0 ${short}`,
    ]);
  });
});

describe("B17 what was sent stays", () => {
  const turns = (kind: ModelKind): readonly Message[] => {
    const target = model(kind);
    const origin = own(target);
    return [
      user("start"),
      assistant(origin, signed(target, "hm"), { type: "text", text: "\n" }, call("a"), call("b")),
      {
        role: "tool",
        content: [
          {
            type: "tool_result",
            tool_call_id: "a",
            content: [
              { type: "text", text: "no" },
              { type: "image", media_type: "image/png", data: "AA" },
            ],
            is_error: true,
          },
          { type: "tool_result", tool_call_id: "b", content: [], is_error: false },
        ],
      },
      user("by the way"),
      assistant(origin, { type: "text", text: "done" }),
      user("and?"),
      assistant(origin, signed(target, "again"), { type: "text", text: "so" }),
      user("bye"),
    ];
  };

  test.each(["budget", "adaptive", "bound", "none"] as const)(
    "on %s each body begins with the one before, markers aside",
    (kind) => {
      const history = turns(kind);
      const ends = [1, 3, 4, 6, 8];
      const bodies = ends.map((end) =>
        withoutMarkers(
          bodyOf(model(kind), { messages: history.slice(0, end), tools, system, thinking: { level: "low" } }),
        ),
      );
      for (const [index, body] of bodies.entries()) {
        const next = bodies[index + 1];
        const open = body.replace(/[\]}]+$/, "");
        expect(body.length - open.length).toBeGreaterThanOrEqual(4);
        if (next !== undefined) expect(next.startsWith(open)).toBe(true);
      }
    },
  );

  test("a change of level leaves the messages as they were", () => {
    const messagesAt = (level: "low" | "high"): string =>
      withoutMarkers(bodyOf(info, { messages: turns("adaptive"), tools, system, thinking: { level } })["messages"]);
    expect(messagesAt("low")).toBe(messagesAt("high"));
  });

  test("the same request gives the same bytes", () => {
    const request = { messages: turns("adaptive"), tools, system };
    const body: JsonObject = bodyOf(info, request);
    expect(JSON.stringify(bodyOf(info, structuredClone(request)))).toBe(JSON.stringify(body));
  });
});
