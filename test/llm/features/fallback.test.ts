import { describe, expect, test } from "vitest";
import { ask, complete, errorCategories, textOf, user, type ErrorCategory, type Message } from "../../../src/index.ts";
import { hopsAfter } from "../../../src/llm/fallback.ts";
import { eventsOf, failureOf, providers, typesOf, world } from "./world.ts";

const claude = "claude-opus-5-5/low";
const gpt = "gpt-6.1-sol/low";
const gemini = "gemini-4-argon/low";

describe("a chain of models", () => {
  test("goes on where one is overloaded, and says so in events and in the answer", async () => {
    const { emulator, options } = world();
    emulator.script({ match: { wire: "messages" }, error: "overloaded" });
    const stream = ask(claude, "hi", { ...options, fallback: [gpt] });
    const events = await eventsOf(stream);
    expect(events[0]).toMatchObject({ type: "fallback", from: claude, to: gpt, error: { category: "overloaded" } });
    expect(events.at(-1)?.type).toBe("done");
    const answer = await stream;
    expect(textOf(answer.message)).toBe("You said: hi");
    expect(answer.message.origin).toEqual({ provider: "openai", api: "responses", model: "gpt-6.1-sol" });
    expect(answer.hops).toEqual([expect.objectContaining({ from: claude, to: gpt })]);
    expect(emulator.requests().map(({ wire }) => wire)).toEqual(["messages", "responses"]);
  });

  test("works without a stream as it does with one", async () => {
    const { emulator, options } = world();
    emulator.script({ match: { wire: "messages" }, error: "overloaded" });
    const answer = await complete(claude, "hi", { ...options, fallback: [gpt] });
    expect(answer.message.origin.provider).toBe("openai");
    expect(answer.hops).toHaveLength(1);
  });

  test("is not left while the first answers", async () => {
    const { emulator, options } = world();
    const answer = await ask(claude, "hi", { ...options, fallback: [gpt] });
    expect(answer.message.origin.provider).toBe("anthropic");
    expect(answer.hops).toBeUndefined();
    expect(emulator.requests()).toHaveLength(1);
  });

  test("ends with the error of the last, which knows of all before it", async () => {
    const { emulator, options } = world();
    emulator.script(
      { match: { wire: "messages" }, error: "overloaded" },
      { match: { wire: "responses" }, error: "rate_limit" },
      { match: { wire: "gemini" }, error: "overloaded" },
    );
    const failure = await failureOf(ask(claude, "hi", { ...options, fallback: [gpt, gemini] }));
    expect(failure.category).toBe("overloaded");
    expect(failure.hops.map(({ from, to, error }) => [from, to, error.category])).toEqual([
      [claude, gpt, "overloaded"],
      [gpt, gemini, "rate_limit"],
    ]);
    expect(emulator.requests()).toHaveLength(3);
  });

  test("never asks the same model twice, whatever it is called", async () => {
    const { emulator, options } = world();
    emulator.script({ error: "overloaded", times: "always" });
    const fallback = ["claude-opus-5-5/high", "anthropic:claude-opus-5-5", gpt, gpt];
    const failure = await failureOf(ask(claude, "hi", { ...options, fallback }));
    expect(failure.hops).toHaveLength(1);
    expect(emulator.requests().map(({ model }) => model)).toEqual(["claude-opus-5-5", "gpt-6.1-sol"]);
  });

  test("of the settings holds where a call brings none, and an empty one of the call means none", async () => {
    const { emulator, options } = world();
    const settings = { ...options.settings, fallback: [gpt] };
    emulator.script({ match: { wire: "messages" }, error: "overloaded", times: 2 });
    expect((await ask(claude, "hi", { ...options, settings })).message.origin.provider).toBe("openai");
    const failure = await failureOf(ask(claude, "hi", { ...options, settings, fallback: [] }));
    expect(failure.category).toBe("overloaded");
  });
});

