import { expect, vi } from "vitest";
import { user } from "../../../src/core/index.ts";
import { IkigaiError } from "../../../src/llm/index.ts";
import { call, callsIn, textIn, thinkingIn, weather, type Scenarios } from "../lab.ts";

const words = "One two three four five six seven eight nine ten";
const answer = { thinking: "Let me count to ten.", text: words };

/** What can happen on the way. What had arrived stays, and there is one end. */
export const faults: Scenarios = {
  /** B21 */
  async cut({ script, fail, streamed }) {
    const where = streamed ? { after_frames: 8 } : { after_bytes: 60 };
    script({ answer, fault: { kind: "cut", ...where }, chunk_size: 5 });
    const { info, partial } = await fail("Hi");
    expect(info).toMatchObject({ category: "network", retryable: true });
    if (streamed) expect(thinkingIn(partial) + textIn(partial)).not.toBe("");
    expect(words.startsWith(textIn(partial))).toBe(true);
    expect(partial?.incomplete).toBe(true);
  },

  async reset({ script, fail, streamed }) {
    const where = streamed ? { after_frames: 9 } : { after_bytes: 60 };
    script({ answer, fault: { kind: "reset", ...where } });
    const { info, partial } = await fail("Hi");
    expect(info).toMatchObject({ category: "network", retryable: true });
    expect(words.startsWith(textIn(partial))).toBe(true);
  },

  async reset_at_once({ script, fail }) {
    script({ answer, fault: { kind: "reset", after_frames: 0 } });
    expect((await fail("Hi")).info).toMatchObject({ category: "network", retryable: true });
  },

  /** B20 */
  async split({ script, ask }) {
    script({ answer: { thinking: "Grüße", text: "Ünïcödé 🎉" }, fault: { kind: "split", size: 11 } });
    expect(textIn((await ask("Hi")).message)).toBe("Ünïcödé 🎉");
  },

  /** A frame that is none is passed over, or ends the answer; it never becomes part of it. */
  garbage: {
    async streamed_only({ script, ask }) {
      for (const text of garbage) {
        script({ answer, fault: { kind: "garbage", after_frames: 8, text } });
        const [said, whole] = await ask("Hi").then(
          ({ message }) => [textIn(message), true] as const,
          (error: unknown) => [error instanceof IkigaiError ? textIn(error.partial) : "thrown", false] as const,
        );
        expect(whole ? said === words : words.startsWith(said), `${JSON.stringify(text)}: ${said}`).toBe(true);
      }
    },
  },

  late_error: {
    async streamed_only({ script, fail }) {
      script({ answer, fault: { kind: "late_error", error: "server", after_frames: 8 }, chunk_size: 5 });
      const { info, partial } = await fail("Hi");
      expect(info).toMatchObject({ category: "server", retryable: true });
      expect(thinkingIn(partial) + textIn(partial)).not.toBe("");
      expect(words.startsWith(textIn(partial))).toBe(true);
    },
  },

  async wrong_content_type({ script, ask }) {
    script({ answer, fault: { kind: "wrong_content_type", content_type: "text/plain" } });
    expect(textIn((await ask("Hi")).message)).toBe(words);
  },

  /** A page in place of an answer, with the status of one. */
  async page({ script, fail }) {
    script({ fault: { kind: "wrong_content_type", text: "<html><body>Please log in.</body></html>" } });
    const { info, partial } = await fail("Hi");
    expect(["network", "server", "unknown"]).toContain(info.category);
    expect(textIn(partial)).toBe("");
  },

  async nothing_at_all({ script, fail }) {
    script({ fault: { kind: "wrong_content_type", text: "" } });
    expect((await fail("Hi")).info).toMatchObject({ category: "network", retryable: true });
  },

  never_ending: {
    async streamed_only({ script, fail }) {
      const controller = new AbortController();
      let seen = 0;
      script({ fault: { kind: "never_ending", delay_ms: 1 } });
      const { info, partial } = await fail("Hi", {
        signal: controller.signal,
        onEvent: ({ type }) => {
          if (type === "text_delta" && ++seen === 20) controller.abort();
        },
      });
      expect(info).toMatchObject({ category: "aborted", retryable: false });
      expect(textIn(partial)).toMatch(/^and 1 more and 2 more /);
    },
  },

  async aborted_before({ fail, emulator }) {
    const { info } = await fail("Hi", { signal: AbortSignal.abort() });
    expect(info.category).toBe("aborted");
    expect(emulator.requests()).toEqual([]);
  },

  async aborted_while_waiting({ script, fail, emulator }) {
    const controller = new AbortController();
    script({ fault: { kind: "stall", after_frames: 0 } });
    const failing = fail("Hi", { signal: controller.signal });
    await vi.waitUntil(() => emulator.requests().length > 0, { interval: 2 });
    controller.abort();
    expect((await failing).info.category).toBe("aborted");
  },

  async thinking_eats_limit({ script, ask }) {
    script({ fault: "thinking_eats_limit" });
    const { finish_reason, message, notes } = await ask({ messages: [user("Hi")], max_output_tokens: 1_000 });
    expect(finish_reason).toBe("length");
    expect(textIn(message)).toBe("");
    expect(notes.map(({ code }) => code)).toContain("thinking_used_output_limit");
  },

  /** A call that was cut off is kept, and never one that could be run. */
  half_a_call: {
    async streamed_only({ script, fail }) {
      const tool_calls = [call("Rome".repeat(40))];
      script({ answer: { tool_calls }, fault: { kind: "cut", after_bytes: 1_400 }, chunk_size: 4 });
      const { info, partial } = await fail({ messages: [user("Hi")], tools: [weather] });
      expect(info.category).toBe("network");
      for (const { invalid, arguments: given } of callsIn(partial)) {
        expect(invalid === true || JSON.stringify(given) === JSON.stringify(tool_calls[0]?.arguments)).toBe(true);
      }
    },
  },
};

