import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createReplay, errorInfo, type LogEntry } from "../../src/core/index.ts";
import { createTranscript, type Item, type TranscriptModel } from "../../src/repl/transcript/index.ts";
import { agent, call, createStory, done, start, text, thinking, usage, type Story } from "./story.ts";

function open(now: () => number = () => 0): TranscriptModel {
  return createTranscript({ now, agent_uuid: agent });
}

function heard(story: Story): TranscriptModel {
  const model = open(() => story.time.now);
  for (const event of story.events) model.hear(event);
  return model;
}

function reopened(entries: readonly LogEntry[]): TranscriptModel {
  const model = open();
  model.add(entries);
  return model;
}

/** Without what only those know who were there: names of the moment, and how long it thought. */
function lasting(items: readonly Item[]): readonly unknown[] {
  return items.filter(({ entry_uuid }) => entry_uuid !== undefined).map(bare);
}

function bare(item: Item): unknown {
  const { id: _id, version: _version, ...body } = item;
  if (body.type === "thinking") delete (body as { duration_ms?: number }).duration_ms;
  return body.type === "rewind" ? { ...body, folded: lasting(body.folded) } : body;
}

const types = (model: TranscriptModel): readonly string[] => model.items().map(({ type }) => type);
const only = <Type extends Item["type"]>(model: TranscriptModel, type: Type): Extract<Item, { type: Type }> => {
  const found = model.items().filter((item): item is Extract<Item, { type: Type }> => item.type === type);
  expect(found).toHaveLength(1);
  const [item] = found;
  if (item === undefined) throw new Error(`no ${type}`);
  return item;
};

