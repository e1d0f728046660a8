import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI, type Content } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startEmulator, type Emulator } from "../../src/testing/index.ts";
import { schema } from "./lab.ts";

/** The vendors' own clients are the strictest readers of their wires. */
let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator();
});

beforeEach(() => emulator.reset());

afterAll(async () => {
  await emulator.close();
});

const call = { name: "read", arguments: { path: "/grüße/🦊" } };
const turns = [
  { answer: { thinking: "I should read it.", text: "Reading.", tool_calls: [call] } },
  { answer: { text: "Done." } },
];

describe("vendors' clients", () => {
  test("Anthropic: stream, replay, answer; errors by class", async () => {
    const client = new Anthropic({ baseURL: emulator.base_urls["anthropic"] ?? "", apiKey: "k", maxRetries: 0 });
    const tools = [
      { name: "read", input_schema: { type: "object" as const, properties: { path: { type: "string" } } } },
    ];
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Hello" }];
    const thinking = { type: "adaptive" as const, display: "summarized" as const };
    const ask = (): Promise<Anthropic.Message> =>
      client.messages.stream({ model: "claude-opus-5-5", max_tokens: 1_000, messages, tools, thinking }).finalMessage();
    emulator.script(...turns);
    const first = await ask();
    expect(first.content.map((block) => block.type)).toEqual(["thinking", "text", "tool_use"]);
    const use = first.content.find((block) => block.type === "tool_use");
    expect(use?.input).toEqual(call.arguments);
    messages.push({ role: "assistant", content: first.content });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: use?.id ?? "", content: "ok" }] });
    expect((await ask()).stop_reason).toBe("end_turn");
    emulator.script({ error: "rate_limit" });
    await expect(ask()).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    const names: string[] = [];
    for await (const model of client.models.list({ limit: 3 })) names.push(model.id);
    expect(names).toContain("claude-opus-5-5");
  });

  test("OpenAI Responses: stream, replay, answer", async () => {
    const client = openAi();
    const tools: OpenAI.Responses.Tool[] = [{ type: "function", name: "read", parameters: schema, strict: true }];
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "Hello" }];
    const ask = (): Promise<OpenAI.Responses.Response> =>
      client.responses
        .stream({
          model: "gpt-6.1-sol",
          input,
          tools,
          store: false,
          include: ["reasoning.encrypted_content"],
          reasoning: { summary: "auto" },
        })
        .finalResponse();
    emulator.script(...turns);
    const first = await ask();
    expect(first.output.map((item) => item.type)).toEqual(["reasoning", "message", "function_call"]);
    const made = first.output.find((item) => item.type === "function_call");
    input.push(...first.output.map((item) => JSON.parse(JSON.stringify(item))));
    input.push({ type: "function_call_output", call_id: made?.call_id ?? "", output: "ok" });
    const second = await ask();
    expect(second.output_text).toBe("Done.");
    emulator.script({ error: "billing" });
    await expect(ask()).rejects.toMatchObject({ status: 429, code: "insufficient_quota" });
  });

  test("OpenAI Chat: stream with tools and usage", async () => {
    const client = openAi();
    emulator.script(...turns);
    const stream = client.chat.completions.stream({
      model: "gpt-5.4",
      messages: [{ role: "user", content: "Hello" }],
      tools: [{ type: "function", function: { name: "read", parameters: schema } }],
      stream_options: { include_usage: true },
    });
    const completion = await stream.finalChatCompletion();
    const made = completion.choices[0]?.message.tool_calls?.[0];
    expect(made?.type === "function" ? JSON.parse(made.function.arguments) : undefined).toEqual(call.arguments);
    expect(completion.usage?.total_tokens).toBeGreaterThan(0);
    expect(completion.choices[0]?.finish_reason).toBe("tool_calls");
  });

  test("Google: stream, replay, answer", async () => {
    const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: `${emulator.url}/google` } });
    const contents: Content[] = [{ role: "user", parts: [{ text: "Hello" }] }];
    const config = {
      tools: [{ functionDeclarations: [{ name: "read", parametersJsonSchema: schema }] }],
      thinkingConfig: { includeThoughts: true },
    };
    const ask = async (): Promise<Content> => {
      const parts: NonNullable<Content["parts"]> = [];
      for await (const chunk of await client.models.generateContentStream({
        model: "gemini-4-argon",
        contents,
        config,
      })) {
        parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      }
      return { role: "model", parts };
    };
    emulator.script(...turns);
    const first = await ask();
    const made = first.parts?.find((part) => part.functionCall !== undefined)?.functionCall;
    expect(made?.args).toEqual(call.arguments);
    contents.push(first, {
      role: "user",
      parts: [
        {
          functionResponse: {
            name: "read",
            ...(made?.id === undefined ? {} : { id: made.id }),
            response: { output: "ok" },
          },
        },
      ],
    });
    const second = await ask();
    expect(second.parts?.map((part) => part.text ?? "").join("")).toBe("Done.");
    const count = await client.models.countTokens({ model: "gemini-4-argon", contents: "Hello" });
    expect(count.totalTokens).toBeGreaterThan(0);
  });
});

function openAi(): OpenAI {
  return new OpenAI({ baseURL: emulator.base_urls["openai"] ?? "", apiKey: "k", maxRetries: 0 });
}
