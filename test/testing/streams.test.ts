import { describe, expect, test } from "vitest";
import type { Answer, WireName } from "../../src/testing/index.ts";
import {
  chatTools,
  dataOf,
  field,
  framesOf,
  geminiTools,
  list,
  makeLab,
  messagesTools,
  responsesTools,
  type Lab,
} from "./lab.ts";

/** What a plain reader makes of an answer, the same for every wire. */
type Heard = {
  thinking: string;
  text: string;
  calls: { id: unknown; name: unknown; arguments: unknown }[];
  finish: unknown;
  tokens: { input: number; read: number; write: number; output: number; thinking: number; total: number | undefined };
};

type Wire = {
  readonly name: WireName;
  readonly send: (lab: Lab, stream: boolean) => Promise<Response>;
  readonly hear: (text: string) => Heard;
  readonly read: (body: unknown) => Heard;
  /** Chat never shows its thinking. */
  readonly shows: boolean;
  readonly calls: string;
};

const wires: readonly Wire[] = [
  {
    name: "messages",
    send: (lab, stream) =>
      lab.messages({ stream, tools: messagesTools, thinking: { type: "adaptive", display: "summarized" } }),
    hear: hearMessages,
    read: readMessages,
    shows: true,
    calls: "tool_use",
  },
  {
    name: "responses",
    send: (lab, stream) => lab.responses({ stream, tools: responsesTools, reasoning: { summary: "auto" } }),
    hear: hearResponses,
    read: readResponses,
    shows: true,
    calls: "completed",
  },
  {
    name: "chat",
    send: (lab, stream) =>
      lab.chat({
        stream,
        tools: chatTools,
        reasoning_effort: "low",
        ...(stream ? { stream_options: { include_usage: true } } : {}),
      }),
    hear: hearChat,
    read: readChat,
    shows: false,
    calls: "tool_calls",
  },
  {
    name: "gemini",
    send: (lab, stream) =>
      lab.gemini(
        { tools: geminiTools, generationConfig: { thinkingConfig: { includeThoughts: true } } },
        "gemini-4-argon",
        stream ? "streamGenerateContent?alt=sse" : "generateContent",
      ),
    hear: hearGemini,
    read: readGemini,
    shows: true,
    calls: "STOP",
  },
];

const answer: Answer = {
  thinking: "Two files. 🦊 First one, then the other.",
  text: "Grüße — I read both. 🧵",
  tool_calls: [
    { name: "read", arguments: { path: "/größe/🦊.txt", depth: 3, deep: { a: [1, null, "x"] } } },
    { name: "now" },
    { name: "read", arguments: { path: "b" } },
  ],
};

