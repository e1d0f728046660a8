// Where this differs from the original plan: OpenAI streams summaries (`response.reasoning_summary_text.delta`), Gemini
// parts marked `thought`; all of them arrive here as `thinking_delta`. A streamed answer and a whole one are the same.

import { describe, expect, test } from "vitest";
import { anthropic, answer, compatible, decodeBody, decodeFrames, google, openai, thought } from "./bodies.ts";

describe("streaming", () => {
  test("test_thinking_streaming_content", () => {
    for (const recorded of [anthropic, openai, compatible, google]) {
      const { events, message, end } = decodeFrames(recorded);
      const thinking = events.flatMap((event) => (event.type === "thinking_delta" ? [event.text] : []));
      expect(thinking.filter((text) => text !== "").length, recorded.api).toBeGreaterThan(1);
      expect(thinking.join("")).toBe(thought);
      const kinds = events.map(({ type }) => type);
      expect(kinds.lastIndexOf("thinking_delta")).toBeLessThan(kinds.indexOf("text_delta"));
      expect(message.content).toMatchObject([
        { type: "thinking", text: thought },
        { type: "text", text: answer },
      ]);
      const whole = decodeBody(recorded);
      expect(message.content, recorded.api).toEqual(whole.message.content);
      expect(end).toEqual(whole.end);
    }
  });
});
