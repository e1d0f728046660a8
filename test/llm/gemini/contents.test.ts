import { describe, expect, test } from "vitest";
import { user, type ImageBlock, type Message, type ToolMessage } from "../../../src/core/index.ts";
import { gemini } from "../../../src/llm/protocols/gemini/index.ts";
import {
  assistant,
  call,
  contentsOf,
  encode,
  flash25,
  flash3,
  partsOf,
  pro3,
  sealed,
  targetFor,
  toolMessage,
} from "./support.ts";

const placeholder = "skip_thought_signature_validator";
const signature = "c2lnbmF0dXJl";
const image: ImageBlock = { type: "image", media_type: "image/png", data: "iVBORw==" };

describe("roles and parts", () => {
  test("only user and model; images by bytes or by address; empty text is skipped", () => {
    const messages: Message[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "text", text: "" },
          image,
          { type: "image", url: "https://x.test/a.jpg", media_type: "image/jpeg" },
          { type: "image", url: "https://x.test/b" },
        ],
      },
      assistant(flash3, { type: "text", text: "" }, { type: "text", text: "nice" }),
      user("thanks"),
    ];
    expect(contentsOf(encode(flash3, { messages }))).toEqual([
      {
        role: "user",
        parts: [
          { text: "look" },
          { inlineData: { mimeType: "image/png", data: "iVBORw==" } },
          { fileData: { mimeType: "image/jpeg", fileUri: "https://x.test/a.jpg" } },
          { fileData: { fileUri: "https://x.test/b" } },
        ],
      },
      { role: "model", parts: [{ text: "nice" }] },
      { role: "user", parts: [{ text: "thanks" }] },
    ]);
  });

  test("neighbours of one role become one content, tool results stay by themselves", () => {
    const messages = [
      user("a"),
      user("b"),
      assistant(flash3, { type: "text", text: "c" }),
      assistant(flash3, call("1")),
      toolMessage("1"),
      user("d"),
      user("e"),
    ];
    const contents = contentsOf(encode(flash3, { messages }));
    expect(contents.map(({ role, parts }) => [role, parts.map((part) => Object.keys(part)[0])])).toEqual([
      ["user", ["text", "text"]],
      ["model", ["text", "functionCall"]],
      ["user", ["functionResponse"]],
      ["user", ["text", "text"]],
    ]);
  });

  test("B06 a turn that is all thought disappears, and what follows is still legal", () => {
    const messages = [user("a"), assistant(flash3, { type: "thinking", text: "hm" }), user("b")];
    const encoded = encode(flash3, { messages });
    expect(contentsOf(encoded)).toEqual([{ role: "user", parts: [{ text: "a" }, { text: "b" }] }]);
    // Thoughts that were never meant to come back are not reported as lost, turn after turn.
    expect(encoded.losses).toEqual([]);
  });
});

describe("tool results", () => {
  test("all results of a turn in one user content, in the order of the calls, always objects", () => {
    const results: ToolMessage = {
      role: "tool",
      content: [
        { type: "tool_result", tool_call_id: "b", content: [{ type: "text", text: "no" }], is_error: true },
        {
          type: "tool_result",
          tool_call_id: "a",
          content: [
            { type: "text", text: `{"json":1}` },
            { type: "text", text: "more" },
          ],
          is_error: false,
        },
        { type: "tool_result", tool_call_id: "c", content: [], is_error: false },
      ],
    };
    const messages = [user("go"), assistant(flash3, call("a", "fa"), call("b", "fb"), call("c", "fc")), results];
    expect(contentsOf(encode(flash3, { messages }))[2]).toEqual({
      role: "user",
      parts: [
        { functionResponse: { id: "a", name: "fa", response: { output: `{"json":1}\nmore` } } },
        { functionResponse: { id: "b", name: "fb", response: { error: "no" } } },
        { functionResponse: { id: "c", name: "fc", response: { output: "" } } },
      ],
    });
  });

  test("ids are sent to models that know them and left out elsewhere", () => {
    const messages = [user("go"), assistant("claude-x", call("a"), call("b")), toolMessage("a", "b")];
    const newer = partsOf(encode(flash3, { messages }));
    expect(newer[1]).toMatchObject({ functionCall: { id: "a", name: "f", args: { x: 1 } } });
    expect(newer[3]).toMatchObject({ functionResponse: { id: "a" } });
    expect(JSON.stringify(encode(flash25, { messages }).body)).not.toContain(`"id"`);
    const unknown = { ...flash3, id: "gemini-9", traits: {} };
    expect(partsOf(encode(unknown, { messages }))[1]).toMatchObject({ functionCall: { id: "a" } });
  });

  test("a call whose maker gave it no id goes back without one", () => {
    const opaque = sealed(flash3, { thoughtSignature: signature, id_missing: true });
    const messages = [user("go"), assistant(flash3, call("made", "f", opaque)), toolMessage("made")];
    const parts = partsOf(encode(flash3, { messages }));
    expect(parts[1]).toEqual({ functionCall: { name: "f", args: { x: 1 } }, thoughtSignature: signature });
    expect(parts[2]).toEqual({ functionResponse: { name: "f", response: { output: "result of made" } } });
  });

  test("images stand inside the result on newer models, after it on older ones", () => {
    const results: ToolMessage = {
      role: "tool",
      content: [{ type: "tool_result", tool_call_id: "a", content: [image], is_error: false }],
    };
    const messages = [user("go"), assistant("claude-x", call("a")), results, user("so?")];
    const blob = { inlineData: { mimeType: "image/png", data: "iVBORw==" } };
    expect(contentsOf(encode(flash3, { messages })).slice(2)).toEqual([
      {
        role: "user",
        parts: [{ functionResponse: { id: "a", name: "f", response: { output: "See the image." }, parts: [blob] } }],
      },
      { role: "user", parts: [{ text: "so?" }] },
    ]);
    expect(contentsOf(encode(flash25, { messages })).slice(2)).toEqual([
      { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "See the image." } } }] },
      { role: "user", parts: [{ text: "Returned by f:" }, blob, { text: "so?" }] },
    ]);
  });

  test("B08 ids of another provider are rewritten in pairs, names it allowed are made legal", () => {
    const messages = [user("go"), assistant("claude-x", call("a|b:c", "mcp/tool x")), toolMessage("a|b:c")];
    const [, asked, answered] = partsOf(encode(flash3, { messages }));
    const { id, name } = (asked?.["functionCall"] ?? {}) as { id?: string; name?: string };
    expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(name).toBe("mcp_tool_x");
    expect(answered).toMatchObject({ functionResponse: { id, name } });
  });
});

