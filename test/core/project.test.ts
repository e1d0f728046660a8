import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  project,
  toolResult,
  unansweredToolCalls,
  user,
  type AssistantBlock,
  type AssistantMessage,
  type Message,
  type Origin,
  type ProjectionRules,
  type ThinkingBlock,
  type ToolCallBlock,
} from "../../src/core/index.ts";
import { histories, secretOf } from "./conversations.ts";

const alpha: Origin = { provider: "alpha", api: "a", model: "a-1" };
const alphaTwo: Origin = { provider: "alpha", api: "a", model: "a-2" };
const beta: Origin = { provider: "beta", api: "b", model: "b-1" };

const toAlpha: ProjectionRules = {
  provider: "alpha",
  models: ["a-1", "a-1-20260101"],
  tool_call_id: { character: "[A-Za-z0-9_-]", length_max: 64 },
  thinking_needs_opaque: true,
  tool_calls_last: false,
  images: true,
  foreign_thinking: "omit",
};
const toBeta: ProjectionRules = { ...toAlpha, provider: "beta", models: ["b-1"] };

const signed = (maker: Origin, text = "hm"): ThinkingBlock => ({
  type: "thinking",
  text,
  opaque: { provider: maker.provider, model: maker.model, data: { signature: `signed by ${maker.model}` } },
});
const call = (id: string, more: Partial<ToolCallBlock> = {}): ToolCallBlock => ({
  type: "tool_call",
  id,
  name: "look",
  arguments: {},
  ...more,
});
const said = (origin: Origin, ...content: AssistantBlock[]): AssistantMessage => ({
  role: "assistant",
  content,
  origin,
});
const text = (words: string): AssistantBlock => ({ type: "text", text: words });
const answered = (...ids: string[]): Message => ({
  role: "tool",
  content: ids.map((id) => toolResult(id, `result of ${id}`)),
});
const codes = (history: readonly Message[], rules: ProjectionRules): readonly string[] =>
  project(history, rules).losses.map(({ code }) => code);

describe("what only its maker can read", () => {
  const history = [
    user("q"),
    said(
      alpha,
      signed(alpha),
      { ...text("hello"), opaque: { provider: "alpha", model: "a-1", data: { id: "msg_secret" } } },
      { type: "provider", opaque: { provider: "alpha", model: "a-1", data: { blob: "searched" } } },
      call("c1", { opaque: { provider: "alpha", model: "a-1", data: { signature: "call_secret" } } }),
    ),
    answered("c1"),
  ];

  test("B03 never goes to another provider, nor to another model of the same one", () => {
    for (const rules of [toBeta, { ...toAlpha, models: ["a-2"] }]) {
      const { messages, losses } = project(history, rules);
      expect(JSON.stringify(messages)).not.toMatch(/signed by|secret|searched/);
      expect(losses.map(({ code }) => code)).toEqual([
        "foreign_thinking",
        "foreign_data",
        "foreign_data",
        "foreign_data",
      ]);
      expect(messages[1]?.content).toEqual([text("hello"), call("c1")]);
    }
  });

  test("B04 comes back to it unchanged, after any number of turns elsewhere", () => {
    const later = [...history, user("and?"), said(beta, signed(beta), text("no")), user("why?")];
    const { messages } = project(later, toAlpha);
    expect(messages.slice(0, 3)).toEqual(history);
    expect(messages[4]).toEqual(said(beta, text("no")));
  });

  test("B04 also under another name of the model", () => {
    const renamed = said({ ...alpha, model: "a-1-20260101" }, signed({ ...alpha, model: "a-1-20260101" }));
    expect(project([renamed], toAlpha)).toEqual({ messages: [renamed], losses: [] });
  });

  test("thinking that was never signed is sent back only where no signature is needed", () => {
    const unsigned = said(alpha, { type: "thinking", text: "hm" }, text("so"));
    expect(project([unsigned], toAlpha).messages).toEqual([said(alpha, text("so"))]);
    expect(codes([unsigned], toAlpha)).toEqual(["unsigned_thinking"]);
    expect(project([unsigned], { ...toAlpha, thinking_needs_opaque: false })).toEqual({
      messages: [unsigned],
      losses: [],
    });
  });
});

describe("thinking of others", () => {
  const history = [user("q"), said(beta, signed(beta, "my \ud83d thought"), text("a"))];

  test("B07 is left out", () => {
    expect(project(history, toAlpha).messages[1]).toEqual(said(beta, text("a")));
  });

  test("B07 becomes marked text where that is asked for", () => {
    const { messages, losses } = project(history, { ...toAlpha, foreign_thinking: "text" });
    expect(messages[1]?.content).toEqual([text("<thinking>\nmy \ufffd thought\n</thinking>"), text("a")]);
    expect(losses).toEqual([]);
    const silent = [said(beta, signed(beta, ""), text("a"))];
    expect(codes(silent, { ...toAlpha, foreign_thinking: "text" })).toEqual(["foreign_thinking"]);
  });
});