describe("a turn", () => {
  test("text and thinking grow in place and become what the log says", () => {
    const story = createStory();
    const model = open(() => story.time.now);
    const hear = () => {
      for (const event of story.events.splice(0)) model.hear(event);
    };
    story.say("hello");
    story.stream(start, ...thinking(0, "hm", ", well"));
    hear();
    const thought = only(model, "thinking");
    expect(thought).toMatchObject({ text: "hm, well", growing: true, sealed: false });
    story.time.now += 2100;
    story.stream(...text(1, "Hi", " there"));
    hear();
    expect(thought).toMatchObject({ growing: false, duration_ms: 2100 });
    const said = only(model, "text");
    const items = model.items();
    story.stream(done);
    story.answer({ usage, cost_usd: 0.01 });
    story.end();
    hear();
    expect(model.items()).toBe(items);
    expect(only(model, "text")).toBe(said);
    expect(said).toMatchObject({ text: "Hi there", growing: false, entry_uuid: "e2" });
    expect(model.lastingId(said.id)).toBe("e2:b1");
    expect(only(model, "thinking")).toMatchObject({ tokens: 90, duration_ms: 2100 });
    expect(types(model)).toEqual(["user", "maker", "thinking", "text", "exchange"]);
    expect(only(model, "exchange")).toMatchObject({ requests: 1, cost_usd: 0.01, duration_ms: 2200 });
  });

  test("parallel calls end in any order; B25 an id that comes again is a new call", () => {
    const story = createStory();
    story.say("look");
    story.stream(start, ...call(0, "c1", "grep", { pattern: "x" }), ...call(1, "c2", "bash", { command: "ls" }), done);
    story.answer({ usage });
    story.entry({ kind: "tool_call", data: { tool_call_id: "c1", name: "grep" } });
    story.run("c2", "bash", "a\nb", { exit_code: 0, live: ["a\n", "b"] });
    const half = heard(story)
      .items()
      .filter(({ type }) => type === "tool");
    expect(half).toMatchObject([
      { state: "running" },
      { state: "done", output: "a\nb", output_lines: 2, exit_code: 0 },
    ]);
    story.run("c1", "grep", "found");
    story.stream(start, ...call(0, "c1", "grep", { pattern: "y" }), done);
    story.answer({ usage });
    story.run("c1", "grep", "nothing", { is_error: true });
    story.stream(start, ...text(0, "done"), done);
    story.answer({ usage });
    story.end();
    const tools = heard(story)
      .items()
      .filter(({ type }) => type === "tool");
    expect(tools).toMatchObject([
      { summary: "grep x", state: "done", output: "found" },
      { summary: "$ ls", state: "done" },
      { summary: "grep y", state: "failed", output: "nothing" },
    ]);
    expect(only(heard(story), "exchange")).toMatchObject({ requests: 3, usage: { thinking_tokens: 270 } });
    expect(only(heard(story), "exchange").cost_usd).toBeUndefined();
  });

  test("what was thrown away is gone, and a countdown stands in its place until it is asked again", () => {
    const story = createStory();
    story.say("hello");
    story.stream(start, ...text(0, "half an ans"));
    const error = errorInfo({ category: "overloaded", message: "busy" });
    story.stream({ type: "error", error });
    story.emit({ type: "retrying", delay_ms: 3000, attempt: 2, attempts_max: 3, error, discards: true });
    expect(types(heard(story))).toEqual(["user", "retrying"]);
    expect(only(heard(story), "retrying").until).toBe(story.time.now + 3000);
    story.stream(start, ...text(0, "whole"), done);
    expect(types(heard(story))).toEqual(["user", "text"]);
    story.answer({ usage });
    story.end();
    expect(types(heard(story))).toEqual(["user", "maker", "text", "exchange"]);
  });

  test("a chain that went on to the next model says so, once", () => {
    const story = createStory();
    const hop = { from: "a:one", to: "sim:sim-think", error: errorInfo({ category: "server", message: "500" }) };
    story.say("hello");
    story.stream({ type: "fallback", ...hop }, start, ...text(0, "hi"));
    expect(types(heard(story))).toEqual(["user", "warning", "text"]);
    story.stream(done);
    story.answer({ usage, hops: [hop] });
    expect(only(heard(story), "warning").message).toContain("a:one could not answer (server: 500)");
  });

  test("an interrupted answer is kept, with the calls that were not run", () => {
    const story = createStory();
    story.say("go");
    story.stream(start, ...text(0, "I will"), { type: "tool_call_start", block_index: 1, id: "c1", name: "bash" });
    story.answer({ error: errorInfo({ category: "aborted", message: "interrupted" }), usage }, true);
    story.entry({ kind: "interrupted", data: { reason: "user" } });
    story.end({ outcome: "interrupted" });
    expect(types(heard(story))).toEqual(["user", "maker", "text", "tool", "interrupted", "exchange"]);
    expect(only(heard(story), "tool").state).toBe("interrupted");
  });

  test("an error stands in the conversation once, whether an entry has it or only the end of the turn", () => {
    const error = errorInfo({ category: "auth", message: "no key" });
    const story = createStory();
    story.say("go");
    story.stream({ type: "error", error });
    story.answer({ error }, true);
    story.end({ outcome: "failed", error });
    expect(only(heard(story), "error")).toMatchObject({ provider: "sim", error });
    const other = createStory();
    other.say("go");
    other.end({ outcome: "failed", error });
    expect(only(heard(other), "error").error).toBe(error);
  });

  test("refused, denied and ended calls are told apart", () => {
    const story = createStory();
    story.say("go");
    const names = ["c1", "c2", "c3"];
    story.stream(start, ...names.flatMap((id, index) => call(index, id, "bash", { command: id })), done);
    story.answer({ usage });
    story.emit({ type: "approval_asked", approval_id: "q", tool_call_id: "c1", name: "bash", summary: "$ c1" });
    expect(
      heard(story)
        .items()
        .find(({ type }) => type === "tool"),
    ).toMatchObject({ state: "asking" });
    story.emit({ type: "approval_settled", approval_id: "q", allowed: false });
    story.run("c1", "bash", "The user said no", { is_error: true, refused: true });
    story.run("c2", "bash", "[Exit code 1.]", { is_error: true, exit_code: 1 });
    story.run("c3", "bash", "Not run: the user interrupted before it began", { is_error: true, refused: true });
    expect(
      heard(story)
        .items()
        .filter(({ type }) => type === "tool"),
    ).toMatchObject([{ state: "denied" }, { state: "failed", exit_code: 1 }, { state: "interrupted" }]);
  });

  test.each([
    ["length", /^cut off: .* as many tokens/],
    ["content_filter", /^cut off by a filter/],
    ["error", /^cut off: the provider ended/],
  ] as const)("an answer that ended by %s says so, then and afterwards", (finish_reason, words) => {
    const story = createStory();
    story.say("tell me all");
    story.stream(start, ...text(0, "Once upon a"), {
      type: "done",
      finish_reason,
      raw_finish_reason: finish_reason,
      usage,
    });
    story.answer({ usage, finish_reason });
    story.end();
    expect(only(heard(story), "warning").message).toMatch(words);
    expect(only(reopened(story.log()), "warning").message).toMatch(words);
  });

  test("what a limit says is not said again by the command that it stopped", () => {
    const story = createStory();
    story.emit({ type: "limit_reached", limit: "depth", message: "no deeper" });
    const model = heard(story);
    model.notice(["no deeper"], "error");
    expect(types(model)).toEqual(["limit"]);
    model.notice(["something else"], "error");
    expect(types(model)).toEqual(["limit", "notice"]);
  });

  test("notes of an answer are said once, by the entry or by the event", () => {
    const story = createStory();
    const note = { code: "level", message: "max became high" };
    for (const line of ["one", "two"]) {
      story.say(line);
      story.stream(start, ...text(0, "hi"), done);
      story.answer({ usage, notes: [note] });
      if (line === "one") story.emit({ type: "warning", ...note });
      story.end();
    }
    expect(only(heard(story), "warning").message).toBe("max became high");
  });

  test("queued lines stay at the end until it is their turn or they are taken back", () => {
    const story = createStory();
    story.say("first");
    story.emit({ type: "queued", text: "second", waiting: 1 });
    story.emit({ type: "queued", text: "third", waiting: 2 });
    story.stream(start, ...text(0, "answer"), done);
    expect(types(heard(story))).toEqual(["user", "text", "queued", "queued"]);
    story.answer({ usage });
    story.say("second");
    const model = heard(story);
    expect(types(model)).toEqual(["user", "maker", "text", "exchange", "user", "queued"]);
    model.dropQueued();
    expect(types(model)).toEqual(["user", "maker", "text", "exchange", "user"]);
  });

  test("sealed thinking, citations and a provider's own search", () => {
    const story = createStory();
    story.say("search");
    const opaque = (data: Record<string, string | Record<string, string>>) => ({
      provider: "sim",
      model: "sim-think",
      data,
    });
    story.stream(
      start,
      ...thinking(0, ""),
      { type: "opaque", block_index: 0, opaque: opaque({ signature: "x" }) },
      { type: "opaque", block_index: 1, opaque: opaque({ type: "web_search_call", action: { query: "sky" } }) },
      ...text(2, "Blue."),
      { type: "citation", block_index: 2, citation: { url: "https://example.org/sky", title: "Sky" } },
      done,
    );
    const live = heard(story)
      .items()
      .map((item) => (item.type === "extra" ? item.text : item.type));
    const shown = ["user", "thinking", 'sim: web search call "sky"', "text", "source: Sky (https://example.org/sky)"];
    expect(live).toEqual(shown);
    expect(only(heard(story), "thinking").sealed).toBe(true);
    story.answer({ usage });
    const after = heard(story)
      .items()
      .map((item) => (item.type === "extra" ? item.text : item.type));
    expect(after).toEqual(["user", "maker", ...shown.slice(1), "exchange"]);
  });
});

