import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { user, type AssistantMessage, type JsonObject, type Message } from "../../../src/core/index.ts";
import { answerTo, decodeBody, encode, encodeProjected, finalResponse, inputOf, thinkingModel } from "./helpers.ts";

const reasoning = (id: string, fields: JsonObject = {}): JsonObject => ({
  id,
  type: "reasoning",
  summary: [],
  encrypted_content: `sealed ${id}`,
  ...fields,
});
const message = (id: string, fields: JsonObject = {}): JsonObject => ({
  id,
  type: "message",
  status: "completed",
  content: [{ type: "output_text", annotations: [], text: `text of ${id}` }],
  role: "assistant",
  ...fields,
});
const functionCall = (id: string, fields: JsonObject = {}): JsonObject => ({
  id,
  type: "function_call",
  status: "completed",
  arguments: '{ "a": 1 }',
  call_id: `call_${id}`,
  name: "read",
  ...fields,
});
const search = (id: string): JsonObject => ({
  id,
  type: "web_search_call",
  status: "completed",
  action: { type: "search", query: "q", sources: [{ url: "https://a.test" }] },
});

/** The turn that this output is read into. */
function turnOf(output: readonly JsonObject[], model = "gpt-6-sol"): AssistantMessage {
  return decodeBody(finalResponse({ output }), { model }).message;
}

/** What goes back of a turn: the items between the first user message and the results. */
function replayed(output: readonly JsonObject[], quirks = {}): readonly JsonObject[] {
  const turn = turnOf(output);
  const answers = answerTo(turn);
  const history: readonly Message[] = [
    user("first"),
    turn,
    ...(answers.content.length > 0 ? [answers] : []),
    user("last"),
  ];
  return itemsBetween(inputOf(encodeProjected(history, { quirks })));
}

function itemsBetween(input: readonly JsonObject[]): readonly JsonObject[] {
  return input.filter(({ type, role }) => role !== "user" && !String(type).endsWith("_call_output"));
}

