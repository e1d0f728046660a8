import { describe, expect, test } from "vitest";
import { decodeJson } from "../../src/cli/wire/decode.ts";

function recorded(provider: string, message: object, usage: object = {}): object {
  const body = { model: "m", choices: [{ index: 0, message, finish_reason: "stop" }], usage };
  return { provider, api: "chat", model: "m", request: null, response: { status: 200, headers: {}, body } };
}

describe("wire decode reads each provider by its own row", () => {
  test("reasoning beside the completion, or inside it", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 30, completion_tokens_details: { reasoning_tokens: 20 } };
    const outputs = await Promise.all(
      ["xai", "openrouter", "groq", "nobody-knows-it"].map(async (provider) => {
        const line = await decodeJson("f", recorded(provider, { content: "Hi" }, usage));
        return [provider, line.usage?.output_tokens, line.usage?.thinking_tokens];
      }),
    );
    expect(outputs).toEqual([
      ["xai", 30, 20],
      ["openrouter", 10, 20],
      ["groq", 10, 20],
      ["nobody-knows-it", 10, 20],
    ]);
  });

  test("tags are thinking where the row says so, and text elsewhere", async () => {
    const kinds = await Promise.all(
      ["llama.cpp", "ollama", "groq", "openrouter"].map(async (provider) => {
        const line = await decodeJson("f", recorded(provider, { content: "<think>Hm.</think>Hi" }));
        return [provider, ...(line.message?.content.map(({ type }) => type) ?? [])];
      }),
    );
    expect(kinds).toEqual([
      ["llama.cpp", "thinking", "text"],
      ["ollama", "thinking", "text"],
      ["groq", "text"],
      ["openrouter", "text"],
    ]);
  });

  test("the line keeps the recording's word, the message names the row that made it", async () => {
    const line = await decodeJson("f", recorded("llama.cpp", { content: "Hi" }));
    expect(line.provider).toBe("llama.cpp");
    expect(line.message?.origin.provider).toBe("llamacpp");
  });
});
