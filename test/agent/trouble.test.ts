import { describe, expect, test } from "vitest";
import { errorInfo } from "../../src/core/index.ts";
import { isSealRefusal, withoutSeals } from "../../src/agent/seals.ts";
import { histories } from "../store/support/engines.ts";
import { claude, gemini, gpt, said, stage } from "./support.ts";

const { open } = histories("sqlite");

describe("trouble with a provider", () => {
  test.each([
    ["overloaded", 4, [1_000, 2_000, 4_000, 8_000]],
    ["server", 2, [1_000, 2_000]],
  ] as const)("%s is tried again, visibly", async (error, failures, delays) => {
    const slept: number[] = [];
    const here = await stage(await open(), {
      emulator: { script: [{ error, times: failures }, { answer: { text: "At last." } }] },
      world: { sleep: async (delay_ms) => void slept.push(delay_ms) },
    });
    await here.say("Hi");
    expect(slept).toEqual(delays);
    expect(here.of("retrying").map(({ attempt, attempts_max }) => [attempt, attempts_max])).toEqual(
      delays.map((_delay, index) => [index + 2, failures + 1]),
    );
    expect(said(here, here.root)).toEqual(["user: Hi", "assistant: At last."]);
    const log = await here.store.history.log(here.root);
    expect(log.filter(({ kind }) => kind === "assistant")).toHaveLength(1);
    await here.agents.close();
  });

  test.each([
    ["overloaded", "overloaded", 5],
    ["server", "server", 3],
    ["authentication", "auth", 1],
    ["billing", "billing", 1],
    ["rate_limit", "rate_limit", 5],
  ] as const)("%s for ever fails after its attempts, and the log says why", async (error, category, attempts) => {
    const here = await stage(await open(), { emulator: { script: [{ error, times: "always" }] } });
    await here.say("Hi");
    expect(here.of("turn_ended")).toMatchObject([{ outcome: "failed", error: { category } }]);
    expect(here.emulator.requests()).toHaveLength(attempts);
    const last = (await here.store.history.log(here.root)).at(-1);
    expect(last).toMatchObject({ kind: "assistant", data: { incomplete: true, error: { category }, blocks: [] } });
    // A refusal costs nothing, in the agent's sums as in those of the history.
    expect(here.agents.list()[0]?.totals).toMatchObject({ cost_usd: 0, unpriced: 0 });
    expect(await here.store.usage()).toMatchObject([{ cost_usd: 0, unpriced: 0 }]);
    await here.agents.close();
  });

  test("where nobody was reached nothing was spent", async () => {
    const refuse = async (): Promise<Response> => {
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });
    };
    const store = await open();
    const here = await stage(store, {});
    const away = await stage(store, { world: { llm: { ...here.world.llm, fetch: refuse } } });
    await away.say("Hi");
    expect(away.of("turn_ended")).toMatchObject([{ outcome: "failed", error: { category: "network" } }]);
    expect(await store.usage()).toMatchObject([{ cost_usd: 0, unpriced: 0 }]);
    await Promise.all([here.agents.close(), away.agents.close()]);
  });

  test("an answer that breaks off is thrown away before it is asked for again, and that is said", async () => {
    const here = await stage(await open(), {
      emulator: {
        script: [
          { answer: { text: "The beginning of an answer that" }, fault: { kind: "cut", after_frames: 6 } },
          { answer: { text: "Whole." } },
        ],
      },
    });
    await here.say("Hi");
    expect(here.of("retrying")).toMatchObject([
      { delay_ms: 0, attempt: 2, discards: true, error: { category: "network" } },
    ]);
    expect(said(here, here.root)).toEqual(["user: Hi", "assistant: Whole."]);
    await here.agents.close();
  });

  test("B27 an interrupt ends the wait between two tries at once", async () => {
    const here = await stage(await open(), {
      emulator: { script: [{ error: "overloaded", times: "always" }] },
      world: {
        sleep: (_delay, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
      },
    });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Hi" });
    await here.until("waiting", () => here.agents.view(here.root).state === "waiting");
    await here.agents.command({ type: "interrupt", agent_uuid: here.root });
    expect(here.of("turn_ended")).toMatchObject([{ outcome: "interrupted" }]);
    expect(here.emulator.requests()).toHaveLength(1);
    await here.agents.close();
  });

  test("a failed turn does not spoil the next", async () => {
    for (const model of [claude, gpt, gemini]) {
      const here = await stage(await open(), {
        emulator: {
          script: [
            { answer: { text: "Half an" }, fault: { kind: "late_error", error: "authentication" } },
            { answer: { text: "Fine." } },
          ],
        },
        world: { model },
      });
      await here.say("Hi");
      await here.say("Again");
      expect(here.of("turn_ended").map(({ outcome }) => outcome)).toEqual(["failed", "done"]);
      await here.agents.close();
    }
  });

  test("sealed data that is refused is left out, once", async () => {
    const store = await open();
    const first = await stage(store, { emulator: { script: [{ answer: { thinking: "Hm.", text: "One." } }] } });
    await first.say("Hi");
    await first.agents.close();
    // Another emulator has other seals: the signature of the first answer is none of its own.
    const here = await stage(store, {
      emulator: { seed: 99 },
      open: { session_uuid: first.agents.session_uuid },
    });
    await here.say("And now?");
    expect(here.of("turn_ended")).toMatchObject([{ outcome: "done" }]);
    expect(here.emulator.requests().map(({ status }) => status)).toEqual([400, 200]);
    expect(here.of("warning").map(({ code }) => code)).toContain("seals_refused");
    await here.agents.close();
  });

  test("only what is about seals counts as that", () => {
    const refusal = (message: string) => errorInfo({ category: "invalid_request", message });
    expect(isSealRefusal(refusal("Invalid `signature` in `thinking` block"))).toBe(true);
    expect(isSealRefusal(refusal("Corrupted thought signature."))).toBe(true);
    expect(isSealRefusal(refusal("The encrypted content could not be verified"))).toBe(true);
    expect(isSealRefusal(refusal("max_tokens is too large"))).toBe(false);
    expect(isSealRefusal({ ...refusal("signature"), category: "auth" })).toBe(false);
    expect(withoutSeals([{ role: "user", content: [] }])).toBeUndefined();
  });
});