describe("B09 a turn goes back as the items it was made of", () => {
  test("in their order, with everything they carried", () => {
    const output = [
      reasoning("rs_1", { summary: [{ type: "summary_text", text: "Hm." }], status: "completed" }),
      message("msg_1", { phase: "commentary" }),
      search("ws_1"),
      reasoning("rs_2", { content: [], format: "v1" }),
      reasoning("rs_3"),
      functionCall("fc_1", { namespace: "files", caller: { type: "direct" } }),
      functionCall("fc_2", { arguments: "" }),
      message("msg_2", {
        phase: "final_answer",
        content: [
          { type: "output_text", text: "A", annotations: [{ type: "file_citation", file_id: "f" }] },
          { type: "refusal", refusal: "B" },
        ],
      }),
    ];
    expect(replayed(output)).toEqual(
      output.map((item) => (item["id"] === "fc_2" ? { ...item, arguments: "{}" } : item)),
    );
  });

  test("custom calls and their results in their own words", () => {
    const call = {
      id: "ctc_1",
      type: "custom_tool_call",
      call_id: "c1",
      name: "sh",
      input: 'echo "x"',
      status: "completed",
    };
    const turn = turnOf([reasoning("rs_1"), call]);
    expect(inputOf(encodeProjected([user("x"), turn, answerTo(turn, "y")])).slice(1)).toEqual([
      reasoning("rs_1"),
      call,
      { type: "custom_tool_call_output", call_id: "c1", output: "y" },
    ]);
  });

  test("a reasoning item that nothing follows is left out, and named as a loss", () => {
    expect(replayed([reasoning("rs_1")])).toEqual([]);
    expect(replayed([reasoning("rs_1"), message("msg_1"), reasoning("rs_2"), reasoning("rs_3")])).toEqual([
      reasoning("rs_1"),
      message("msg_1"),
    ]);
    const call = encodeProjected([user("a"), turnOf([reasoning("rs_1")]), user("b")]);
    expect(call.losses).toMatchObject([{ code: "unsupported_block", message_index: 1 }]);
  });

  test("summary is always there", () => {
    expect(replayed([reasoning("rs_1", { summary: undefined }), message("msg_1")])[0]).toMatchObject({ summary: [] });
  });

  test("without its encrypted content reasoning stays away, and with it the ids that depended on it", () => {
    const output = [
      reasoning("rs_1", { encrypted_content: null }),
      message("msg_1"),
      functionCall("fc_1"),
      reasoning("rs_2"),
      functionCall("fc_2"),
    ];
    const { id: _message, ...bareMessage } = message("msg_1");
    const { id: _call, ...bareCall } = functionCall("fc_1");
    expect(replayed(output)).toEqual([bareMessage, bareCall, reasoning("rs_2"), functionCall("fc_2")]);
  });

  test("items of the API's own tools, which need an id, stay away with their reasoning", () => {
    const { id: _id, ...bare } = message("msg_1");
    expect(replayed([reasoning("rs_1", { encrypted_content: "" }), search("ws_1"), message("msg_1")])).toEqual([bare]);
  });

  test("calls that the API left to its client go back only with their result", () => {
    const shell = { id: "sh_1", type: "shell_call", call_id: "c1", action: { commands: ["ls"] }, status: "completed" };
    const result = { id: "sho_1", type: "shell_call_output", call_id: "c1", output: [] };
    const hosted = [reasoning("rs_1"), shell, result, message("msg_1")];
    expect(inputOf(encodeProjected([user("a"), turnOf(hosted), user("b")])).slice(1, -1)).toEqual(hosted);
    const { id: _id, ...bare } = message("msg_1");
    expect(replayed([reasoning("rs_1"), shell, message("msg_1")])).toEqual([bare]);
    const toolSearch = { id: "ts_1", type: "tool_search_call", call_id: null, execution: "server", arguments: {} };
    expect(replayed([toolSearch, message("msg_1")])).toEqual([toolSearch, message("msg_1")]);
  });

  test("each id stands once, however often a turn is repeated", () => {
    const turn = turnOf([reasoning("rs_1"), functionCall("fc_1")]);
    const results = answerTo(turn);
    const input = inputOf(encodeProjected([user("a"), turn, results, turn, results, user("b")]));
    const ids = input.flatMap(({ id }) => (typeof id === "string" ? [id] : []));
    expect(ids).toEqual([...new Set(ids)]);
    expect(input.filter(({ encrypted_content }) => encrypted_content === "sealed rs_1")).toHaveLength(2);
  });

  test("ids that are too long for the API stay away, unless its row says otherwise", () => {
    const long = `ws_${"x".repeat(90)}`;
    expect(replayed([search(long), message("msg_1")])[0]).not.toHaveProperty("id");
    expect(replayed([search(long), message("msg_1")], { item_id_length_max: 256 })[0]).toEqual(search(long));
  });

  test("a turn with a missing item keeps its calls but not their ids", () => {
    const turn = turnOf([reasoning("rs_1"), search("ws_1"), functionCall("fc_1"), functionCall("fc_2")]);
    const without: AssistantMessage = { ...turn, content: turn.content.filter(({ type }) => type !== "provider") };
    const items = itemsBetween(inputOf(encodeProjected([user("a"), without, answerTo(turn)])));
    expect(items).toHaveLength(3);
    for (const item of items.slice(1)) expect(item).not.toHaveProperty("id");
  });

  test("blocks that arrived out of order are put in order", () => {
    const turn = turnOf([reasoning("rs_1"), message("msg_1"), functionCall("fc_1")]);
    const shuffled: AssistantMessage = { ...turn, content: turn.content.toReversed() };
    expect(itemsBetween(inputOf(encodeProjected([user("a"), shuffled, answerTo(turn)])))).toEqual([
      reasoning("rs_1"),
      message("msg_1"),
      functionCall("fc_1"),
    ]);
  });

  test("servers without encryption get the reasoning itself back, others may want no ids", () => {
    const plain = { id: "rs_1", type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] };
    expect(replayed([plain, message("msg_1")], { reasoning_replay: "any" })).toEqual([plain, message("msg_1")]);
    const none = replayed([reasoning("rs_1"), message("msg_1")], { reasoning_replay: "none" });
    expect(none).toMatchObject([{ type: "message" }]);
    const history = [user("a"), turnOf([reasoning("rs_1"), message("msg_1")]), user("b")];
    expect(encodeProjected(history, { quirks: { reasoning_replay: "none" } }).losses ?? []).toEqual([]);
    expect(replayed([reasoning("rs_1"), functionCall("fc_1")], { item_ids: false })).toEqual([
      { type: "reasoning", summary: [], encrypted_content: "sealed rs_1" },
      { type: "function_call", status: "completed", arguments: '{ "a": 1 }', call_id: "call_fc_1", name: "read" },
    ]);
  });
});