/** Long enough for a machine with better things to do, since all rows wait together. */
const idle_timeout_ms = 1_500;

/** Where nothing comes for a while, or nothing more. */
export const silences: Scenarios = {
  /** B22 */
  async stall({ script, fail, streamed }) {
    script({ answer, fault: { kind: "stall", after_frames: streamed ? 8 : 0 }, chunk_size: 5 });
    const { info, partial } = await fail("Hi", { idle_timeout_ms });
    expect(info).toMatchObject({ category: "timeout", retryable: true });
    if (streamed) expect(thinkingIn(partial) + textIn(partial)).not.toBe("");
    expect(words.startsWith(textIn(partial))).toBe(true);
  },

  async silence({ script, fail }) {
    script({ answer, fault: { kind: "keep_alives_only", delay_ms: 5 } });
    expect((await fail("Hi", { idle_timeout_ms })).info).toMatchObject({ category: "timeout", retryable: true });
  },

  stay_open: {
    async streamed_only({ script, ask }) {
      script({ answer, fault: "stay_open" });
      expect(textIn((await ask("Hi", { idle_timeout_ms })).message)).toBe(words);
    },
  },

  async slow({ script, ask }) {
    script({ answer: { text: "One two" }, fault: { kind: "slow", delay_ms: 2 } });
    expect(textIn((await ask("Hi")).message)).toBe("One two");
  },
};

const garbage = [
  'data: {"type": "x", "broken": [1, 2\n\n',
  "qwertyuiopasdfgh\n\n",
  "data: qwertyuiop\n\n",
  "event: x\ndata\n\n",
  "\u0000\u0001\ufffd\n\n",
  "data: null\n\n",
  "data: []\n\n",
  "data: 17\n\n",
  "data: {}\n\n",
  'data: "text"\n\n',
];