describe.each(wires)("$name", (wire) => {
  test("a stream says what the whole body says", async () => {
    const lab = makeLab();
    lab.script({ answer }, { answer });
    const streamed = await wire.send(lab, true);
    expect(streamed.headers.get("content-type")).toContain("text/event-stream");
    const heard = wire.hear(await streamed.text());
    const whole = await wire.send(makeScripted(answer), false);
    expect(whole.headers.get("content-type")).toContain("application/json");
    const read = wire.read(await whole.json());
    expect(heard.thinking).toBe(wire.shows ? answer.thinking : "");
    expect(heard.text).toBe(answer.text);
    expect(heard.calls.map(({ name, arguments: given }) => [name, given])).toEqual([
      ["read", answer.tool_calls?.[0]?.arguments],
      ["now", {}],
      ["read", { path: "b" }],
    ]);
    expect(new Set(heard.calls.map((call) => call.id)).size).toBe(3);
    expect(heard.finish).toBe(wire.calls);
    expect(read.thinking).toBe(heard.thinking);
    expect(read.text).toBe(heard.text);
    expect(read.finish).toBe(heard.finish);
    expect(read.calls.map((call) => [call.name, call.arguments])).toEqual(
      heard.calls.map((call) => [call.name, call.arguments]),
    );
    expect(read.tokens).toEqual(heard.tokens);
  });

  test("usage adds up", async () => {
    const heard = wire.hear(await (await wire.send(makeScripted(answer), true)).text());
    const { input, read, write, output, thinking, total } = heard.tokens;
    expect(Math.min(input, output, thinking)).toBeGreaterThan(0);
    if (total !== undefined) expect(total).toBe(input + read + write + output + thinking);
  });

  test("usage can be said", async () => {
    const usage = {
      input_tokens: 7,
      cache_read_tokens: 50,
      cache_write_tokens: 3,
      output_tokens: 11,
      thinking_tokens: 5,
    };
    const heard = wire.hear(await (await wire.send(makeScripted({ text: "x", usage }), true)).text());
    expect(heard.tokens.read).toBe(50);
    expect(heard.tokens.output).toBe(11);
    expect(heard.tokens.thinking).toBe(5);
    const { input, read, write, output, thinking } = heard.tokens;
    expect(input + read + write + output + thinking).toBe(76);
  });

  test("the pieces are the pieces that were asked for", async () => {
    const pieces = ["a", "bc", "d", "e\n\nf", "g"];
    const text = await (await wire.send(makeScripted({ text: pieces }), true)).text();
    expect(wire.hear(text).text).toBe(pieces.join(""));
    for (const piece of pieces) expect(text).toContain(JSON.stringify(piece));
  });

  test("an empty answer is legal", async () => {
    const heard = wire.hear(await (await wire.send(makeScripted({}), true)).text());
    expect(heard).toMatchObject({ text: "", calls: [], thinking: "" });
  });

  test("the same seed gives the same bytes, another seed other ones", async () => {
    const now = (): number => 1_794_000_000_000;
    const say = async (seed: number): Promise<string> => {
      const lab = makeLab({ seed, now });
      lab.script({ answer });
      return (await wire.send(lab, true)).text();
    };
    expect(await say(7)).toBe(await say(7));
    expect(await say(7)).not.toBe(await say(8));
  });
});

describe("limits", () => {
  test("messages: max_tokens cuts the text", async () => {
    const lab = makeLab();
    lab.script({ answer: { text: "word ".repeat(1_000) } });
    const body: unknown = await (await lab.messages({ max_tokens: 20 })).json();
    expect(field(body, "stop_reason")).toBe("max_tokens");
    expect(field(body, "usage", "output_tokens")).toBe(20);
  });

  test("responses: the limit inside a call leaves it incomplete", async () => {
    const lab = makeLab();
    lab.script({ answer: { tool_calls: [{ name: "read", arguments: { path: "x".repeat(400) } }] } });
    const body: unknown = await (await lab.responses({ tools: responsesTools, max_output_tokens: 16 })).json();
    expect(field(body, "status")).toBe("incomplete");
    expect(field(body, "incomplete_details", "reason")).toBe("max_output_tokens");
    expect(field(body, "output", 0, "status")).toBe("incomplete");
    expect(() => JSON.parse(String(field(body, "output", 0, "arguments")))).toThrow(SyntaxError);
  });

  test("gemini: thinking can use up everything", async () => {
    const lab = makeLab();
    lab.script({ answer: { thinking: "t".repeat(1_000), text: "never said" } });
    const body: unknown = await (await lab.gemini({ generationConfig: { maxOutputTokens: 10 } })).json();
    expect(field(body, "candidates", 0, "finishReason")).toBe("MAX_TOKENS");
    expect(field(body, "usageMetadata", "thoughtsTokenCount")).toBe(10);
    expect(field(body, "usageMetadata", "candidatesTokenCount")).toBeUndefined();
  });

  test("messages: a stop sequence stops", async () => {
    const lab = makeLab();
    lab.script({ answer: { text: "one two END three" } });
    const body: unknown = await (await lab.messages({ stop_sequences: ["END"] })).json();
    expect(field(body, "content", 0, "text")).toBe("one two ");
    expect(field(body, "stop_reason")).toBe("stop_sequence");
    expect(field(body, "stop_sequence")).toBe("END");
  });
});