describe("B06 turns with nothing left", () => {
  test("disappear, whoever took them", () => {
    const history = [user("q"), said(beta, signed(beta)), { role: "user", content: [text("")] } as Message, user("r")];
    expect(project(history, toAlpha)).toEqual({
      messages: [user("q"), user("r")],
      losses: [
        {
          code: "foreign_thinking",
          message: "Thinking of another model was left out",
          message_index: 1,
          block_index: 0,
        },
        { code: "empty_message", message: "A turn with nothing left for this model was left out", message_index: 1 },
        { code: "empty_message", message: "An empty user message was left out", message_index: 2 },
      ],
    });
  });

  test("are no loss where there was nothing", () => {
    expect(project([user("q"), said(alpha)], toAlpha)).toEqual({ messages: [user("q")], losses: [] });
  });
});

describe("B08 tool ids", () => {
  const idsOf = (history: readonly Message[], rules: ProjectionRules): readonly string[] =>
    project(history, rules).messages.flatMap((message) =>
      message.content.flatMap((block) => (block.type === "tool_call" ? [block.id] : [])),
    );

  test("that fit stay", () => {
    expect(idsOf([said(beta, call("toolu_01")), answered("toolu_01")], toAlpha)).toEqual(["toolu_01"]);
  });

  test("that do not fit are rebuilt, with their results", () => {
    const long = "x".repeat(80);
    const history = [said(beta, call("a.b:1"), call(long)), answered(long, "a.b:1")];
    const { messages, losses } = project(history, toAlpha);
    expect(unansweredToolCalls(messages)).toEqual([]);
    const ids = idsOf(history, toAlpha);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(ids[0]).toMatch(/^a_b_1_/);
    expect(losses.map(({ code }) => code)).toEqual(["renamed_tool_call_id", "renamed_tool_call_id"]);
    expect(losses[0]?.message).toContain("a.b:1 is sent as ");
  });

  test.each([
    ["a.b", "a:b"],
    [`${"x".repeat(70)}1`, `${"x".repeat(70)}2`],
    ["\ud83d", "\ud83e"],
  ])("that would become one do not: %s, %s", (left, right) => {
    const ids = idsOf([said(beta, call(left), call(right)), answered(left, right)], toAlpha);
    expect(new Set(ids).size).toBe(2);
  });

  test("counted from zero in every turn stay as they are for their maker and differ for others", () => {
    const history = [said(beta, call("0")), answered("0"), said(beta, call("0")), answered("0")];
    expect(idsOf(history, toBeta)).toEqual(["0", "0"]);
    const [first, second] = idsOf(history, toAlpha);
    expect(first).toBe("0");
    expect(second).toMatch(/^0_.+/);
  });

  test("of the target are not taken over by a foreign one", () => {
    const history = [said(alpha, call("x")), answered("x"), said(beta, call("x")), answered("x")];
    const [own, foreign] = idsOf(history, toAlpha);
    expect(own).toBe("x");
    expect(foreign).not.toBe("x");
  });

  test("of the target that look like one made for a foreign id give way", () => {
    const foreign = [said(beta, call("a.b")), answered("a.b")];
    const [taken = ""] = idsOf(foreign, toAlpha);
    const ids = idsOf([...foreign, said(alpha, call(taken)), answered(taken)], toAlpha);
    expect(new Set(ids).size).toBe(2);
  });

  test.each<[string, ProjectionRules["tool_call_id"], RegExp]>([
    ["exactly nine letters and digits", { character: "[a-zA-Z0-9]", length_max: 9, length_exact: 9 }, /^[a-z0-9]{9}$/],
    ["no underscore", { character: "[a-zA-Z0-9]", length_max: 20 }, /^[a-zA-Z0-9]{1,20}$/],
    ["digits only", { character: "[0-9]", length_max: 40 }, /^[0-9]{1,40}$/],
    ["shorter than a fingerprint", { character: "[a-z]", length_max: 8 }, /^[a-z]{1,8}$/],
  ])("fit any pattern: %s", (_name, tool_call_id, pattern) => {
    const history = [said(beta, call("Äa.1"), call("Äa.2")), answered("Äa.1", "Äa.2")];
    const ids = idsOf(history, { ...toAlpha, tool_call_id });
    for (const id of ids) expect(id).toMatch(pattern);
    expect(new Set(ids).size).toBe(2);
  });

  test("that can never fit do not run forever", () => {
    const impossible = { ...toAlpha, tool_call_id: { character: "[+]", length_max: 4 } };
    expect(unansweredToolCalls(project([said(beta, call("a")), answered("a")], impossible).messages)).toEqual([]);
  });
});