describe("a conversation that is too long", () => {
  test("is compacted once and asked again; the log keeps everything", async () => {
    const here = await stage(await open(), {
      emulator: {
        script: [
          { answer: { text: "The first answer." } },
          { error: "context_length" },
          { answer: { text: "They greeted each other." } },
          { answer: { text: "The second answer." } },
        ],
      },
    });
    await here.say("First");
    await here.say("Second");
    expect(here.of("turn_ended").at(-1)).toMatchObject({ outcome: "done" });
    expect(said(here, here.root)).toEqual([
      "user: [A summary of the conversation so far]\n\nThey greeted each other.",
      "user: Second",
      "assistant: The second answer.",
    ]);
    const log = await here.store.history.log(here.root);
    expect(log.filter(({ kind }) => kind === "assistant").map(({ content }) => content)).toContain("The first answer.");
    expect(log.find(({ kind }) => kind === "compact")?.data).toMatchObject({ provider: "anthropic" });
    const fresh = await here.store.history.replay(here.root);
    expect(fresh.messages()).toEqual(here.agents.view(here.root).messages);
    await here.agents.close();
  });

  test("that stays too long says so", async () => {
    const here = await stage(await open(), {
      emulator: {
        script: [
          { answer: { text: "The first answer." } },
          { error: "context_length" },
          { answer: { text: "A summary." } },
          { error: "context_length" },
        ],
      },
    });
    await here.say("First");
    await here.say("Second");
    expect(here.of("turn_ended").at(-1)).toMatchObject({ outcome: "failed", error: { category: "context_length" } });
    expect(here.of("warning").map(({ code }) => code)).toEqual(["compacting", "still_too_long"]);
    await here.agents.close();
  });
});