describe("what makes a chain go on", () => {
  test("is a table: what would fail everywhere, or was wanted, never does", () => {
    const never: readonly ErrorCategory[] = [
      "invalid_request",
      "invalid_argument",
      "content_filter",
      "context_length",
      "aborted",
      "unknown",
    ];
    expect(errorCategories.filter((category) => hopsAfter[category] === undefined).toSorted()).toEqual(
      never.toSorted(),
    );
  });

  for (const [name, category] of [
    ["rate_limit", "rate_limit"],
    ["overloaded", "overloaded"],
    ["server", "server"],
    ["billing", "billing"],
    ["not_found", "not_found"],
  ] as const) {
    test(`${category} does`, async () => {
      const { emulator, options } = world();
      emulator.script({ match: { wire: "messages" }, error: name });
      const answer = await ask(claude, "hi", { ...options, fallback: [gpt] });
      expect(answer.hops?.map(({ error }) => error.category)).toEqual([category]);
    });
  }

  for (const name of ["invalid_request", "context_length"]) {
    test(`${name} does not`, async () => {
      const { emulator, options } = world();
      emulator.script({ match: { wire: "messages" }, error: name });
      const failure = await failureOf(ask(claude, "hi", { ...options, fallback: [gpt] }));
      expect(failure.category).toBe(name);
      expect(failure.hops).toEqual([]);
      expect(emulator.requests()).toHaveLength(1);
    });
  }

  test("a missing key does, without asking anybody", async () => {
    const { emulator, options } = world();
    const settings = { providers: { ...providers, anthropic: { ...providers.anthropic, key: "" } } };
    const stream = ask(claude, "hi", { ...options, settings, fallback: [gpt] });
    const [first] = await eventsOf(stream);
    expect(first).toMatchObject({ type: "fallback", from: claude, to: gpt, error: { category: "auth" } });
    expect(emulator.requests().map(({ wire }) => wire)).toEqual(["responses"]);
  });

  test("a refused key does, but not to the same provider", async () => {
    const { emulator, options } = world();
    const settings = { providers: { ...providers, anthropic: { ...providers.anthropic, key: "bad" } } };
    const fallback = ["claude-haiku-5-5", gpt];
    const answer = await ask(claude, "hi", { ...options, settings, fallback });
    expect(answer.hops?.map(({ to }) => to)).toEqual([gpt]);
    expect(emulator.requests()).toHaveLength(2);
  });

  test("a chain of which nobody can be asked ends with the last reason", async () => {
    const { emulator, options } = world();
    const settings = {
      providers: { ...providers, anthropic: { key: "" }, openai: { ...providers.openai, key: "" } },
    };
    const stream = ask(claude, "hi", { ...options, settings, fallback: [gpt] });
    expect(typesOf(await eventsOf(stream))).toEqual(["fallback", "error"]);
    const failure = await failureOf(stream);
    expect(failure.category).toBe("auth");
    expect(failure.message).toContain("OpenAI");
    expect(failure.hops).toHaveLength(1);
    expect(emulator.requests()).toEqual([]);
  });

  test("an error in a stream that has said nothing does; its usage is kept", async () => {
    const { emulator, options } = world({ noise: false });
    emulator.script({
      match: { wire: "messages" },
      answer: { text: "never heard" },
      fault: { kind: "late_error", after_frames: 1, error: "overloaded" },
    });
    const stream = ask(claude, "hi", { ...options, fallback: [gpt] });
    const events = await eventsOf(stream);
    expect(typesOf(events).slice(0, 3)).toEqual(["start", "fallback", "start"]);
    const { hops = [], model } = await stream;
    expect(hops[0]?.error.category).toBe("overloaded");
    expect(hops[0]?.usage?.input_tokens).toBeGreaterThan(0);
    expect(hops[0]?.cost_usd).toBeGreaterThan(0);
    expect(model).toContain("gpt-6.1-sol");
  });

  test("an error after the first content does not", async () => {
    const { emulator, options } = world({ noise: false });
    emulator.script({
      match: { wire: "messages" },
      answer: { text: ["first ", "second"] },
      fault: { kind: "late_error", after_frames: 5, error: "overloaded" },
    });
    const stream = ask("claude-haiku-5-5/none", "hi", { ...options, fallback: [gpt] });
    const events = await eventsOf(stream);
    expect(typesOf(events)).toEqual(["start", "text_delta", "error"]);
    const failure = await failureOf(stream);
    expect(failure.partial?.content).toEqual([expect.objectContaining({ type: "text" })]);
    expect(emulator.requests()).toHaveLength(1);
  });

  for (const kind of ["cut", "reset"] as const) {
    test(`a connection that is ${kind} before the first word does`, async () => {
      const { emulator, options } = world({ noise: false });
      emulator.script({ match: { wire: "messages" }, answer: { text: "x" }, fault: { kind, after_frames: 1 } });
      const answer = await ask(claude, "hi", { ...options, fallback: [gpt] });
      expect(answer.hops?.map(({ error }) => error.category)).toEqual(["network"]);
    });
  }

  test("silence does", async () => {
    const { emulator, options } = world({ noise: false });
    emulator.script({ match: { wire: "messages" }, answer: { text: "x" }, fault: { kind: "stall", after_frames: 1 } });
    const settings = {
      providers: { ...providers, anthropic: { ...providers.anthropic, idle_timeout_ms: 50 } },
    };
    const answer = await ask(claude, "hi", { ...options, settings, fallback: [gpt] });
    expect(answer.hops?.map(({ error }) => error.category)).toEqual(["timeout"]);
  });

  test("the caller's own cancelling never does", async () => {
    const { emulator, options } = world({ noise: false });
    emulator.script({ match: { wire: "messages" }, answer: { text: "x" }, fault: { kind: "stall", after_frames: 1 } });
    const controller = new AbortController();
    const stream = ask(claude, "hi", { ...options, signal: controller.signal, fallback: [gpt] });
    setTimeout(() => controller.abort(), 20);
    const failure = await failureOf(stream);
    expect(failure.category).toBe("aborted");
    expect(emulator.requests()).toHaveLength(1);
  });
});

