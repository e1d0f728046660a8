import { describe, expect, test } from "vitest";
import { ask } from "../../../src/llm/index.ts";
import { answering, madeBy, sent, user, weather } from "./support.ts";

describe("B10 thinking goes back where it came from, or not at all", () => {
  const said = "Thinking aloud.";

  test.each([
    ["ollama:qwen3:4b", "reasoning", "reasoning"],
    ["llamacpp:qwen3", "reasoning_content", "reasoning_content"],
    ["vllm:qwen3", "reasoning", "reasoning"],
    ["vllm:qwen3", "reasoning_content", "reasoning"],
    ["lmstudio:qwen3", "reasoning", undefined],
    ["lmstudio:qwen3", "reasoning_content", undefined],
    ["deepseek-v4-pro", "reasoning_content", "reasoning_content"],
    ["glm-4.7", "reasoning_content", "reasoning_content"],
    ["kimi-k2.5", "reasoning_content", "reasoning_content"],
    ["alibaba:qwen3-max", "reasoning_content", "reasoning_content"],
    ["doubleword:Qwen/Qwen3.5-9B", "reasoning_content", "reasoning_content"],
    ["avian:moonshotai/kimi-k2.5", "reasoning_content", "reasoning_content"],
    ["gpustack:qwen3", "reasoning_content", "reasoning_content"],
    ["crusoe:zai/GLM-5.2", "reasoning", "reasoning"],
    ["ollama-cloud:gpt-oss:120b", "reasoning", "reasoning"],
    ["groq:openai/gpt-oss-120b", "reasoning", undefined],
    ["cerebras:gpt-oss-120b", "reasoning", undefined],
    ["together:openai/gpt-oss-20b", "reasoning", undefined],
    ["huggingface:openai/gpt-oss-20b", "reasoning_content", undefined],
    ["cloudflare:@cf/openai/gpt-oss-20b", "reasoning_content", undefined],
    ["deepseek/deepseek-r1", "reasoning", "reasoning"],
    ["vercel-gateway:zai/glm-5", "reasoning", "reasoning"],
  ])("%s: %s comes in, %s goes out", async (model, incoming, outgoing) => {
    const message = { content: "Hi", [incoming]: said };
    const whole = { model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] };
    const base_url = "https://server.test/v1";
    const provider = model.split(":")[0] ?? "";
    const options = { ...answering(JSON.stringify(whole)), settings: { providers: { [provider]: { base_url } } } };
    const answer = await ask(model, "Hi", options);
    expect(answer.message.content[0]).toMatchObject({ type: "thinking", text: said });
    const { body } = await sent(model, { messages: [user("Hi"), answer.message, user("Again")] });
    const messages = JSON.parse(JSON.stringify(body["messages"]));
    const echoed = Object.keys(messages[1]).filter((field) => messages[1][field] === said);
    expect(echoed).toEqual(outgoing === undefined ? [] : [outgoing]);
    // Nobody gets the thinking of others.
    const foreign = madeBy("somebody", "else", answer.message.content);
    const other = await sent(model, { messages: [user("Hi"), foreign, user("Again")] });
    expect(JSON.stringify(other.body)).not.toContain(said);
  });

  test.each(["deepseek-v4-pro", "kimi-k2.5"])(
    "%s wants the field beside calls, even where it is empty",
    async (model) => {
      const call = { type: "tool_call", id: "call_1", name: "get_weather", arguments: { city: "Rome" } } as const;
      const { body } = await sent(model, {
        tools: [weather],
        messages: [
          user("Hi"),
          madeBy("somebody", "else", [call]),
          {
            role: "tool",
            content: [
              {
                type: "tool_result",
                tool_call_id: "call_1",
                content: [{ type: "text", text: "sunny" }],
                is_error: false,
              },
            ],
          },
        ],
      });
      expect(body["messages"]).toMatchObject([{}, { role: "assistant", reasoning_content: "" }, {}]);
    },
  );

  test("mistral: as parts of the content, both ways, with ids of nine characters", async () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: said }] },
      { type: "text", text: "Hi" },
    ];
    const whole = { model: "m", choices: [{ index: 0, message: { content }, finish_reason: "stop" }] };
    const answer = await ask("magistral-medium-latest", "Hi", answering(JSON.stringify(whole)));
    expect(answer.message.content).toMatchObject([
      { type: "thinking", text: said },
      { type: "text", text: "Hi" },
    ]);
    const call = { type: "tool_call", id: "toolu_01ABCDEFGHIJ", name: "get_weather", arguments: {} } as const;
    const { body } = await sent("magistral-medium-latest", {
      tools: [weather],
      messages: [
        user("Hi"),
        answer.message,
        user("Weather?"),
        madeBy("somebody", "else", [call]),
        {
          role: "tool",
          content: [
            {
              type: "tool_result",
              tool_call_id: "toolu_01ABCDEFGHIJ",
              content: [{ type: "text", text: "sunny" }],
              is_error: false,
            },
          ],
        },
        user("Thanks"),
      ],
    });
    const messages = JSON.parse(JSON.stringify(body["messages"]));
    expect(messages[1].content).toEqual(content);
    expect(messages[3].tool_calls[0].id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(messages[4].tool_call_id).toBe(messages[3].tool_calls[0].id);
    expect(messages.slice(-2)).toMatchObject([{ role: "assistant" }, { role: "user" }]);
  });
});