describe("B13 calls and results", () => {
  test("a call without a result gets one that says so; its finished siblings keep theirs", () => {
    const history = [said(alpha, call("c1"), call("c2")), answered("c1"), user("go on")];
    const { messages, losses } = project(history, toAlpha);
    expect(messages[1]).toEqual({
      role: "tool",
      content: [
        toolResult("c1", "result of c1"),
        toolResult("c2", "No result: the call was interrupted before it finished.", true),
      ],
    });
    expect(losses).toEqual([
      {
        code: "synthetic_tool_result",
        message: "look (c2) had no result; an error result was put in its place",
        message_index: 0,
        block_index: 1,
      },
    ]);
  });

  test("a result nobody asked for is left out", () => {
    const history = [user("q"), answered("c9"), said(alpha, text("a"))];
    expect(project(history, toAlpha).messages).toEqual([user("q"), said(alpha, text("a"))]);
    expect(codes(history, toAlpha)).toEqual(["orphan_tool_result"]);
  });

  test("a result stands right after its call, wherever it came", () => {
    const history = [said(alpha, call("c1")), user("hurry"), answered("c1")];
    expect(project(history, toAlpha).messages.map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
    const twice = [said(alpha, call("c1")), answered("c1"), answered("c1")];
    expect(codes(twice, toAlpha)).toEqual(["orphan_tool_result"]);
  });

  test("half a call of an interrupted turn is left out, a whole one with broken arguments is answered", () => {
    const half = call("c1", { invalid: true, arguments_text: '{"pa' });
    const interrupted: Message = { ...said(alpha, text("let me"), half), incomplete: true };
    expect(project([interrupted], toAlpha).messages).toEqual([{ ...said(alpha, text("let me")), incomplete: true }]);
    expect(codes([interrupted], toAlpha)).toEqual(["half_tool_call"]);
    const { messages } = project([said(alpha, half)], toAlpha);
    expect(JSON.stringify(messages[1])).toContain("not a complete JSON object");
  });
});

describe("what a target cannot take", () => {
  test("images become words", () => {
    const image = { type: "image", media_type: "image/png", data: "iVBORw0KGgo=" } as const;
    const history: Message[] = [
      { role: "user", content: [image] },
      said(alpha, call("c1")),
      { role: "tool", content: [{ type: "tool_result", tool_call_id: "c1", content: [image], is_error: false }] },
    ];
    expect(project(history, toAlpha)).toEqual({ messages: history, losses: [] });
    const blind = project(history, { ...toAlpha, images: false });
    expect(JSON.stringify(blind.messages)).not.toContain("iVBOR");
    expect(blind.losses.map(({ code }) => code)).toEqual(["unsupported_block", "unsupported_block"]);
  });

  test("what a person says carries nothing of a provider", () => {
    const opaque = { provider: "alpha", model: "a-1", data: { id: "x" } };
    const history: Message[] = [{ role: "user", content: [{ type: "text", text: "q", opaque }] }];
    expect(project(history, toAlpha).messages).toEqual([user("q")]);
  });

  test("text after calls is moved before them where it must be, except in its maker's own turns", () => {
    const rules = { ...toAlpha, tool_calls_last: true };
    const history = (origin: Origin): Message[] => [said(origin, call("c1"), text("done")), answered("c1")];
    expect(project(history(beta), rules).messages[0]?.content).toEqual([text("done"), call("c1")]);
    expect(project(history(alpha), rules).messages[0]?.content).toEqual([call("c1"), text("done")]);
  });

  test("half characters are mended, except in what goes back to its maker", () => {
    const broken = "half \ud83d";
    const args = { [broken]: [broken, 1, null, { deep: broken }] };
    const turn = (origin: Origin): Message[] => [
      user(broken),
      said(origin, text(broken), call("c1", { arguments: args, arguments_text: broken })),
      answered("c1"),
    ];
    const foreign = JSON.stringify(project(turn(beta), toAlpha).messages);
    expect(foreign).not.toContain("\\ud83d");
    expect(project(turn(alpha), toAlpha).messages[1]?.content[1]).toEqual(
      call("c1", { arguments: args, arguments_text: broken }),
    );
  });
});

describe("any conversation", () => {
  const makers = [alpha, { ...alpha, model: "a-1-20260101" }, alphaTwo, beta];
  const rules = fc.record({
    provider: fc.constant("alpha"),
    models: fc.constant(["a-1", "a-1-20260101"]),
    tool_call_id: fc.constantFrom<ProjectionRules["tool_call_id"]>(
      { character: "[A-Za-z0-9_-]", length_max: 64 },
      { character: "[A-Za-z0-9_-]", length_max: 40 },
      { character: "[a-zA-Z0-9]", length_max: 9, length_exact: 9 },
      { character: "[!-~]", length_max: 256 },
    ),
    thinking_needs_opaque: fc.boolean(),
    tool_calls_last: fc.boolean(),
    images: fc.boolean(),
    foreign_thinking: fc.constantFrom("omit", "text"),
  });
  const check = (property: (history: readonly Message[], given: ProjectionRules) => void): void => {
    fc.assert(fc.property(histories(makers), rules, property), { numRuns: 500 });
  };

  test("B13 calls and results pair up, and no message is empty", () => {
    check((history, given) => {
      const { messages } = project(history, given);
      expect(unansweredToolCalls(messages)).toEqual([]);
      expect(messages.filter(({ content }) => content.length === 0)).toEqual([]);
      // A message of results stands only after the turn that asked.
      messages.forEach(({ role }, index) => {
        if (role === "tool") expect(messages[index - 1]?.role).toBe("assistant");
      });
    });
  });

  test("B08 every id fits, and two different ids never become one", () => {
    check((history, given) => {
      const { character, length_max, length_exact } = given.tool_call_id;
      const legal = new RegExp(`^(?:${character}){1,${length_max}}$`, "u");
      const holders = new Map<string, string>();
      for (const { original, sent } of renamings(history, project(history, given).messages)) {
        expect(sent).toMatch(legal);
        if (length_exact !== undefined) expect(sent).toHaveLength(length_exact);
        expect(holders.get(sent) ?? original).toBe(original);
        holders.set(sent, original);
      }
    });
  });

  test("B03 nothing a foreign model has marked is left", () => {
    check((history, given) => {
      const seen = JSON.stringify(project(history, given).messages);
      for (const maker of [alphaTwo, beta]) {
        expect(seen).not.toContain(secretOf(maker, "").slice(0, -1));
      }
    });
  });

  test("B04 what its maker has marked is there, unchanged and in order", () => {
    check((history, given) => {
      const marked = (messages: readonly Message[]): readonly AssistantBlock[] =>
        messages.flatMap((message) =>
          message.role !== "assistant"
            ? []
            : message.content.filter(
                (block) =>
                  "opaque" in block &&
                  block.opaque?.provider === "alpha" &&
                  given.models.includes(block.opaque.model) &&
                  block.type !== "tool_call",
              ),
        );
      expect(marked(project(history, given).messages)).toEqual(marked(history));
    });
  });

  test("B12 what is missing is listed", () => {
    check((history, given) => {
      const { messages, losses } = project(history, given);
      const seen = JSON.stringify(messages);
      history.forEach((message, message_index) => {
        const marks = JSON.stringify(message).match(/\[(?:user|text|thinking|result) [^\]]+\]/g) ?? [];
        const missing = marks.filter((mark) => !seen.includes(mark));
        if (missing.length > 0) expect(losses.some((loss) => loss.message_index === message_index)).toBe(true);
      });
    });
  });

  test("B17 what was given once is given again, whatever follows", () => {
    check((history, given) => {
      const cut = history.findLastIndex(({ role }) => role === "user");
      if (cut <= 0) return;
      const before = project(history.slice(0, cut), given).messages;
      expect(project(history, given).messages.slice(0, before.length)).toEqual(before);
    });
  });

  test("a projection projected is itself", () => {
    check((history, given) => {
      const once = project(history, { ...given, tool_calls_last: false }).messages;
      expect(project(once, { ...given, tool_calls_last: false }).messages).toEqual(once);
    });
  });
});

/** Which call is sent under which id: calls keep their order, so they can be told apart even without their ids. */
function renamings(
  history: readonly Message[],
  sent: readonly Message[],
): readonly { readonly original: string; readonly sent: string }[] {
  const callsOf = (messages: readonly Message[]): readonly ToolCallBlock[] =>
    messages.flatMap((message) => message.content.flatMap((block) => (block.type === "tool_call" ? [block] : [])));
  const key = ({ arguments: args, arguments_text }: ToolCallBlock): string =>
    typeof args["mark"] === "string" ? args["mark"] : (arguments_text ?? "").replace(/^.*"/, "");
  const originals = new Map(callsOf(history).map((block) => [key(block), block.id]));
  return callsOf(sent).map((block) => ({ original: originals.get(key(block)) ?? "?", sent: block.id }));
}