describe("on the way down a chain", () => {
  test("a key that was given for one provider is not shown to another", async () => {
    const seen: (string | null)[] = [];
    const { emulator, options } = world();
    emulator.script({ match: { wire: "messages" }, error: "overloaded" });
    const fetch: typeof globalThis.fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      seen.push(headers.get("x-api-key") ?? headers.get("authorization"));
      return emulator.fetch(input, init);
    };
    await ask(claude, "hi", { ...options, fetch, key: "given", fallback: [gpt] });
    expect(seen).toEqual(["given", "Bearer good-openai"]);
  });

  test("each model gets the history as it may see it", async () => {
    const { emulator, options } = world();
    const first = await ask(claude, "hi", options);
    const messages: Message[] = [user("hi"), first.message, user("again")];
    emulator.script({ match: { wire: "messages" }, error: "overloaded" });
    const answer = await ask(claude, messages, { ...options, fallback: [gpt] });
    expect(answer.losses.map(({ code }) => code)).toContain("foreign_thinking");
    expect(JSON.stringify(emulator.requests().at(-1)?.body)).not.toContain("signature");
  });

  test("every fault of every kind leaves one ending, and an answer where the next model gave one", async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { emulator, options } = world({
        seed,
        faults: { seed, rate: 0.5, kinds: ["cut", "reset", "late_error", "error_in_200", "garbage"] },
      });
      const stream = ask(claude, "hi", { ...options, fallback: [gpt, gemini] });
      const events = await eventsOf(stream);
      const endings = events.filter(({ type }) => type === "done" || type === "error");
      expect(endings).toHaveLength(1);
      const contents = events.findIndex(({ type }) => type.endsWith("_delta") || type === "tool_call_start");
      const lastHop = events.findLastIndex(({ type }) => type === "fallback");
      if (contents !== -1) expect(lastHop).toBeLessThan(contents);
      expect(emulator.requests().length).toBeLessThanOrEqual(3);
    }
  });
});

describe("a chain inside one gateway", () => {
  const opus = "anthropic/claude-opus-5.5/low";
  const sol = "openai/gpt-6.1-sol/low";

  test("is left to the gateway", async () => {
    const { emulator, options } = world({ unknown_models: "serve" });
    const answer = await ask(opus, "hi", { ...options, fallback: [sol, claude] });
    expect(emulator.requests()).toHaveLength(1);
    expect(emulator.requests()[0]?.body).toMatchObject({
      model: "anthropic/claude-opus-5.5",
      models: ["openai/gpt-6.1-sol"],
    });
    expect(answer.hops).toBeUndefined();
  });

  test("and what the gateway did is told like a hop of ours", async () => {
    const { emulator, options } = world({ unknown_models: "serve" });
    emulator.script({ answer: { text: "hello", thinking: "hm", model: "openai/gpt-6.1-sol" } });
    const stream = ask(opus, "hi", { ...options, fallback: [sol] });
    const events = await eventsOf(stream);
    expect(events[0]).toMatchObject({
      type: "fallback",
      from: opus,
      to: sol,
      error: { provider_code: "provider_fallback" },
    });
    const { message, hops } = await stream;
    expect(message.origin.model).toBe("openai/gpt-6.1-sol");
    expect(textOf(message)).toBe("hello");
    const makers = message.content.flatMap((block) => ("opaque" in block && block.opaque ? [block.opaque.model] : []));
    expect(new Set(makers).size).toBeLessThanOrEqual(1);
    expect(makers.every((model) => model === "openai/gpt-6.1-sol")).toBe(true);
    expect(hops).toHaveLength(1);
  });

  test("goes on elsewhere when the gateway has no more to offer", async () => {
    const { emulator, options } = world({ unknown_models: "serve" });
    emulator.script({ match: { wire: "chat" }, error: "overloaded" });
    const answer = await ask(opus, "hi", { ...options, fallback: [sol, claude] });
    expect(answer.hops?.map(({ from, to }) => [from, to])).toEqual([[opus, claude]]);
    expect(emulator.requests().map(({ wire }) => wire)).toEqual(["chat", "messages"]);
  });

  test("is walked by us at other levels, or once the history holds what one model alone may see", async () => {
    const { emulator, options } = world({ unknown_models: "serve" });
    await ask(opus, "hi", { ...options, fallback: ["openai/gpt-6.1-sol/high"] });
    expect(emulator.requests()[0]?.body).not.toHaveProperty("models");
    const sealed: Message = {
      role: "assistant",
      content: [
        {
          type: "thinking",
          text: "",
          opaque: { provider: "openrouter", model: "anthropic/claude-opus-5.5", data: { reasoning_detail: {} } },
        },
        { type: "text", text: "hello" },
      ],
      origin: { provider: "openrouter", api: "chat", model: "anthropic/claude-opus-5.5" },
    };
    await ask(opus, [user("hi"), sealed, user("more")], { ...options, fallback: [sol] });
    expect(emulator.requests()[1]?.body).not.toHaveProperty("models");
  });
});