describe("signatures", () => {
  test("B01 calls of another provider: the first of each model turn carries the placeholder, with one note", () => {
    const messages = [
      user("go"),
      assistant("claude-x", { type: "text", text: "let me see" }, call("a"), call("b")),
      toolMessage("a", "b"),
      assistant("claude-x", call("c")),
      toolMessage("c"),
      assistant("claude-x", { type: "text", text: "done" }),
      user("again"),
      assistant("claude-x", call("d")),
      toolMessage("d"),
    ];
    const encoded = encode(flash3, { messages });
    const signatures = partsOf(encoded)
      .filter((part) => part["functionCall"] !== undefined)
      .map((part) => part["thoughtSignature"]);
    expect(signatures).toEqual([placeholder, undefined, placeholder, placeholder]);
    expect(encoded.notes.map(({ code }) => code)).toEqual(["signature_placeholder"]);
  });

  test("B01 a turn this model signed keeps its own signature", () => {
    const opaque = sealed(flash3, { thoughtSignature: signature });
    const messages = [user("go"), assistant(flash3, call("a", "f", opaque), call("b")), toolMessage("a", "b")];
    const encoded = encode(flash3, { messages });
    expect(partsOf(encoded)[1]).toEqual({
      functionCall: { id: "a", name: "f", args: { x: 1 } },
      thoughtSignature: signature,
    });
    expect(partsOf(encoded)[2]).toEqual({ functionCall: { id: "b", name: "f", args: { x: 1 } } });
    expect(encoded.notes).toEqual([]);
  });

  test("B02 signatures of another Gemini model are dropped and the placeholder takes their place", () => {
    const opaque = sealed(pro3, { thoughtSignature: signature });
    const messages = [
      user("go"),
      assistant(pro3, { type: "thinking", text: "hm", opaque }, call("a", "f", opaque), call("b")),
      toolMessage("a", "b"),
    ];
    const encoded = encode(flash3, { messages });
    expect(JSON.stringify(encoded.body)).not.toContain(signature);
    expect(partsOf(encoded)[1]).toMatchObject({ thoughtSignature: placeholder });
    expect(partsOf(encoded)[2]).not.toHaveProperty("thoughtSignature");
    expect(encoded.losses.map(({ code }) => code)).toEqual(["foreign_thinking", "foreign_data"]);
    const older = encode(flash25, { messages });
    expect(JSON.stringify(older.body)).not.toContain("thoughtSignature");
    expect(older.notes).toEqual([]);
  });

  test("B02 another name of the same model is the same model", () => {
    const opaque = { ...sealed(flash3, { thoughtSignature: signature }), model: "gemini-3.5-flash-001" };
    const message = assistant("gemini-3.5-flash-001", call("a", "f", opaque));
    const encoded = encode(flash3, { messages: [user("go"), message, toolMessage("a")] });
    expect(partsOf(encoded)[1]).toMatchObject({ thoughtSignature: signature });
  });

  test("B03 what another maker sealed never leaves, even without a projection", () => {
    const foreign = {
      provider: "anthropic",
      model: "claude-x",
      data: { signature: "theirs", thoughtSignature: signature },
    };
    const messages = [
      user("go"),
      assistant(
        "claude-x",
        { type: "thinking", text: "secret", opaque: foreign },
        { type: "provider", opaque: foreign },
        { type: "text", text: "hi", opaque: foreign },
        call("a", "f", foreign),
      ),
      toolMessage("a"),
    ];
    const { body } = gemini.encode({ messages, model: flash3.id }, targetFor(flash3));
    const text = JSON.stringify(body);
    expect(text).not.toContain("theirs");
    expect(text).not.toContain(signature);
    expect(text).not.toContain("secret");
  });

  test("older models need no placeholder", () => {
    const messages = [user("go"), assistant("claude-x", call("a")), toolMessage("a")];
    const { body, notes } = encode(flash25, { messages });
    expect(JSON.stringify(body)).not.toContain("thoughtSignature");
    expect(notes).toEqual([]);
  });

  test.each(["not base64!", "abc", "ab=cd===", "", "line\nbreak"])("a malformed signature %o is dropped", (broken) => {
    const opaque = sealed(flash3, { thoughtSignature: broken });
    const messages = [
      user("go"),
      assistant(
        flash3,
        { type: "text", text: "", opaque },
        { type: "text", text: "so", opaque },
        call("a", "f", opaque),
      ),
      toolMessage("a"),
    ];
    expect(partsOf(encode(flash3, { messages })).slice(1, 3)).toEqual([
      { text: "so" },
      { functionCall: { id: "a", name: "f", args: { x: 1 } }, thoughtSignature: placeholder },
    ]);
  });

  test("every signed part goes back unchanged, by itself and in its place", () => {
    const data = { thoughtSignature: signature };
    const code = { executableCode: { language: "PYTHON", code: "1", id: "x" }, thoughtSignature: signature };
    const result = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1", id: "x" } };
    const messages = [
      user("go"),
      assistant(
        flash3,
        { type: "thinking", text: "unsigned" },
        { type: "thinking", text: "signed", opaque: sealed(flash3, data) },
        { type: "text", text: "one" },
        { type: "text", text: "two", opaque: sealed(flash3, data) },
        { type: "provider", opaque: sealed(flash3, code) },
        { type: "provider", opaque: sealed(flash3, result) },
        { type: "text", text: "lone \ud800 half", opaque: sealed(flash3, data) },
        { type: "text", text: "", opaque: sealed(flash3, data) },
      ),
      user("on"),
    ];
    expect(contentsOf(encode(flash3, { messages }))[1]?.parts).toEqual([
      { text: "signed", thought: true, ...data },
      { text: "one" },
      { text: "two", ...data },
      code,
      result,
      { text: "lone \ud800 half", ...data },
      { text: "", ...data },
    ]);
  });
});