describe("the log", () => {
  const turn = (story: Story, line: string, answer: string) => {
    const said = story.say(line);
    story.stream(start, ...text(0, answer), done);
    story.answer({ usage, cost_usd: 0.001 });
    story.end();
    return said;
  };

  test("what was rewound is one line that holds it, and a rewind into it brings it back", () => {
    const story = createStory();
    turn(story, "one", "1");
    story.entry({ kind: "mark", content: "here" });
    const mark = story.log().at(-1)?.uuid ?? "";
    turn(story, "two", "2");
    const two = story.log().at(-1)?.uuid ?? "";
    story.entry({ kind: "rewind", content: "here", data: { target_uuid: mark } });
    const model = heard(story);
    expect(types(model)).toEqual(["user", "maker", "text", "exchange", "mark", "rewind"]);
    expect(only(model, "rewind")).toMatchObject({ label: "here", messages: 2 });
    expect(only(model, "rewind").folded.map(({ type }) => type)).toEqual(["user", "text", "exchange"]);
    turn(story, "three", "3");
    story.entry({ kind: "rewind", data: { target_uuid: two } });
    const again = heard(story);
    const shown = again.items().map((item) => (item.type === "user" || item.type === "text" ? item.text : item.type));
    expect(shown).toEqual(["one", "maker", "1", "exchange", "mark", "two", "2", "exchange", "rewind"]);
    expect(only(again, "rewind").messages).toBe(2);
  });

  test("a child shows where its own conversation begins, and a model is named where it changes", () => {
    const story = createStory();
    const parent = "c0d1000000000000000000";
    const choice = { provider: "sim", model: "sim-think", thinking_level: "med" } as const;
    story.entry({ kind: "model", data: choice }, parent);
    story.entry({ kind: "user", content: "hi" }, parent);
    story.entry({ kind: "model", data: choice });
    story.stream(start, ...text(0, "hello"), done);
    story.answer({ usage });
    story.entry({ kind: "model", data: { ...choice, thinking_level: "high" } });
    const model = reopened(story.log());
    // Whoever switched was told: the next answer says whose it is.
    expect(types(model)).toEqual(["user", "forked_from", "maker", "text", "exchange"]);
    expect(only(model, "forked_from").parent_uuid).toBe(parent);
  });

  test("a call on an older page meets its result", () => {
    const story = createStory();
    story.say("go");
    story.stream(start, ...call(0, "c1", "bash", { command: "ls" }), done);
    story.answer({ usage, cost_usd: 1 });
    story.run("c1", "bash", "out", { exit_code: 0 });
    story.stream(start, ...text(0, "done"), done);
    story.answer({ usage, cost_usd: 2 });
    const log = story.log();
    for (let border = 0; border <= log.length; border++) {
      const model = reopened(log.slice(border));
      model.addOlder(log.slice(0, border));
      expect(lasting(model.items())).toEqual(lasting(reopened(log).items()));
    }
  });

  test("older pages are read one after another until there are none", async () => {
    const story = createStory();
    for (let index = 0; index < 10; index++) turn(story, `line ${index}`, "answer");
    const log = story.log();
    const asked: string[] = [];
    const model = createTranscript({
      now: () => 0,
      agent_uuid: agent,
      older: async (before) => {
        asked.push(before);
        const end = log.findIndex(({ uuid }) => uuid === before);
        return { entries: log.slice(Math.max(0, end - 6), end), older: end > 6 };
      },
    });
    model.add(log.slice(-6), { older: true });
    expect(await Promise.all([model.loadOlder(), model.loadOlder()])).toEqual([true, true]);
    expect(asked).toHaveLength(1);
    while (await model.loadOlder());
    expect(lasting(model.items())).toEqual(lasting(reopened(log).items()));
    expect(await model.loadOlder()).toBe(false);
  });

  test("U06 only the end of a large output is kept, and how much there is", () => {
    const story = createStory();
    story.say("go");
    story.stream(start, ...call(0, "c1", "bash", { command: "seq" }), done);
    story.answer({ usage });
    const output = Array.from({ length: 5000 }, (_, index) => `line ${index}`).join("\n");
    story.run("c1", "bash", output, { live: output.split(/(?<=\n)/) });
    const tool = only(heard(story), "tool");
    expect(tool.output_lines).toBe(5000);
    expect(tool.output.length).toBeLessThan(9000);
    expect(tool.output.endsWith("line 4999")).toBe(true);
    expect(tool.result_uuid).toBe(story.log().at(-1)?.uuid);
  });
});

