import { describe, expect, test } from "vitest";
import { user, type AssistantMessage, type Message, type Request } from "../../../src/core/index.ts";
import { bodyOf, decodeFrames, encode, framesOf, model, result } from "./support.ts";

const info = model("bound");
const tools = [{ name: "look", parameters: { type: "object" } }];
const thought = { type: "thinking", thinking: "hm", signature: "sig" };

/** The model's answer to these messages, decoded with the fingerprint of the request that asked for it. */
function answerTo(request: Omit<Request, "model">, signature: string, call?: string): AssistantMessage {
  const { prefix_hash } = encode(info, request);
  const blocks = [
    { ...thought, signature },
    call === undefined
      ? { type: "text", text: `said ${signature}` }
      : { type: "tool_use", id: call, name: "look", input: {} },
  ];
  const { message } = decodeFrames(framesOf(blocks), {
    model: info.id,
    ...(prefix_hash === undefined ? {} : { prefix_hash }),
  });
  return { ...message, origin: { provider: "anthropic", api: "messages", model: info.id } };
}

/** Three answers, one of them with a call, each to what really stood before it. */
function conversation(rest: Omit<Request, "model" | "messages">): readonly Message[] {
  const messages: Message[] = [user("one")];
  messages.push(answerTo({ ...rest, messages }, "s1", "a"), result("a"));
  messages.push(answerTo({ ...rest, messages }, "s2"), user("two"));
  messages.push(answerTo({ ...rest, messages }, "s3"), user("three"));
  return messages;
}

const signaturesIn = (body: unknown): readonly string[] =>
  [...JSON.stringify(body).matchAll(/"signature":"([^"]+)"/g)].map((found) => found[1] ?? "");

describe("thinking that is bound to its prefix", () => {
  test("goes back while nothing before it changes", () => {
    const messages = conversation({ tools });
    const sent = encode(info, { messages, tools });
    expect(signaturesIn(sent.body)).toEqual(["s1", "s2", "s3"]);
    expect(sent.losses).toBeUndefined();
  });

  test("cache markers, level and forced choice are no part of the prefix", () => {
    const messages = conversation({ tools });
    for (const rest of [{ cache: "off" }, { cache: "long" }, { thinking: { level: "high" } }] as const) {
      expect(signaturesIn(bodyOf(info, { messages, tools, ...rest }))).toEqual(["s1", "s2", "s3"]);
    }
  });

  test("an edit leaves out what came after it, and says so", () => {
    const messages = conversation({ tools });
    const edited = messages.map((message, index) => (index === 4 ? user("other") : message));
    const sent = encode(info, { messages: edited, tools });
    expect(signaturesIn(sent.body)).toEqual(["s1", "s2"]);
    expect(sent.losses).toEqual([
      { code: "broken_prefix", message: expect.any(String), message_index: 5, block_index: 0 },
    ]);
    expect(JSON.stringify(sent.body)).toContain("said s3");
  });

  test("other tools or another system prompt leave out all of it", () => {
    const messages = conversation({ tools });
    expect(signaturesIn(bodyOf(info, { messages, tools, system: [{ type: "text", text: "new" }] }))).toEqual([]);
    const other = [...tools, { name: "more", parameters: { type: "object" } }];
    expect(encode(info, { messages, tools: other }).losses?.map(({ code }) => code)).toEqual([
      "broken_prefix",
      "broken_prefix",
      "broken_prefix",
    ]);
  });

  test("what is answered after an edit is bound to the edited prefix", () => {
    const edited = conversation({ tools }).map((message, index) => (index === 0 ? user("other") : message));
    const messages = [...edited, answerTo({ messages: edited, tools }, "s4"), user("four")];
    expect(signaturesIn(bodyOf(info, { messages, tools }))).toEqual(["s4"]);
  });

  test("without a stored fingerprint it is kept; models that do not bind have none", () => {
    const { message } = decodeFrames(framesOf([thought, { type: "text", text: "x" }]), { model: info.id });
    expect(signaturesIn(bodyOf(info, { messages: [user("other"), message, user("go")] }))).toEqual(["sig"]);
    expect(encode(model("adaptive"), { messages: [user("hi")] })).not.toHaveProperty("prefix_hash");
  });
});