describe("what is not this model's own", () => {
  const turn = turnOf([reasoning("rs_1"), message("msg_1"), functionCall("fc_1")], "gpt-5.5");
  const plain = [
    { role: "assistant", content: "text of msg_1" },
    { type: "function_call", call_id: "call_fc_1", name: "read", arguments: '{ "a": 1 }' },
  ];

  test("B03 goes without reasoning and without ids, projected or not", () => {
    const history = [user("a"), turn, answerTo(turn)];
    expect(itemsBetween(inputOf(encodeProjected(history)))).toEqual(plain);
    expect(itemsBetween(inputOf(encode({ messages: history })))).toEqual(plain);
    expect(JSON.stringify(encode({ messages: history }).body)).not.toContain("sealed");
  });

  test("unless it was made under another name of the same model", () => {
    const model = thinkingModel({ aliases: ["gpt-5.5"] });
    expect(itemsBetween(inputOf(encodeProjected([user("a"), turn, answerTo(turn)], { model })))).toHaveLength(3);
  });

  test("B04 there and back again, the items are the same bytes", () => {
    const own = turnOf([reasoning("rs_1"), functionCall("fc_1")]);
    const before = [user("a"), own, answerTo(own)];
    const foreign: AssistantMessage = {
      role: "assistant",
      origin: { provider: "other", api: "x", model: "y" },
      content: [
        { type: "thinking", text: "Hm.", opaque: { provider: "other", model: "y", data: { signature: "s" } } },
        { type: "text", text: "Well." },
      ],
    };
    const then = JSON.stringify(inputOf(encodeProjected(before)));
    const now = JSON.stringify(inputOf(encodeProjected([...before, foreign, user("b")])));
    expect(now.startsWith(then.slice(0, -1))).toBe(true);
    expect(now).not.toContain("signature");
  });

  test("opaque data of another API of the same model is not taken for items", () => {
    const data = { reasoning_content: "Hm.", tool_calls: [] };
    const chatTurn: AssistantMessage = {
      role: "assistant",
      origin: { provider: "openai", api: "chat", model: "gpt-6-sol" },
      content: [{ type: "text", text: "Hi", opaque: { provider: "openai", model: "gpt-6-sol", data } }],
    };
    expect(itemsBetween(inputOf(encodeProjected([user("a"), chatTurn, user("b")])))).toEqual([
      { role: "assistant", content: "Hi" },
    ]);
  });

  test("an interrupted turn gives its text, not its thoughts and half calls", () => {
    const cut: AssistantMessage = {
      role: "assistant",
      origin: { provider: "openai", api: "responses", model: "gpt-6-sol" },
      incomplete: true,
      content: [
        { type: "thinking", text: "Hm." },
        { type: "text", text: "I will" },
        { type: "tool_call", id: "call_1", name: "read", arguments: {}, arguments_text: '{"a', invalid: true },
      ],
    };
    expect(itemsBetween(inputOf(encodeProjected([user("a"), cut, user("b")])))).toEqual([
      { role: "assistant", content: "I will" },
    ]);
  });
});

describe("properties", () => {
  const anyText = fc.string({
    unit: fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("\ud83d", "\udc00", "\n", '"')),
  });
  const item = fc.oneof(
    fc.record({
      type: fc.constant("reasoning"),
      summary: fc.constant([]),
      encrypted_content: fc.base64String({ minLength: 4 }),
    }),
    fc.record({
      type: fc.constant("message"),
      role: fc.constant("assistant"),
      status: fc.constantFrom("completed", "incomplete"),
      phase: fc.constantFrom("commentary", "final_answer"),
      content: fc.array(
        fc.oneof(
          anyText.map((text) => ({ type: "output_text", text, annotations: [] })),
          anyText.map((refusal) => ({ type: "refusal", refusal })),
        ),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    fc.record({
      type: fc.constant("function_call"),
      status: fc.constant("completed"),
      call_id: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
      name: fc.stringMatching(/^[a-z_]{1,12}$/),
      arguments: fc.oneof(
        fc.dictionary(anyText, fc.oneof(anyText, fc.double(), fc.constant(null))).map((value) => JSON.stringify(value)),
        fc.constantFrom("{ }", '{"a" : 1}', "not json", "null", '{"a":1e400}'),
      ),
    }),
    fc.record({ type: fc.constant("web_search_call"), status: fc.constant("completed"), action: fc.object() }),
  );
  const outputs = fc
    .uniqueArray(item, { maxLength: 6, selector: (made) => ("call_id" in made ? made.call_id : made) })
    .map((made) =>
      made.map(
        (fields, index): JsonObject => JSON.parse(JSON.stringify({ id: `item_${index}`, ...fields })) as JsonObject,
      ),
    );

  test("B05 what a model made goes back to it as it was", () => {
    fc.assert(
      fc.property(outputs, (output) => {
        const last = output.findLastIndex(({ type }) => type !== "reasoning");
        expect(replayed(output)).toEqual(output.slice(0, last + 1));
      }),
    );
  });

  test("B17 whatever is appended, the body begins with the bytes of the turn before", () => {
    fc.assert(
      fc.property(fc.array(outputs, { maxLength: 4 }), (turns) => {
        const history: Message[] = [user("begin")];
        let earlier = "";
        for (const output of turns) {
          const turn = turnOf(output);
          const answers = answerTo(turn);
          history.push(turn, ...(answers.content.length > 0 ? [answers] : []), user("go on"));
          const text = JSON.stringify(encodeProjected(history).body);
          expect(text.startsWith(earlier)).toBe(true);
          earlier = text.slice(0, -"]}".length);
        }
      }),
    );
  });
});