describe("properties", () => {
  /** A turn as random choices: rounds of blocks, how each call ends, what goes wrong. */
  const block = fc.constantFrom("thinking", "text", "empty", "call", "sealed");
  const round = fc.record({
    blocks: fc.array(block, { maxLength: 4 }),
    trouble: fc.constantFrom("none", "none", "none", "retry", "silent_retry", "fallback"),
    results: fc.constantFrom("done", "failed", "denied"),
    priced: fc.boolean(),
  });
  const turnPlan = fc.record({
    rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
    ending: fc.constantFrom("answer", "answer", "interrupted", "failed", "limit"),
    after: fc.constantFrom("nothing", "mark", "rewind", "rewind", "model", "mail", "clear", "compact"),
    seed: fc.nat(50),
  });
  type Plan = typeof turnPlan extends fc.Arbitrary<infer Value> ? Value : never;

  function play(story: Story, { rounds, ending, after, seed }: Plan, turnIndex: number): void {
    story.emit({ type: "state", state: "streaming" });
    story.say(`question ${turnIndex}`);
    const error = errorInfo({ category: "server", message: "broke" });
    rounds.forEach(({ blocks, trouble, results, priced }, roundIndex) => {
      const last = roundIndex === rounds.length - 1;
      const prefix = `${turnIndex % 2}-${roundIndex % 2}`;
      const events = blocks.flatMap((kind, index) => {
        if (kind === "thinking") return thinking(index, "let", " me see");
        if (kind === "sealed") return thinking(index, "");
        if (kind === "empty") return text(index, "");
        if (kind === "text" || (last && ending === "answer")) return text(index, "some ", "words");
        return call(index, `${prefix}-${index}`, "bash", { command: `cmd ${index}` });
      });
      if (trouble === "retry" || trouble === "silent_retry") {
        story.stream(start, ...text(0, "will be thrown away"));
        story.stream({ type: "error", error });
        if (trouble === "retry") {
          story.emit({ type: "retrying", delay_ms: 10, attempt: 2, attempts_max: 3, error, discards: true });
        }
      }
      const hops = trouble === "fallback" ? [{ from: "a:b", to: "sim:sim-think", error }] : [];
      for (const hop of hops) story.stream({ type: "fallback", ...hop });
      const spent = { usage, ...(priced ? { cost_usd: 0.5 } : {}), ...(hops.length > 0 ? { hops } : {}) };
      if (last && ending === "interrupted") {
        story.stream(start, ...events.slice(0, seed));
        story.answer({ ...spent, error: errorInfo({ category: "aborted", message: "interrupted" }) }, true);
        story.entry({ kind: "interrupted", data: { reason: "user" } });
        return;
      }
      if (last && ending === "failed") {
        story.stream(start, ...events.slice(0, seed), { type: "error", error });
        story.answer({ ...spent, error }, true);
        return;
      }
      story.stream(start, ...events, done);
      const answer = story.answer(spent);
      if (answer.kind !== "assistant") return;
      for (const one of answer.data.blocks) {
        if (one.type !== "tool_call") continue;
        if (seed % 3 === 0) story.entry({ kind: "pin", content: "README.md" });
        if (results === "denied") story.run(one.id, one.name, "The user said no", { is_error: true, refused: true });
        else story.run(one.id, one.name, "out\nput", { is_error: results === "failed", live: ["out\n", "put"] });
      }
    });
    story.end({
      outcome: ending === "answer" ? "done" : ending === "failed" ? "failed" : "interrupted",
      ...(ending === "failed" ? { error } : {}),
    });
    afterwards(story, after, seed);
  }

  function afterwards(story: Story, after: Plan["after"], seed: number): void {
    const targets = story.log().filter(({ kind }) => kind === "user" || kind === "mark" || kind === "clear");
    const target = targets[seed % targets.length];
    if (after === "mark") story.entry({ kind: "mark", content: `m${seed}` });
    if (after === "rewind" && target !== undefined) {
      story.entry({ kind: "rewind", data: { target_uuid: target.uuid } });
    }
    if (after === "model") {
      story.entry({ kind: "model", data: { provider: "sim", model: `sim-${seed % 2}`, thinking_level: "med" } });
    }
    if (after === "mail") story.entry({ kind: "mail", content: "hello", data: { mail_uuid: "m", from_uuid: "b7c2" } });
    if (after === "clear") story.entry({ kind: "clear" });
    if (after === "compact" && story.log().at(-1)?.kind !== "tool_result")
      story.entry({ kind: "compact", content: "[A summary]\n\nshort", data: { usage } });
  }

  const plans = fc.array(turnPlan, { minLength: 1, maxLength: 4 });
  const told = (given: readonly Plan[]): Story => {
    const story = createStory();
    given.forEach((plan, index) => play(story, plan, index));
    return story;
  };

  test("what was watched and what is read again afterwards are the same items", () => {
    fc.assert(
      fc.property(plans, (given) => {
        const story = told(given);
        expect(lasting(heard(story).items())).toEqual(lasting(reopened(story.log()).items()));
      }),
      { numRuns: 400 },
    );
  });

  test("it does not matter in how many pieces a log is added", () => {
    fc.assert(
      fc.property(plans, fc.nat(20), (given, size) => {
        const log = told(given).log();
        const model = open();
        for (let at = 0; at < log.length; at += size + 1) model.add(log.slice(at, at + size + 1));
        expect(lasting(model.items())).toEqual(lasting(reopened(log).items()));
      }),
      { numRuns: 200 },
    );
  });

  test("what is in force is the same, wherever the borders of pages are", () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 9 }), (given, size) => {
        const log = told(
          given.map((plan) => ({ ...plan, rounds: plan.rounds.map((one) => ({ ...one, trouble: "none" as const })) })),
        ).log();
        const model = open();
        model.add(log.slice(-size));
        for (let end = log.length - size; end > 0; end -= size) model.addOlder(log.slice(Math.max(0, end - size), end));
        const flat = (items: readonly Item[]): readonly unknown[] =>
          items.map((item) => (item.type === "rewind" ? { type: item.type, entry_uuid: item.entry_uuid } : bare(item)));
        expect(flat(model.items())).toEqual(flat(reopened(log).items()));
      }),
      { numRuns: 400 },
    );
  });

  test("what is not folded is what is in force", () => {
    fc.assert(
      fc.property(plans, (given) => {
        const isKept = ({ after }: Plan): boolean => after !== "clear" && after !== "compact";
        const log = told(given.map((plan) => (isKept(plan) ? plan : { ...plan, after: "rewind" }))).log();
        const replay = createReplay();
        for (const entry of log) replay.add(entry);
        const inForce = replay.entries().filter(({ kind }) => kind === "user" || kind === "mark" || kind === "mail");
        const seen = reopened(log)
          .items()
          .filter(({ type }) => type === "user" || type === "mark" || type === "mail");
        expect(seen.map(({ entry_uuid }) => entry_uuid)).toEqual(inForce.map(({ uuid }) => uuid));
      }),
      { numRuns: 400 },
    );
  });

  test("a list in step by `changedSince` alone is the list", () => {
    fc.assert(
      fc.property(plans, fc.nat(7), (given, every) => {
        const story = told(given);
        const model = open();
        const copy: Item[] = [];
        let revision = 0;
        story.events.forEach((event, index) => {
          model.hear(event);
          if (index % (every + 1) !== 0 && index < story.events.length - 1) return;
          const changed = model.changedSince(revision);
          revision = changed.revision;
          copy.length = Math.min(copy.length, changed.from);
          copy.push(...model.items().slice(copy.length));
          expect(copy).toEqual(model.items());
          copy.forEach((item, at) => expect(item).toBe(model.items()[at]));
        });
      }),
      { numRuns: 100 },
    );
  });
});