describe("noise of the real thing", () => {
  test("messages pads frames and pings, unless told not to", async () => {
    const loud = await (await wires[0]?.send(makeScripted(answer), true))?.text();
    expect(loud).toMatch(/ }\n\n/);
    expect(loud).toContain("event: ping");
    const lab = makeLab({ noise: false });
    lab.script({ answer });
    const quiet = await (await wires[0]?.send(lab, true))?.text();
    expect(quiet).not.toMatch(/ }\n\n/);
    expect(quiet).not.toContain("ping");
  });

  test("responses: what is added is not yet what may be sent back", async () => {
    const text = await (await wires[1]?.send(makeScripted(answer), true))?.text();
    const events = dataOf(text ?? "");
    const of = (type: string): unknown =>
      events.find((event) => field(event, "type") === type && field(event, "item", "type") === "reasoning");
    const added = field(of("response.output_item.added"), "item", "encrypted_content");
    const done = field(of("response.output_item.done"), "item", "encrypted_content");
    expect(String(added)).toMatch(/^gAAAAA/);
    expect(added).not.toBe(done);
  });

  test("responses: text before a call is a commentary", async () => {
    const body: unknown = await (await wires[1]?.send(makeScripted(answer), false))?.json();
    const messages = list(field(body, "output")).filter((item) => field(item, "type") === "message");
    expect(messages.map((item) => field(item, "phase"))).toEqual(["commentary"]);
  });

  test("gemini: of parallel calls the first is signed, a text answer at its end", async () => {
    const body: unknown = await (await wires[3]?.send(makeScripted(answer), false))?.json();
    const calls = partsOf(body).filter((part) => field(part, "functionCall") !== undefined);
    expect(calls.map((part) => typeof field(part, "thoughtSignature"))).toEqual(["string", "undefined", "undefined"]);
    const streamed = await (await wires[3]?.send(makeScripted({ text: "Hello" }), true))?.text();
    const last = partsOf(dataOf(streamed ?? "").at(-1));
    expect(field(last[0], "text")).toBe("");
    expect(String(field(last[0], "thoughtSignature")).length % 4).toBe(0);
  });

  test("gemini without alt=sse is one array", async () => {
    const lab = makeLab();
    lab.script({ answer });
    const response = await lab.gemini({ tools: geminiTools }, "gemini-4-argon", "streamGenerateContent");
    expect(response.headers.get("content-type")).toContain("application/json");
    const body: unknown = await response.json();
    expect(list(body).length).toBeGreaterThan(2);
    expect(field(list(body).at(-1), "candidates", 0, "finishReason")).toBe("STOP");
  });

  test("gemini ends its lines with CR LF", async () => {
    const text = await (await wires[3]?.send(makeScripted(answer), true))?.text();
    expect(text).toMatch(/\r\n\r\n$/);
  });

  test("citations, refusals and blocked prompts", async () => {
    const cited: Answer = { text: "It is so.", citations: [{ url: "https://example.com/a", title: "A" }] };
    for (const wire of wires) {
      const text = await (await wire.send(makeScripted(cited), true)).text();
      expect(text, wire.name).toContain("https://example.com/a");
    }
    const no: Answer = { refusal: "I will not." };
    const body: unknown = await (await wires[1]?.send(makeScripted(no), false))?.json();
    expect(field(body, "output", 0, "content", 0)).toEqual({ type: "refusal", refusal: "I will not." });
    const blocked: unknown = await (await wires[3]?.send(makeScripted({ blocked: "SAFETY" }), false))?.json();
    expect(field(blocked, "promptFeedback", "blockReason")).toBe("SAFETY");
    expect(field(blocked, "candidates")).toBeUndefined();
  });
});

