import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/index.ts";
import { dialects, errorNames, namedErrors, type Dialect } from "../../src/testing/index.ts";
import { chatTools, dataOf, field, json, list, makeLab, readCall, responsesTools, type Lab } from "./lab.ts";

const models: Readonly<Record<string, string>> = {
  openai: "gpt-5.4",
  azure: "gpt-5.4",
  xai: "grok-4.7",
  meta: "muse-spark-1.3",
  openrouter: "anthropic/claude-opus-5.5",
  ollama: "qwen3:8b",
  llamacpp: "qwen3:8b",
  vllm: "qwen3:8b",
  lmstudio: "qwen3:8b",
  compatible: "thinker",
};
const speakers = dialects.filter((dialect) => dialect.family === "openai");
const user = { role: "user", content: "Hello" };

function chat(lab: Lab, dialect: Dialect, body: JsonObject = {}): Promise<Response> {
  const request = { model: models[dialect.name] ?? "", messages: [user], ...body };
  return lab.at(`${dialect.prefix}/v1/chat/completions`, request);
}

function find(name: string): Dialect {
  const dialect = dialects.find((row) => row.name === name);
  if (dialect === undefined) throw new Error(name);
  return dialect;
}

describe.each(speakers)("$name over Chat", (dialect) => {
  test("answers with text, thinking where it shows any, and calls; the sums agree", async () => {
    const lab = makeLab();
    lab.script({ answer: { thinking: "Hm.", text: "Yes.", tool_calls: [readCall] } });
    const body = { tools: chatTools, stream: true, stream_options: { include_usage: true } };
    const response = await chat(lab, dialect, body);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const chunks = dataOf(text);
    const deltas = chunks.map((chunk) => field(chunk, "choices", 0, "delta"));
    expect(deltas.map((delta) => field(delta, "content") ?? "").join("")).toBe("Yes.");
    const calls = deltas.flatMap((delta) => list(field(delta, "tool_calls")));
    const given = calls.map((call) => field(call, "function", "arguments") ?? "").join("");
    expect(JSON.parse(given)).toEqual(readCall.arguments);
    const shown = dialect.quirks.reasoning_field;
    const thoughts = shown === undefined ? "" : deltas.map((delta) => field(delta, shown) ?? "").join("");
    expect(thoughts).toBe(shown === undefined ? "" : "Hm.");
    const usage = chunks.map((chunk) => field(chunk, "usage")).findLast((value) => Boolean(value));
    const apart = Number(field(usage, "completion_tokens_details", "reasoning_tokens") ?? 0);
    const said =
      Number(field(usage, "completion_tokens")) + (dialect.quirks.completion_excludes_reasoning === true ? apart : 0);
    expect(field(usage, "total_tokens")).toBe(Number(field(usage, "prompt_tokens")) + said);
    expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true);
  });

  test.each(errorNames(dialect.catalogue))("error %s", async (name) => {
    const lab = makeLab();
    lab.script({ error: name });
    const response = await chat(lab, dialect);
    const wanted = namedErrors[dialect.catalogue]?.[name];
    expect(response.status).toBe(wanted?.status);
    const body: unknown = await response.json();
    const error = field(body, "error");
    expect(typeof error === "string" ? error : field(error, "message")).toBe(wanted?.message);
    for (const [header, value] of Object.entries(wanted?.headers ?? {}))
      expect(response.headers.get(header)).toBe(value);
  });

  test("unknown models and overlong prompts are refused in its own words", async () => {
    const lab = makeLab();
    const unknown = await chat(lab, dialect, { model: "no-such-model" });
    expect(unknown.headers.get("x-mock-rule")).toBe("chat.model.unknown");
    const text = await unknown.text();
    expect(text).not.toMatch(/\{\w+\}/);
    const long = await chat(lab, dialect, { messages: [{ role: "user", content: "word ".repeat(900_000) }] });
    expect(long.headers.get("x-mock-rule")).toBe("chat.context.length");
    expect(await long.text()).not.toMatch(/\{(tokens|context|model)\}/);
  });

  test("keys", async () => {
    const lab = makeLab({ keys: ["right"] });
    const send = (key: string | undefined): Promise<Response> =>
      lab.raw(`${dialect.prefix}/v1/models`, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } });
    expect((await send("right")).status).toBe(200);
    expect((await send("wrong")).status).toBe(dialect.bad_key.status);
    expect((await send(undefined)).status).toBe(dialect.no_key.status);
    const open = makeLab();
    const free = await open.raw(`${dialect.prefix}/v1/models`, {});
    expect(free.status).toBe(dialect.key_optional ? 200 : dialect.no_key.status);
  });

  test("a late error is one its client would recognise", async () => {
    const lab = makeLab();
    lab.script({ fault: { kind: "late_error", after_frames: 2, error: "server" } });
    const last = dataOf(await (await chat(lab, dialect, { stream: true })).text()).at(-1);
    expect(field(last, "error")).toBeDefined();
    if (dialect.quirks.error_as_chunk === true) {
      expect(field(last, "choices", 0, "finish_reason")).toBe("error");
      expect(field(last, "error", "code")).toBe(500);
    }
  });
});

