import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { errorCategories, errorInfo, type LogEntry } from "../../src/core/index.ts";
import {
  adviceFor,
  createBlockList,
  createRich,
  createSpeaker,
  createTranscript,
  exchangeLine,
  findItem,
  itemBlock,
  itemWords,
  transcriptLines,
  transcriptText,
  type Item,
  type ItemContext,
  type Rich,
  type Spoken,
  type TranscriptModel,
} from "../../src/repl/transcript/index.ts";
import { createBlockCache, lineWidth, textOf, viewScroll, following } from "../../src/term/index.ts";
import { agent, call, createStory, done, start, text, thinking, usage, type Story } from "./story.ts";

const rich: Rich = createRich();
await rich.load();

/** Everything stands as it is a second after the end of a story. */
function tell(
  story: (story: Story) => void,
  folder?: string,
): { readonly model: TranscriptModel; readonly context: ItemContext; readonly log: readonly LogEntry[] } {
  let now = 0;
  const model = createTranscript({ now: () => now, agent_uuid: agent, ...(folder === undefined ? {} : { folder }) });
  const told = createStory((event, at) => {
    now = at;
    model.hear(event);
  });
  story(told);
  return { model, context: { ...plain, now: () => now + 1000 }, log: told.log() };
}

const plain: ItemContext = {
  thinking: "collapsed",
  expanded: new Set(),
  nameOf: (uuid) => uuid.slice(0, 4),
  now: () => 0,
  frozen: false,
  rich,
};

function shown(items: readonly Item[], width: number, context: ItemContext = plain): string {
  return transcriptLines(items, width, context)
    .map((row) => textOf(row).trimEnd())
    .join("\n");
}

