import { expect } from "vitest";
import type { Message } from "../../../src/core/index.ts";
import { user } from "../../../src/core/index.ts";
import { call, callsIn, resultsFor, sealsIn, textIn, weather, type Lab, type Scenarios } from "../lab.ts";

const tools = [weather];

/** Calls, their results, and who decides about them. */
export const toolScenarios: Scenarios = {
  async tool_call({ script, ask }) {
    script({ answer: { thinking: "A city.", text: "I look.", tool_calls: [call("Rome")] } });
    const answer = await ask({ messages: [user("How warm is it?")], tools });
    expect(answer.finish_reason).toBe("tool_use");
    expect(textIn(answer.message)).toBe("I look.");
    expect(callsIn(answer.message)).toMatchObject([{ name: "get_weather", arguments: { city: "Rome" } }]);
    expect(callsIn(answer.message)[0]?.id).not.toBe("");
  },

  async parallel_calls({ script, ask }) {
    const cities = ["Rome", "Oslo", "Rome"];
    script({ answer: { tool_calls: cities.map(call) } });
    const answer = await ask({ messages: [user("How warm is it?")], tools });
    const calls = callsIn(answer.message);
    expect(calls.map(({ arguments: given }) => given)).toEqual(cities.map((city) => ({ city })));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(cities.length);
    const messages = [user("How warm is it?"), answer.message, resultsFor(answer.message)];
    expect((await ask({ messages, tools })).finish_reason).toBe("stop");
  },

  async no_arguments({ script, ask }) {
    script({ answer: { tool_calls: [{ name: "now" }] } });
    const now = [{ name: "now", parameters: { type: "object", properties: {}, additionalProperties: false } }];
    const answer = await ask({ messages: [user("Hi")], tools: now });
    expect(callsIn(answer.message)).toMatchObject([{ name: "now", arguments: {} }]);
    expect(callsIn(answer.message)[0]?.invalid).toBeUndefined();
    const messages = [user("Hi"), answer.message, resultsFor(answer.message, "noon")];
    expect(textIn((await ask({ messages, tools: now })).message)).toContain("noon");
  },

  /** Marked, kept as they came, and no obstacle to going on. */
  async broken_arguments({ script, ask }) {
    script({ answer: { tool_calls: [{ name: "get_weather", arguments: '{"city": "Ro' }] } });
    const answer = await ask({ messages: [user("Hi")], tools });
    expect(callsIn(answer.message)).toMatchObject([{ invalid: true, arguments_text: '{"city": "Ro', arguments: {} }]);
    const result = resultsFor(answer.message, "The arguments are not JSON", true);
    expect((await ask({ messages: [user("Hi"), answer.message, result], tools })).finish_reason).toBe("stop");
  },

  async tool_loop({ script, ask, emulator }) {
    const cities = ["Rome", "Oslo", "Lima"];
    const messages: Message[] = [user("Compare three cities.")];
    for (const city of cities) {
      script({ answer: { thinking: `Next is ${city}.`, tool_calls: [call(city)] } });
      const { message } = await ask({ messages, tools });
      messages.push(message, resultsFor(message, `${city}: 12 degrees`));
    }
    script({ answer: { text: "All the same." } });
    const last = await ask({ messages, tools });
    expect(textIn(last.message)).toBe("All the same.");
    expect(last.losses.filter(({ code }) => code !== "renamed_tool_call_id")).toEqual([]);
    const body = JSON.stringify(emulator.requests().at(-1)?.body);
    for (const city of cities) expect(body).toContain(`${city}: 12 degrees`);
    messages.push(last.message, user("Thanks."));
    expect((await ask({ messages, tools })).finish_reason).toBe("stop");
  },

  async failed_result({ script, ask }) {
    script({ answer: { tool_calls: [call("Rome")] } });
    const first = await ask({ messages: [user("Hi")], tools });
    const failed = resultsFor(first.message, "No such city", true);
    const second = await ask({ messages: [user("Hi"), first.message, failed], tools });
    expect(textIn(second.message)).toContain("No such city");
  },

  /** What is sealed goes back; the emulator refuses what was changed. */
  async signed_thinking({ script, ask, emulator }) {
    script({ answer: { thinking: "A city.", tool_calls: [call("Rome")] } });
    const { message } = await ask({ messages: [user("Hi")], tools });
    const seals = sealsIn(message);
    expect(seals.length).toBeGreaterThan(0);
    await ask({ messages: [user("Hi"), message, resultsFor(message)], tools });
    const body = JSON.stringify(emulator.requests().at(-1)?.body);
    for (const seal of seals) expect(body).toContain(seal);
  },

  async choice_auto({ ask }) {
    const answer = await ask({ messages: [user("Hi")], tools, tool_choice: { mode: "auto" } });
    expect(answer.finish_reason).toBe("stop");
  },

  async choice_none({ ask }) {
    const answer = await ask({ messages: [user("Hi")], tools, tool_choice: { mode: "none" } });
    expect(callsIn(answer.message)).toEqual([]);
  },

  choice_required: (lab) => forced(lab, { mode: "required" }),
  choice_specific: (lab) => forced(lab, { mode: "specific", name: "get_weather" }),
};

/** A call, or a word that it could not be forced. */
async function forced(
  { ask, row }: Lab,
  tool_choice: { mode: "required" } | { mode: "specific"; name: string },
): Promise<void> {
  for (const level of ["none", row.level] as const) {
    const answer = await ask({ messages: [user("Hi")], tools, tool_choice }, { level });
    const called = callsIn(answer.message).map(({ name }) => name);
    const told = answer.notes.some(({ code, message }) => code.startsWith("tool_choice") || /^tools\b/.test(message));
    expect(told ? ["get_weather"] : called, level).toEqual(["get_weather"]);
  }
}