function makeScripted(said: Answer): Lab {
  const lab = makeLab();
  lab.script({ answer: said });
  return lab;
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function hearMessages(text: string): Heard {
  const frames = framesOf(text).map((frame) => ({ event: frame.event, data: JSON.parse(frame.data) }));
  for (const frame of frames) expect(frame.event).toBe(field(frame.data, "type"));
  const events: unknown[] = frames.map((frame) => frame.data).filter((event) => field(event, "type") !== "ping");
  expect(field(events[0], "type")).toBe("message_start");
  expect(field(events.at(-1), "type")).toBe("message_stop");
  const content: Record<string, unknown>[] = [];
  let open: number | undefined;
  for (const event of events) {
    const index = number(field(event, "index"));
    if (field(event, "type") === "content_block_start") {
      expect(open).toBeUndefined();
      expect(index).toBe(content.length);
      content.push({ ...Object(field(event, "content_block")), json: "" });
      open = index;
    } else if (field(event, "type") === "content_block_delta") {
      expect(open).toBe(index);
      addDelta(content[index] ?? {}, field(event, "delta"));
    } else if (field(event, "type") === "content_block_stop") {
      expect(open).toBe(index);
      open = undefined;
    }
  }
  for (const block of content)
    if (block["type"] === "tool_use") block["input"] = JSON.parse(String(block["json"]) || "{}");
  const end = events.find((event) => field(event, "type") === "message_delta");
  const usage = { ...Object(field(events[0], "message", "usage")), ...Object(field(end, "usage")) };
  return readMessages({ content, stop_reason: field(end, "delta", "stop_reason"), usage });
}

function addDelta(block: Record<string, unknown>, delta: unknown): void {
  const [key, piece] =
    field(delta, "type") === "text_delta"
      ? ["text", field(delta, "text")]
      : field(delta, "type") === "thinking_delta"
        ? ["thinking", field(delta, "thinking")]
        : field(delta, "type") === "signature_delta"
          ? ["signature", field(delta, "signature")]
          : ["json", field(delta, "partial_json") ?? ""];
  block[key] = `${String(block[key])}${String(piece)}`;
}

function readMessages(body: unknown): Heard {
  const blocks = list(field(body, "content"));
  const of = (type: string): unknown[] => blocks.filter((block) => field(block, "type") === type);
  for (const block of of("thinking")) expect(String(field(block, "signature"))).toMatch(/^E/);
  const usage = field(body, "usage");
  const thinking = number(field(usage, "output_tokens_details", "thinking_tokens"));
  return {
    thinking: of("thinking")
      .map((block) => field(block, "thinking"))
      .join(""),
    text: of("text")
      .map((block) => field(block, "text"))
      .join(""),
    calls: of("tool_use").map((block) => ({
      id: field(block, "id"),
      name: field(block, "name"),
      arguments: field(block, "input"),
    })),
    finish: field(body, "stop_reason"),
    tokens: {
      input: number(field(usage, "input_tokens")),
      read: number(field(usage, "cache_read_input_tokens")),
      write: number(field(usage, "cache_creation_input_tokens")),
      output: number(field(usage, "output_tokens")) - thinking,
      thinking,
      total: undefined,
    },
  };
}

function hearResponses(text: string): Heard {
  const frames = framesOf(text).map((frame) => ({ event: frame.event, data: JSON.parse(frame.data) }));
  for (const [index, frame] of frames.entries()) {
    expect(frame.event).toBe(field(frame.data, "type"));
    expect(field(frame.data, "sequence_number")).toBe(index);
  }
  const events: unknown[] = frames.map((frame) => frame.data);
  const items: unknown[] = [];
  const deltas = new Map<number, string>();
  for (const event of events) {
    const type = String(field(event, "type"));
    const index = number(field(event, "output_index"));
    if (type.endsWith(".delta")) deltas.set(index, (deltas.get(index) ?? "") + String(field(event, "delta")));
    if (type === "response.output_item.done") items[index] = field(event, "item");
  }
  for (const [index, item] of items.entries()) {
    const kind = field(item, "type");
    const wanted =
      kind === "reasoning"
        ? field(item, "summary", 0, "text")
        : kind === "message"
          ? field(item, "content", 0, "text")
          : field(item, "arguments");
    if (wanted !== undefined) expect(deltas.get(index) ?? "").toBe(wanted);
  }
  const last = events.at(-1);
  const response = field(last, "response");
  expect(field(last, "type")).toBe(`response.${String(field(response, "status"))}`);
  const final = list(field(response, "output"));
  expect(final.map((item) => field(item, "id"))).toEqual(items.map((item) => field(item, "id")));
  return readResponses({ ...Object(response), output: items });
}

function readResponses(body: unknown): Heard {
  const items = list(field(body, "output"));
  const of = (type: string): unknown[] => items.filter((item) => field(item, "type") === type);
  const usage = field(body, "usage");
  const read = number(field(usage, "input_tokens_details", "cached_tokens"));
  const write = number(field(usage, "input_tokens_details", "cache_write_tokens"));
  const thinking = number(field(usage, "output_tokens_details", "reasoning_tokens"));
  return {
    thinking: of("reasoning")
      .map((item) => field(item, "summary", 0, "text") ?? "")
      .join(""),
    text: of("message")
      .map((item) => field(item, "content", 0, "text"))
      .join(""),
    calls: of("function_call").map((item) => ({
      id: field(item, "call_id"),
      name: field(item, "name"),
      arguments: JSON.parse(String(field(item, "arguments"))),
    })),
    finish: field(body, "status"),
    tokens: {
      input: number(field(usage, "input_tokens")) - read - write,
      read,
      write,
      output: number(field(usage, "output_tokens")) - thinking,
      thinking,
      total: number(field(usage, "total_tokens")),
    },
  };
}

function hearChat(text: string): Heard {
  const frames = framesOf(text);
  expect(frames.at(-1)?.data).toBe("[DONE]");
  const message: { content: string; tool_calls: { id: unknown; function: { name: unknown; arguments: string } }[] } = {
    content: "",
    tool_calls: [],
  };
  let finish: unknown;
  let usage: unknown;
  for (const chunk of dataOf(text)) {
    expect(field(chunk, "object")).toBe("chat.completion.chunk");
    if (field(chunk, "usage") !== null) usage = field(chunk, "usage");
    const delta = field(chunk, "choices", 0, "delta");
    message.content += String(field(delta, "content") ?? "");
    finish = field(chunk, "choices", 0, "finish_reason") ?? finish;
    for (const call of list(field(delta, "tool_calls"))) {
      const index = number(field(call, "index"));
      const given = String(field(call, "function", "arguments"));
      const known = message.tool_calls[index];
      if (known !== undefined) known.function.arguments += given;
      else
        message.tool_calls[index] = {
          id: field(call, "id"),
          function: { name: field(call, "function", "name"), arguments: given },
        };
    }
  }
  return readChat({ choices: [{ message, finish_reason: finish }], usage });
}

function readChat(body: unknown): Heard {
  const message = field(body, "choices", 0, "message");
  const usage = field(body, "usage");
  const read = number(field(usage, "prompt_tokens_details", "cached_tokens"));
  const thinking = number(field(usage, "completion_tokens_details", "reasoning_tokens"));
  return {
    thinking: "",
    text: String(field(message, "content") ?? ""),
    calls: list(field(message, "tool_calls")).map((call) => ({
      id: field(call, "id"),
      name: field(call, "function", "name"),
      arguments: JSON.parse(String(field(call, "function", "arguments"))),
    })),
    finish: field(body, "choices", 0, "finish_reason"),
    tokens: {
      input: number(field(usage, "prompt_tokens")) - read,
      read,
      write: 0,
      output: number(field(usage, "completion_tokens")) - thinking,
      thinking,
      total: number(field(usage, "total_tokens")),
    },
  };
}

function hearGemini(text: string): Heard {
  const chunks = dataOf(text);
  const parts = chunks.flatMap(partsOf);
  const last = chunks.at(-1);
  expect(chunks.slice(0, -1).every((chunk) => field(chunk, "candidates", 0, "finishReason") === undefined)).toBe(true);
  const candidate = { ...Object(field(last, "candidates", 0)), content: { parts } };
  return readGemini({ ...Object(last), candidates: [candidate] });
}

function partsOf(body: unknown): unknown[] {
  return list(field(body, "candidates", 0, "content", "parts"));
}

function readGemini(body: unknown): Heard {
  const parts = partsOf(body);
  const usage = field(body, "usageMetadata");
  const read = number(field(usage, "cachedContentTokenCount"));
  const said = (thought: boolean): string =>
    parts
      .filter((part) => (field(part, "thought") === true) === thought)
      .map((part) => field(part, "text") ?? "")
      .join("");
  return {
    thinking: said(true),
    text: said(false),
    calls: parts
      .map((part) => field(part, "functionCall"))
      .filter((call) => call !== undefined)
      .map((call) => ({ id: field(call, "id"), name: field(call, "name"), arguments: field(call, "args") ?? {} })),
    finish: field(body, "candidates", 0, "finishReason"),
    tokens: {
      input: number(field(usage, "promptTokenCount")) - read,
      read,
      write: 0,
      output: number(field(usage, "candidatesTokenCount")),
      thinking: number(field(usage, "thoughtsTokenCount")),
      total: number(field(usage, "totalTokenCount")),
    },
  };
}