function golden(name: string, text: string): void {
  const folder = new URL("golden/", import.meta.url);
  const file = new URL(`transcript-${name}.txt`, folder);
  if (process.env["UPDATE_GOLDEN"] === "1" || !existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(readFileSync(file, "utf8"));
}

const patch = `--- a/README.md
+++ b/README.md
@@ -1,3 +1,4 @@
 # The program
-hi
+hello world
+It counts words.
 the end
`;

const answer = `I updated the **README**: the first paragraph now says what the program is for, in words a new reader knows.

| File | Change |
|---|---|
| README.md | first paragraph |
| src/count.ts | nothing |

\`\`\`ts
const words = text.split(" ");
\`\`\`

1. Run it
2. Read \`README.md\``;

/** Everything a conversation can hold, as a person meets it. */
const stories: { readonly [name: string]: (story: Story) => void } = {
  conversation(story) {
    story.entry({ kind: "model", data: { provider: "anthropic", model: "claude-opus-5-5", thinking_level: "med" } });
    story.entry({
      kind: "user",
      content: "Improve the README\nand keep it short",
      data: { blocks: [{ type: "document", title: "notes.txt", media_type: "text/plain", data: "" }] },
    });
    story.stream(start, ...thinking(0, "The README says only hi."));
    story.time.now += 2100;
    story.stream(
      ...call(1, "c1", "bash", { command: "ls -la && cat README.md" }),
      ...call(2, "c2", "file_read", { path: "src/count.ts" }),
      done,
    );
    story.answer({ usage, cost_usd: 0.0123 });
    story.run("c1", "bash", "total 8\nREADME.md\nsrc\ntest\n\n# The program\nhi\nthe end", { exit_code: 0 });
    story.run("c2", "file_read", "const words = 1;\nexport { words };");
    story.stream(
      start,
      ...call(0, "c3", "file_edit", { path: "README.md", old_text: "hi", new_text: "hello world" }),
      done,
    );
    story.answer({ usage, cost_usd: 0.0123 });
    story.run("c3", "file_edit", "Edited README.md", { diff: patch });
    story.stream(
      start,
      ...call(0, "c4", "bash", { command: "npm test -- --reporter=verbose --run test/words.test.ts" }),
      done,
    );
    story.answer({ usage, cost_usd: 0.0123 });
    story.run("c4", "bash", "1 failed\n[Exit code 1.]", { is_error: true, exit_code: 1 });
    story.stream(start, ...text(0, answer), done);
    story.answer({ usage, cost_usd: 0.0123 });
    story.end();
    story.entry({ kind: "mark", content: "before-refactor" });
    story.entry({ kind: "mail", content: "tests pass, 2 files changed", data: { mail_uuid: "m", from_uuid: "b7c2" } });
  },
  running(story) {
    story.say("Look around");
    story.stream(start, ...thinking(0, "First the files,\nthen the tests of the parser"));
    story.stream(...text(1, "I look at the files and run the tests."));
    story.stream(
      ...["c1", "c2", "c3"].flatMap((id, index) => call(index + 2, id, "bash", { command: `run ${id}` })),
      done,
    );
    story.answer({ usage });
    story.entry({ kind: "tool_call", data: { tool_call_id: "c1", name: "bash" } });
    story.emit({ type: "tool_started", tool_call_id: "c1", name: "bash", summary: "$ run c1" });
    story.emit({
      type: "tool_output",
      tool_call_id: "c1",
      text: Array.from({ length: 8 }, (_, n) => `step ${n}\n`).join(""),
    });
    story.emit({ type: "approval_asked", approval_id: "q", tool_call_id: "c2", name: "bash", summary: "$ run c2" });
    story.emit({ type: "queued", text: "and then tell me", waiting: 1 });
  },
  thinking(story) {
    story.say("Why is the sky blue?");
    story.stream(start, ...thinking(0, "Rayleigh scattering:\nshort waves are scattered more"));
  },
  trouble(story) {
    const error = errorInfo({ category: "overloaded", message: "529 Overloaded" });
    story.say("one");
    story.stream(start, ...text(0, "This is"));
    story.answer({ error: errorInfo({ category: "aborted", message: "interrupted" }), usage }, true);
    story.entry({ kind: "interrupted", data: { reason: "user" } });
    story.end({ outcome: "interrupted" });
    story.say("two");
    const auth = errorInfo({ category: "auth", message: "401 invalid x-api-key", request_id: "req_1" });
    story.stream({ type: "error", error: auth });
    story.answer({ error: auth }, true);
    story.end({ outcome: "failed", error: auth });
    story.say("three");
    const hop = { from: "a:one", to: "sim:sim-think", error };
    story.stream({ type: "fallback", ...hop }, start, ...text(0, "Answered by another."), done);
    story.answer({
      usage,
      hops: [hop],
      notes: [{ code: "level", message: "max is not offered by sim-think; high was sent" }],
    });
    story.end();
    story.emit({ type: "limit_reached", limit: "session_usd", message: "$5.00 of this session are used up" });
    story.say("four");
    story.emit({ type: "retrying", delay_ms: 2000, attempt: 2, attempts_max: 3, error, discards: false });
  },
  history(story) {
    const parent = "c0d1000000000000000000";
    story.entry({ kind: "user", content: "Plan it" }, parent);
    story.entry({ kind: "mark", content: "plan" });
    story.say("Build it");
    story.stream(start, ...text(0, "Done."), done);
    story.answer({ usage, cost_usd: 1.5 });
    story.end();
    const [, mark] = story.log();
    story.entry({ kind: "rewind", content: "plan", data: { target_uuid: mark?.uuid ?? "" } });
    story.entry({ kind: "pin", content: "docs/plan.md" });
    story.entry({ kind: "toolset", data: { tools: ["bash", "grep"] } });
    story.entry({
      kind: "fork",
      content: "try it with streams",
      data: { child_uuid: "b7c2000000000000000000", provider: "openai", model: "gpt-6.1-sol", thinking_level: "high" },
    });
    story.entry({
      kind: "compact",
      content: "[A summary of the conversation so far]\n\nWe plan a program.\nIt counts words.",
      data: { usage, cost_usd: 0.2 },
    });
    story.entry({
      kind: "command",
      content: "!git status",
      data: { output: "On branch main\nnothing to commit\n", exit_code: 0 },
    });
    story.entry({ kind: "clear" });
    story.entry({ kind: "agent_killed", data: { by_uuid: parent } });
  },
};

describe("golden renderings", () => {
  for (const [name, story] of Object.entries(stories)) {
    test.each([40, 80, 120])(`${name} at %i columns`, (width) => {
      const { model, context } = tell(story);
      for (const row of transcriptLines(model.items(), width, context))
        expect(lineWidth(row)).toBeLessThanOrEqual(width);
      golden(`${name}-${width}`, `${shown(model.items(), width, context)}\n`);
    });

    test(`${name} in words`, () => {
      const { model, context } = tell(story);
      golden(
        `${name}-words`,
        `${model
          .items()
          .flatMap((item) => itemWords(item, context))
          .join("\n")}\n`,
      );
    });
  }
});

// oxlint-disable-next-line no-control-regex -- what must not be there
const controls = /[\u0000-\u001f\u007f-\u009f\u202e]/;

describe("looks", () => {
  test("a block has another version exactly when it would look different", () => {
    const { model, context } = tell((story) => stories["running"]?.(story));
    const [user, , thought, , tool] = model.items();
    if (user === undefined || thought?.type !== "thinking" || tool?.type !== "tool") throw new Error("another story");
    const later = { ...context, now: () => context.now() + 500 };
    const open = { ...context, expanded: new Set([thought.id]) };
    const version = (item: Item, how: ItemContext) => itemBlock(item, how).version;
    expect(version(user, later)).toBe(version(user, context));
    expect(version(tool, later)).not.toBe(version(tool, context));
    expect(version(thought, open)).not.toBe(version(thought, context));
    expect(version(user, open)).toBe(version(user, context));
    expect(version(user, { ...context, frozen: true })).not.toBe(version(user, context));
  });

  test("a piece of an answer makes no new blocks and looks at none that is not on the screen", () => {
    const { model, context } = tell((story) => {
      for (let index = 0; index < 50; index++) stories["conversation"]?.(story);
      story.say("more");
      story.stream(start, ...text(0, "one"));
    });
    const list = createBlockList(model, () => context);
    list.refresh();
    const before = [...list.blocks];
    const transcript = { blocks: list.blocks, cache: createBlockCache() };
    const rows = () => viewScroll(transcript, following, { width: 80, rows: 10 }).rows.map(textOf);
    expect(rows().at(-1)).toBe(" one");
    model.hear({ type: "stream", agent_uuid: agent, event: { type: "text_delta", block_index: 0, text: " two" } });
    list.refresh();
    expect(list.blocks).toHaveLength(before.length);
    list.blocks.forEach((block, index) => expect(block).toBe(before[index]));
    let rendered = 0;
    const counted = list.blocks.map((block) => ({
      id: block.id,
      get version() {
        return block.version;
      },
      render: (width: number) => {
        rendered += 1;
        return block.render(width);
      },
    }));
    viewScroll({ blocks: counted, cache: transcript.cache }, following, { width: 80, rows: 10 });
    expect(rendered).toBe(1);
    expect(rows().at(-1)).toBe(" one two");
  });

  test("thinking is shown, collapsed or hidden, and one can be opened alone", () => {
    const { model, context } = tell((story) => {
      story.say("why?");
      story.stream(start, ...thinking(0, "first\nsecond"), ...text(1, "because"), done);
      story.answer({ usage });
    });
    const items = model.items();
    const id = items.find(({ type }) => type === "thinking")?.id ?? "";
    const view = (thinking: "shown" | "collapsed" | "hidden", open: readonly string[] = []) =>
      shown(items, 40, { ...context, thinking, expanded: new Set(open) });
    expect(view("shown")).toContain("▾ thought 0.0s · 90 tok\n  first\n  second");
    expect(view("collapsed")).not.toContain("first");
    expect(view("collapsed", [id])).toContain("first");
    expect(view("shown", [id])).not.toContain("first");
    expect(view("hidden")).not.toContain("thought");
    expect(view("hidden").split("\n").slice(0, 4)).toEqual(["› why?", "", "sim sim-think/med", "because"]);
  });

  test("control codes of models and tools never reach a row", () => {
    const evil = "\u001b]0;owned\u0007\u001b[2Jred\u001b[0m\rx\u202Ey";
    const { model, context } = tell((story) => {
      story.entry({
        kind: "user",
        content: evil,
        data: { blocks: [{ type: "document", title: evil, media_type: "x", data: "" }] },
      });
      story.stream(start, ...thinking(0, evil), ...text(1, evil), ...call(2, "c1", "bash", { command: evil }), done);
      story.answer({ usage, notes: [{ code: "x", message: evil }] });
      story.run("c1", "bash", evil, { is_error: true });
      story.stream(
        start,
        ...call(0, "c2", evil, { [evil]: evil }),
        ...call(1, "c3", "file_edit", { path: evil }),
        done,
      );
      story.answer({ usage, error: errorInfo({ category: "server", message: evil }) }, true);
      story.run("c3", "file_edit", evil, { diff: `@@ -1 +1 @@\n-${evil}\n+${evil}` });
      story.entry({ kind: "mark", content: evil });
      story.entry({ kind: "mail", content: evil, data: { mail_uuid: "m" } });
      story.entry({ kind: "compact", content: evil, data: {} });
      story.entry({ kind: "command", content: evil, data: { output: evil, exit_code: 1 } });
      story.entry({ kind: "pin", content: evil });
      story.entry({ kind: "model", data: { provider: evil, model: evil } });
      story.entry({ kind: "fork", content: evil, data: { child_uuid: "b7c2", provider: evil, model: evil } });
      story.emit({ type: "warning", code: "y", message: evil });
      story.emit({ type: "limit_reached", limit: "agents", message: evil });
    });
    const all = { has: () => true };
    for (const how of [
      context,
      { ...context, expanded: all, nameOf: () => evil },
      { ...context, thinking: "shown" as const },
    ]) {
      for (const { rich: loaded, ...rest } of [how]) {
        for (const one of [{ ...rest }, { ...rest, ...(loaded === undefined ? {} : { rich: loaded }) }]) {
          for (const row of transcriptLines(model.items(), 60, one)) expect(textOf(row)).not.toMatch(controls);
        }
      }
    }
  });

  test("what was rewound can be opened and read, dim", () => {
    const { model, context } = tell((story) => stories["history"]?.(story));
    const id = model.items().find(({ type }) => type === "rewind")?.id ?? "";
    const open = { ...context, expanded: new Set([id]) };
    expect(shown(model.items(), 80, open)).toContain('▾ … 2 messages rewound to "plan"\n │ › Build it');
    const rows = transcriptLines(model.items(), 80, open).filter((row) => textOf(row).startsWith(" │ "));
    for (const row of rows) for (const part of row.slice(2)) expect(part.style?.dim).toBe(true);
  });

  test("a tool that is open shows its arguments and all that is kept, and says what is not", () => {
    const { model, context } = tell((story) => {
      story.say("go");
      story.stream(start, ...call(0, "c1", "bash", { command: "seq 100" }), done);
      story.answer({ usage });
      story.run("c1", "bash", Array.from({ length: 100 }, (_, index) => `row ${index}`).join("\n"));
    });
    const tool = model.items().find(({ type }) => type === "tool");
    if (tool === undefined) throw new Error("no tool");
    const closed = itemBlock(tool, context).render(80).map(textOf);
    expect(closed).toEqual([
      " $ seq 100  ✓ 0.1s  … 95 earlier lines (^O)",
      ...[95, 96, 97, 98, 99].map((row) => `   row ${row}`),
    ]);
    const open = itemBlock(tool, { ...context, expanded: new Set([tool.id]) })
      .render(80)
      .map(textOf);
    expect(open.slice(0, 4)).toEqual([
      " $ seq 100  ✓ 0.1s",
      '   {"command":"seq 100"}',
      "   … 40 earlier lines (^O)",
      "   row 40",
    ]);
    expect(open).toHaveLength(63);
  });

  test("paths below the folder are shown without it", () => {
    const { model } = tell((story) => {
      story.say("go");
      story.stream(
        start,
        ...call(0, "c1", "file_read", { path: "/home/me/proj/src/a.ts" }),
        ...call(1, "c2", "file_read", { path: "/etc/hosts" }),
        done,
      );
      story.answer({ usage });
    }, "/home/me/proj");
    const summaries = model.items().flatMap((item) => (item.type === "tool" ? [item.summary] : []));
    expect(summaries).toEqual(["read src/a.ts", "read /etc/hosts"]);
  });

  test("before Markdown is loaded, text stands as it is", () => {
    const { model, context } = tell((story) => stories["conversation"]?.(story));
    const { rich: _rich, ...bare } = context;
    expect(shown(model.items(), 80, bare)).toContain("I updated the **README**");
    expect(shown(model.items(), 80, bare)).toContain("-hi\n   +hello world");
  });

  test("every category of error says what to do", () => {
    for (const category of errorCategories) {
      const { title, what, now } = adviceFor(errorInfo({ category, message: "m" }), "anthropic");
      for (const part of [title, now]) expect(part.length).toBeGreaterThan(8);
      expect(what).toBe("m");
    }
    expect(adviceFor(errorInfo({ category: "auth", message: "m" }), "anthropic").now).toContain(
      "ikigai login anthropic",
    );
    const none = adviceFor(errorInfo({ category: "auth", message: "m", provider_code: "missing_key" }), "anthropic");
    expect(none.title).toBe("there is no key");
    expect(none.now).toMatch(/ikigai login anthropic.*\/retry.*\/model sim-echo/);
    expect(adviceFor(errorInfo({ category: "context_length", message: "m" }), "x").now).toContain("/compact");
    const limit = errorInfo({ category: "rate_limit", message: "m", retry_after_ms: 90_000 });
    expect(adviceFor(limit, "x").now).toContain("Wait 1 min 30 s");
  });

  test("the line after an exchange; an unknown price is never 0", () => {
    expect(exchangeLine({ usage, cost_usd: 0.06, duration_ms: 2100 })).toBe(
      "Tokens: 1,200 in + 40 out + 90 thinking (200 cached) = 1,330 · $0.0600 · 2.1s",
    );
    expect(exchangeLine({ usage })).toContain("· $?");
    expect(exchangeLine({ usage, cost_usd: 0.000_001 })).toContain("· <$0.0001");
  });

  test("/copy: the last answer as it was written, or everything", () => {
    const { model } = tell((story) => stories["conversation"]?.(story));
    expect(transcriptText(model.items(), "answer")).toBe(answer);
    expect(transcriptText(model.items(), "all")).toContain("› Improve the README");
    expect(transcriptText([], "answer")).toBe("");
  });
});

describe("in words", () => {
  const spoken = (pieces: readonly Spoken[]): string =>
    pieces
      .map((piece) => (piece.type === "line" ? `${piece.text}\n` : piece.type === "stream" ? piece.text : "|\n"))
      .join("");

  test("U31 each piece is said once, in order, however often it is asked", () => {
    let heard = "";
    let now = 0;
    const model = createTranscript({ now: () => now, agent_uuid: agent });
    const speaker = createSpeaker(model, () => ({ ...plain, thinking: "collapsed" }));
    const story = createStory((event, at) => {
      now = at;
      model.hear(event);
      heard += spoken(speaker.news());
    });
    story.say("go");
    story.stream(
      start,
      ...thinking(0, "hm", "m"),
      ...text(1, "I ", "look."),
      ...call(2, "c1", "bash", { command: "ls" }),
      done,
    );
    story.answer({ usage });
    story.run("c1", "bash", "a\nb", { exit_code: 0, live: ["a\n", "b"] });
    story.stream(start, ...text(0, "Do", "ne."), done);
    story.answer({ usage });
    story.end();
    expect(heard).toBe(
      [
        "you: go",
        "thinking",
        "thought for 0.0 s",
        "I look.|",
        "tool bash running: ls",
        "tool bash done in 0.1 s, exit 0",
        "  a",
        "  b",
        "Done.|",
        "Tokens: 2,400 in + 80 out + 180 thinking (400 cached) = 2,660 · $? · 0.4s",
        "",
      ].join("\n"),
    );
  });

  test("what was said and is thrown away is said to be", () => {
    let heard = "";
    const model = createTranscript({ now: () => 0, agent_uuid: agent });
    const speaker = createSpeaker(model, () => plain);
    const story = createStory((event) => {
      model.hear(event);
      heard += spoken(speaker.news());
    });
    const error = errorInfo({ category: "overloaded", message: "busy" });
    story.say("go");
    story.stream(start, ...text(0, "half"));
    story.emit({ type: "retrying", delay_ms: 2000, attempt: 2, attempts_max: 3, error, discards: true });
    story.stream(start, ...text(0, "whole"), done);
    expect(heard).toBe(
      [
        "you: go",
        "half|",
        "what has arrived of the answer is thrown away",
        "the provider is overloaded: busy; trying again in 2.0 s, try 2 of 3",
        "whole|",
        "",
      ].join("\n"),
    );
  });

  test("what is there when it begins needs not to be said, older pages never", () => {
    const { log } = tell((story) => stories["conversation"]?.(story));
    const model = createTranscript({ now: () => 0, agent_uuid: agent });
    model.add(log.slice(5));
    const speaker = createSpeaker(model, () => plain);
    speaker.skip();
    expect(speaker.news()).toEqual([]);
    model.addOlder(log.slice(0, 5));
    model.notice(["hello"], "info");
    expect(speaker.news()).toEqual([{ type: "line", text: "hello" }]);
  });
});

describe("search", () => {
  test("U04 finds text in parts that are not shown and on pages that are not loaded", async () => {
    const { log, context } = tell((story) => {
      story.say("needle in the beginning");
      for (let index = 0; index < 30; index++) {
        story.say(`line ${index}`);
        story.stream(start, ...thinking(0, index === 20 ? "a Needle in thought" : "hm"), ...text(1, "ok"), done);
        story.answer({ usage });
      }
    });
    const model = createTranscript({
      now: () => 0,
      agent_uuid: agent,
      older: async (before) => {
        const end = log.findIndex(({ uuid }) => uuid === before);
        return { entries: log.slice(Math.max(0, end - 10), end), older: end > 10 };
      },
    });
    model.add(log.slice(-10), { older: true });
    const first = await findItem(model, "needle", { direction: "older", context });
    expect(first?.hidden).toBe(true);
    const from = first?.id ?? "";
    const second = await findItem(model, "needle", { direction: "older", from, context });
    expect(second?.hidden).toBe(false);
    expect(model.items()[0]?.id).toBe(second?.id);
    expect(await findItem(model, "needle", { direction: "older", from: second?.id ?? "", context })).toBeUndefined();
    expect(await findItem(model, "needle", { direction: "newer", from: second?.id ?? "", context })).toEqual(first);
  });
});