describe("peculiarities", () => {
  test("xai: reasoning always summarised, encrypted once, in ids that are bare", async () => {
    const lab = makeLab();
    lab.script({ answer: { thinking: "Hm.", tool_calls: [readCall] } });
    const body = { model: "grok-4.7", input: [user], tools: responsesTools, store: false, stream: true };
    const include = ["reasoning.encrypted_content"];
    const text = await (await lab.at("/xai/v1/responses", { ...body, include })).text();
    expect(text.startsWith(": keepalive\n\n")).toBe(true);
    const events = dataOf(text);
    expect(String(field(events[0], "response", "id"))).toMatch(/^[0-9a-f-]{36}$/);
    const added = events.find((event) => field(event, "type") === "response.output_item.added");
    expect(field(added, "item", "encrypted_content")).toBeUndefined();
    const done = list(field(events.at(-1), "response", "output")).map(json);
    expect(field(done[0], "summary", 0, "text")).toBe("Hm.");
    const pieces = events.filter((event) => field(event, "type") === "response.function_call_arguments.delta");
    expect(pieces).toHaveLength(1);
    expect(field(events.at(-1), "response", "usage", "cost_in_usd_ticks")).toBeGreaterThan(0);
    const output = { type: "function_call_output", call_id: String(field(done[1], "call_id")), output: "ok" };
    const items = done.filter((item) => typeof item === "object" && item !== null);
    const next = await lab.at("/xai/v1/responses", { ...body, input: json([user, ...items, output]) });
    expect(next.status, await next.text()).toBe(200);
    const elsewhere = await lab.responses({ tools: responsesTools, input: json([user, ...items, output]) });
    expect(field(await elsewhere.json(), "error", "code")).toBe("invalid_encrypted_content");
  });

  test.each([
    ["anthropic/claude-opus-5.5", "anthropic-claude-v1"],
    ["openai/gpt-6.1-sol", "openai-responses-v1"],
    ["google/gemini-4-argon", "google-gemini-v1"],
  ])("openrouter: thinking of %s comes as %s and goes back", async (model, format) => {
    const lab = makeLab();
    lab.script({ answer: { thinking: "I should look.", tool_calls: [readCall] } });
    const router = find("openrouter");
    const body: unknown = await (await chat(lab, router, { model, tools: chatTools })).json();
    const message = field(body, "choices", 0, "message");
    const details = list(field(message, "reasoning_details"));
    expect(new Set(details.map((detail) => field(detail, "format")))).toEqual(new Set([format]));
    expect(field(body, "usage", "cost")).toBeGreaterThan(0);
    const replay = (reasoning_details: unknown, to: string): Promise<Response> => {
      const answer = { role: "assistant", content: null, tool_calls: field(message, "tool_calls"), reasoning_details };
      const told = { role: "tool", tool_call_id: field(message, "tool_calls", 0, "id"), content: "ok" };
      return chat(lab, router, { model: to, tools: chatTools, messages: json([user, answer, told]) });
    };
    const same = await replay(details, model);
    expect(same.status, await same.text()).toBe(200);
    expect((await replay(details, "x-ai/grok-4.7")).headers.get("x-mock-rule")).toBe("chat.reasoning_details.invalid");
  });

  test("openrouter: comments first, usage with the finish, no thinking where it is excluded", async () => {
    const lab = makeLab();
    const router = find("openrouter");
    lab.script({ answer: { thinking: "Hm.", text: "Yes." } });
    const text = await (await chat(lab, router, { stream: true, reasoning: { effort: "low", exclude: true } })).text();
    expect(text.startsWith(": OPENROUTER PROCESSING\n\n")).toBe(true);
    expect(text).not.toContain("Hm.");
    const finished = dataOf(text).filter((chunk) => typeof field(chunk, "choices", 0, "finish_reason") === "string");
    expect(finished).toHaveLength(2);
    expect(field(finished[1], "usage", "completion_tokens_details", "reasoning_tokens")).toBeGreaterThan(0);
  });

  test("openrouter: none where thinking is mandatory", async () => {
    const refused = await chat(makeLab(), find("openrouter"), { reasoning: { effort: "none" } });
    expect(refused.headers.get("x-mock-rule")).toBe("chat.effort.unsupported");
    const free = { model: "anthropic/claude-haiku-5.5", reasoning: { enabled: false } };
    expect((await chat(makeLab(), find("openrouter"), free)).status).toBe(200);
  });

  test("a scripted error a dialect does not have is said to be a mistake of the script", async () => {
    const lab = makeLab();
    lab.script({ error: "spend_limit" });
    const response = await lab.chat({});
    expect(response.status).toBe(500);
    expect(response.headers.get("x-mock-problem")).toBe("script");
    expect(String(field(await response.json(), "error"))).toContain('no error is called "spend_limit" here');
  });
});