describe("B17 a longer conversation begins with the bytes of the shorter one", () => {
  const own = sealed(flash3, { thoughtSignature: signature });
  const histories: { readonly [name: string]: readonly Message[] } = {
    "text, calls, results, text": [
      user("a"),
      assistant(flash3, { type: "text", text: "b", opaque: own }, call("1", "f", own), call("2")),
      toolMessage("1", "2"),
      assistant(flash3, { type: "text", text: "c" }, { type: "text", text: "", opaque: own }),
      user("d"),
      assistant("claude-x", call("3")),
      toolMessage("3"),
      user("e"),
      user("f"),
    ],
    "an answer that was all thought": [user("a"), assistant(flash3, { type: "thinking", text: "hm" }), user("b")],
    "images in results": [
      user("a"),
      assistant(flash3, call("1", "f", own)),
      {
        role: "tool",
        content: [{ type: "tool_result", tool_call_id: "1", content: [image], is_error: false }],
      },
      user("b"),
      assistant(flash3, { type: "text", text: "c" }),
    ],
  };

  test.each(Object.keys(histories))("%s", (name) => {
    const messages = histories[name] ?? [];
    const head = { system: [{ type: "text", text: "be kind" }], temperature: 1 } as const;
    for (const model of [flash3, flash25]) {
      let before = "";
      for (let length = 1; length <= messages.length; length++) {
        if (messages[length - 1]?.role === "assistant" && messages[length]?.role === "tool") continue;
        const text = JSON.stringify(encode(model, { ...head, messages: messages.slice(0, length) }).body);
        expect(text.startsWith(before)).toBe(true);
        before = text.replace(/[\]}]+$/, "");
      }
    }
  });
});
