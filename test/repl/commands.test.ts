import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Tool } from "../../src/agent/tools/types.ts";
import { siblings } from "../../src/repl/commands/compare.ts";
import { submit } from "../../src/repl/commands/submit.ts";
import { commandNamed, slashCommands } from "../../src/repl/commands/table.ts";
import { call, gemini, gpt, said, tool, type StageOptions } from "../agent/support.ts";
import { histories } from "../store/support/engines.ts";
import { fakeHost, machine } from "./machine.ts";

const { open } = histories("sqlite");

async function opened(options: StageOptions = {}, mode: "screen" | "plain" = "screen") {
  const { here, services } = await machine(await open(), options);
  const fake = fakeHost(services, here.agents, mode);
  const { host } = fake;
  const type = async (text: string) => {
    fake.said.length = 0;
    const result = await submit(host, text);
    return result;
  };
  const settle = async () => {
    for (const { uuid } of host.agents().list()) await host.agents().settled(uuid);
  };
  return { here, fake, host, type, settle };
}

/** A tool that changes one file, as those that change files do. */
function writing(path: string, text: string): Tool {
  return {
    ...tool("scribble", () => "", "write"),
    async run(_args, { keepPreImage }) {
      await keepPreImage(path, readFileSync(path));
      writeFileSync(path, text);
      return { content: [{ type: "text", text: "written" }], is_error: false };
    },
  };
}

describe("the table", () => {
  test("names are unique, usages begin with them, everything is explained", () => {
    const names = slashCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, usage, summary, help } of slashCommands) {
      expect(usage.split(" ")[0]).toBe(`/${name}`);
      expect(summary.length).toBeLessThan(70);
      expect(help.length).toBeGreaterThan(0);
    }
  });

  test("holds everything people were promised", () => {
    const promised =
      "model fork compare agents kill reap send wait capture cancel mark rewind clear system pin unpin toolset tools think " +
      "usage export search resume retry compact copy mouse theme find keys new help exit quit";
    expect(promised.split(" ").filter((name) => commandNamed(name) === undefined)).toEqual([]);
  });
});

describe("what Enter does", () => {
  test("a message is said and answered", async () => {
    const { here, type, settle } = await opened();
    expect(await type("hello there")).toBe("taken");
    await settle();
    expect(said(here, here.root)[0]).toBe("user: hello there");
  });

  test("// sends a slash; a path is no command", async () => {
    const { here, type, settle } = await opened();
    await type("//model is a word");
    await settle();
    await type("/usr/bin/env is missing");
    await settle();
    expect(said(here, here.root).filter((line) => line.startsWith("user"))).toEqual([
      "user: /model is a word",
      "user: /usr/bin/env is missing",
    ]);
  });

  test("an unknown command names the nearest one and gives the line back", async () => {
    const { fake, type } = await opened();
    expect(await type("/modle gpt")).toBe("kept");
    expect(fake.said[0]).toContain("did you mean /model?");
    expect(fake.drafts).toEqual(["/modle gpt"]);
  });

  test("wrong arguments show the usage", async () => {
    const { fake, type } = await opened();
    expect(await type("/wait soon")).toBe("kept");
    expect(fake.said).toContain("Usage: /wait SECONDS [ID…]");
    await type("/fork --colour red");
    expect(fake.said[0]).toBe("there is no option --colour");
  });

  test("@path attaches the file and leaves the words; a missing one sends nothing", async () => {
    const { here, fake, type, settle } = await opened();
    await type("look at @README.md, and ask @alice");
    await settle();
    const [first] = here.agents.view(here.root).messages;
    expect(first?.content).toEqual([
      { type: "text", text: '<file path="README.md">\nhello\n</file>' },
      { type: "text", text: "look at @README.md, and ask @alice" },
    ]);
    expect(await type("look at @src/nothing.ts")).toBe("kept");
    expect(fake.said[0]).toContain("src/nothing.ts cannot be read");
    expect(fake.drafts).toEqual(["look at @src/nothing.ts"]);
    expect(here.agents.view(here.root).messages).toHaveLength(2);
    await type("look at \\@src/nothing.ts and `@src/none.ts`");
    await settle();
    expect(said(here, here.root).at(-2)).toBe("user: look at @src/nothing.ts and `@src/none.ts`");
  });

  test("!command is kept beside the conversation; !!command is told to the model", async () => {
    const { here, fake, type, settle } = await opened();
    await type("!echo hush");
    const [note] = here.agents.view(here.root).entries.filter(({ kind }) => kind === "command");
    expect(note).toMatchObject({ content: "!echo hush", data: { output: "ran echo [secret]\n", exit_code: 0 } });
    expect(here.agents.view(here.root).messages).toHaveLength(0);
    expect(fake.live[0]).toBe("$ echo hush");
    await type("!!false");
    await settle();
    expect(said(here, here.root)[0]).toBe("user: I ran `false` (exit code 1):\n\n```\nran false\n```");
  });

  test("Escape stops a command", async () => {
    const { here, fake, type } = await opened();
    fake.keys.push("escape");
    await type("!forever");
    const [note] = here.agents.view(here.root).entries.filter(({ kind }) => kind === "command");
    expect(note?.data).toEqual({ output: "ran forever\n" });
  });
});

describe("/model", () => {
  test("switches and says what was computed, as it is", async () => {
    const { here, fake, type, settle } = await opened();
    await type("think of something");
    await settle();
    await type(`/model ${gpt}`);
    expect(fake.said[0]).toBe("✓ Switched to OpenAI gpt-6.1-sol (Responses API)");
    expect(fake.said).toContain("  ⚠ 1 thinking block stays with Anthropic");
    expect(here.agents.view(here.root).model).toMatchObject({ provider: "openai", thinking_level: "low" });
    await type("/model /high");
    expect(here.agents.view(here.root).model).toMatchObject({ model: "gpt-6.1-sol", thinking_level: "high" });
  });

  test("a name nobody has is answered with those like it, and the line is given back", async () => {
    const { fake, type, settle } = await opened();
    expect(await type("/model opus/high")).toBe("kept");
    expect(fake.said[0]).toBe('there is no model "opus"; did you mean claude-opus-5-5?');
    await type(`/fork --model ${gpt} --model calude-opus-5-5 "hi"`);
    expect(fake.said[0]).toBe('there is no model "calude-opus-5-5"; did you mean claude-opus-5-5?');
    await type("hello");
    await settle();
    await type("/retry nothing-like-that");
    expect(fake.said[0]).toContain('No provider is known for the model "nothing-like-that"');
  });

  test("without a name: usable ones first, with context and price, then the level", async () => {
    const { here, fake, type } = await opened();
    fake.answers.push(
      (items) => items.find(({ label }) => label === "gpt-6.1-sol")?.value,
      (items) => items.find(({ label }) => label === "high")?.value,
    );
    await type("/model");
    expect(fake.picked[0]?.labels).toEqual([
      "claude-opus-5-5 | anthropic · 200k · $5 in, $25 out",
      "gpt-6.1-sol | openai · 400k · $? in, $? out",
      "grok-5 | xai · 256k · $? in, $? out · no key",
    ]);
    expect(fake.picked[1]?.labels[0]).toBe("low, as it is now | ");
    expect(here.agents.view(here.root).model).toMatchObject({ provider: "openai", thinking_level: "high" });
  });

  test("without a key: the exact command to add it; while it works: at the next request", async () => {
    const { here, fake, type, settle } = await opened({
      emulator: { delay_ms: 20 },
      world: { llm: { settings: { providers: { xai: { key: "good-key" } } } } },
    });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "hello" });
    await type("/model xai:grok-5");
    expect(fake.said).toContain("  It takes effect at the next request.");
    expect(fake.said.at(-1)).toBe("There is no key for xai yet. Add it with: ikigai login xai");
    await here.agents.command({ type: "interrupt", agent_uuid: here.root });
    await settle();
  });
});

describe("/fork, /compare, /capture", () => {
  test("several models make a comparison; the first child is looked at", async () => {
    const { here, fake, host, type, settle } = await opened();
    await type(`/fork --model ${gpt} --model ${gemini} --budget 0.5 "which of the two?"`);
    expect(fake.said.filter((line) => line.startsWith("✓ Forked"))).toHaveLength(2);
    expect(fake.said.at(-1)).toContain("/compare");
    const children = here.agents.list().filter(({ parent_uuid }) => parent_uuid === here.root);
    expect(host.here()).toBe(children[0]?.uuid);
    await settle();
    expect(said(here, host.here())[0]).toBe("user: which of the two?");
    expect(siblings(here.agents, host.here())).toEqual(children.map(({ uuid }) => uuid));
    expect(siblings(here.agents, here.root)).toEqual(children.map(({ uuid }) => uuid));
    await type("/compare");
    const text = fake.shown.join("\n");
    expect(text).toMatch(/gpt-6\.1-sol\/low.* │ .*gemini-4-argon\/low/);
    expect(text).toMatch(/You said: which of the two\?.* │ You said: which of the two\?/);
    expect(text).toMatch(/done · [\d.k]+ tokens · \d\.\d ?s/);
  });

  test("what a child is comes before what is said to it", async () => {
    const { here, fake, host, type, settle } = await opened();
    let said = 0;
    const stop = here.agents.subscribe((event) => {
      if (event.type === "entry" && event.entry.kind === "user") said = fake.said.length;
    });
    await type('/fork "which of the two?"');
    await settle();
    stop();
    expect(said).toBe(fake.said.length);
    expect(fake.said[0]).toBe(`✓ Forked ${host.here().slice(0, 4)} from ${here.root.slice(0, 4)} at message 0`);
  });

  test("options may stand behind a quoted prompt; apostrophes need no quotes", async () => {
    const { here, host, type, settle } = await opened();
    await type(`/fork "say it" --model ${gpt}`);
    await settle();
    expect(here.agents.view(host.here()).model?.provider).toBe("openai");
    await type("/fork don't repeat\nthe second line");
    await settle();
    expect(said(here, host.here()).at(-2)).toBe("user: don't repeat\nthe second line");
  });

  test("what is captured is the child's task, and the agent never sees it", async () => {
    const { here, fake, host, type, settle } = await opened();
    await type("/capture");
    await type("first line");
    await type("second line");
    expect(here.agents.view(here.root).messages).toHaveLength(0);
    await type("/fork --model nobody-knows-it");
    expect(here.agents.list()).toHaveLength(1);
    await type("/fork");
    await settle();
    expect(said(here, host.here())[0]).toBe("user: first line\nsecond line");
    host.goTo(here.root);
    await type("/capture never mind");
    await type("/cancel");
    expect(fake.said[0]).toBe("1 captured message dropped.");
    await type("heard again");
    await settle();
    expect(said(here, here.root)[0]).toBe("user: heard again");
  });

  test("nothing to compare is said so", async () => {
    const { fake, type } = await opened();
    expect(await type("/compare")).toBe("kept");
    expect(fake.said[0]).toContain("no children of one fork");
  });
});

describe("agents", () => {
  test("/agents shows the tree in words and goes where it is told", async () => {
    const { here, fake, host, type, settle } = await opened({}, "plain");
    await type(`/fork --name helper --model ${gpt} "hi"`);
    await settle();
    const child = host.here();
    await type("/agents");
    expect(fake.said[0]).toMatch(
      /^\S{4} root claude-opus-5-5\/low idle \(0 tok \$0\.00 · tree [\d.k]+ tok \$0\.\d+\)$/,
    );
    expect(fake.said[1]).toMatch(/^└ \S{4} helper gpt-6\.1-sol\/low idle \([\d.k]+ tok \$0\.\d+ · you are here\)$/);
    await type(`/agents ${here.root.slice(0, 4)}`);
    expect(host.here()).toBe(here.root);
    await type("/agents helper");
    expect(host.here()).toBe(child);
    await type("/agents root");
    expect(host.here()).toBe(here.root);
  });

  test("/kill asks where descendants work, and moves to the parent", async () => {
    const { here, fake, host, type } = await opened({ emulator: { delay_ms: 30 } });
    await type('/fork "a"');
    const child = host.here();
    await type('/fork "b"');
    host.goTo(child);
    await type("/kill");
    expect(fake.asked[0]?.title).toContain("1 descendant");
    expect(here.agents.view(child).state).not.toBe("dead");
    fake.keys.push("y");
    await type("/kill");
    expect(fake.said[0]).toMatch(/^Killed \S{4}, \S{4}\./);
    expect(host.here()).toBe(here.root);
    await type("/reap");
    expect(fake.said[0]).toMatch(/^Put away: \S{4}, \S{4}\.$/);
    expect(here.agents.list()).toHaveLength(1);
  });

  test("/send and /wait: letters, statuses, the end of time", async () => {
    const { here, fake, host, type, settle } = await opened();
    await type('/fork "hi"');
    await settle();
    const child = host.here();
    await type(`/send ${child.slice(0, 4)} "use the other file"`);
    await settle();
    expect(here.of("mail", child)[0]?.text).toBe("use the other file");
    host.goTo(here.root);
    await type(`/wait 5 ${child.slice(0, 4)}`);
    expect(fake.said[0]).toBe("Done waiting: 0 letters received.");
    expect(fake.said[1]).toMatch(/: idle$/);
    expect(fake.live[0]).toMatch(/^waiting, \d+s of 5 s$/);
    await type("/wait 600");
    expect(fake.said[0]).toBe("Nobody is at work: no letter is on its way.");
  });

  test("/wait without ids ends with a letter, and when nobody works any more", async () => {
    const { here, fake, host, type, settle } = await opened({ emulator: { delay_ms: 30 } });
    await type('/fork "hi"');
    const child = host.here();
    await type("/wait 600");
    expect(fake.live.join("\n")).toMatch(
      /^waiting for a letter, \d+s of 600 s\n {2}\S{4} claude-opus-5-5\/low: running/,
    );
    expect(fake.said[0]).toBe("Nobody works any more: 0 letters received.");
    host.goTo(here.root);
    await here.agents.command({ type: "say", agent_uuid: child, content: "again" });
    const waited = type("/wait 600s");
    await here.agents.command({ type: "send", agent_uuid: here.root, text: "Done!", from_uuid: child });
    await waited;
    expect(fake.said[0]).toBe("Done waiting: 1 letter received.");
    await settle();
    await here.agents.command({ type: "say", agent_uuid: child, content: "once more" });
    await type("/wait 0.01");
    expect(fake.said[0]).toBe("Nothing more in 0.01 s: 0 letters received.");
    fake.keys.push("escape");
    await type("/wait 600");
    expect(fake.said[0]).toBe("Done waiting: 0 letters received.");
  });
});

describe("the past", () => {
  test("/mark and /rewind; files are named and the wish is asked", async () => {
    const { here, fake, type, settle } = await opened({}, "plain");
    await type("one");
    await settle();
    await type("/mark before it");
    expect(fake.said[0]).toBe('Marked. /rewind "before it" comes back here.');
    await type("two");
    await settle();
    await type("/rewind nowhere");
    expect(fake.said[0]).toContain('there is no mark "nowhere"; there are before it');
    await type("/rewind before it");
    expect(fake.said[0]).toBe('Back at mark "before it".');
    expect(fake.asked).toEqual([]);
    expect(said(here, here.root)).toHaveLength(2);
  });

  test("/rewind names the files that tools changed and restores them if wanted", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ikigai-rewind-"));
    const path = join(folder, "notes.txt");
    writeFileSync(path, "before");
    const { here, fake, type, settle } = await opened({
      world: { tools: [writing(path, "after")] },
      emulator: {
        script: [
          { answer: { tool_calls: [call("scribble", "x")] } },
          { answer: { text: "done" } },
          { answer: { tool_calls: [call("scribble", "x")] } },
          { answer: { text: "done" } },
        ],
      },
    });
    await type("/mark");
    await type("change it");
    await settle();
    expect(readFileSync(path, "utf8")).toBe("after");
    await type("/rewind");
    expect(fake.asked[0]).toMatchObject({
      title: "1 file changed since the mark. Bring back what was in it?",
      body: [`  ${path}`],
      selected: 1,
    });
    expect(fake.said).toEqual(["Nothing was rewound."]);
    fake.keys.push("r");
    await type("/rewind");
    expect(fake.said).toEqual([`${path}: restored`]);
    expect(readFileSync(path, "utf8")).toBe("before");
    expect(here.agents.view(here.root).messages).toEqual([]);
    await type("again");
    await settle();
    await type("/rewind --keep");
    expect(fake.said[0]).toBe(`${path}: left as it is`);
    expect(readFileSync(path, "utf8")).toBe("after");
    rmSync(folder, { recursive: true });
  });

  test("/retry on another model, /clear, /compact", async () => {
    const { here, fake, type, settle } = await opened();
    await type("one");
    await settle();
    await type(`/retry ${gpt}`);
    await settle();
    const last = here.agents.view(here.root).messages.at(-1);
    expect(last?.role === "assistant" && last.origin.provider).toBe("openai");
    await type("/compact keep the number");
    expect(fake.said[0]).toMatch(/^A summary by openai:gpt-6\.1-sol/);
    await type("/clear");
    expect(here.agents.view(here.root).messages).toEqual([]);
  });

  test("/search finds a place in another conversation and goes there; /resume comes back; /new begins", async () => {
    const { fake, host, type, settle } = await opened();
    await type("the purple elephant");
    await settle();
    const first = host.agents().session_uuid;
    await type("/new");
    expect(host.agents().session_uuid).not.toBe(first);
    await type("/search elephant");
    expect(fake.picked[0]?.labels[0]).toContain("purple");
    fake.answers.push((items) => items[0]?.value);
    await type("/search elephant");
    expect(host.agents().session_uuid).toBe(first);
    await type("/resume");
    expect(fake.said[0]).toBe("There is no other conversation in this folder; try /resume --all.");
    await type("/new");
    fake.answers.push((items) => items[0]?.value);
    await type("/resume");
    expect(fake.picked.at(-1)?.labels[0]).toMatch(/^the purple elephant \| \d{4}-\d\d-\d\d \d\d:\d\d · \$0\.\d+$/);
    expect(host.agents().session_uuid).toBe(first);
    await host.agents().close();
  });
});

describe("context and view", () => {
  test("/system, /pin, /unpin, /toolset, /tools", async () => {
    const world = { tools: [tool("look", () => "seen"), tool("touch", () => "done")] };
    const { here, fake, type } = await opened({ world }, "plain");
    await type("/system Answer in\nFrench.");
    expect(here.agents.view(here.root).system).toBe("Answer in\nFrench.");
    await type("/system");
    expect(fake.shown).toEqual(["System prompt", "Answer in", "French."]);
    await type('/system ""');
    expect(here.agents.view(here.root).system).toBe("");
    await type("/pin docs/plan.md");
    expect(fake.said).toEqual([
      "Pinned, read anew at each turn:",
      "  docs/plan.md",
      "⚠ docs/plan.md cannot be read: no such file: it is sent once it can be",
    ]);
    await type("/pin README.md");
    expect(fake.said).toEqual(["Pinned, read anew at each turn:", "  docs/plan.md", "  README.md"]);
    await type("/unpin other.md");
    expect(fake.said[0]).toContain("other.md is not pinned");
    await type("/unpin");
    expect(fake.said).toEqual(["Nothing is pinned."]);
    await type("/toolset look, touch");
    expect(here.agents.view(here.root).tools).toEqual(["look", "touch"]);
    await type("/tools");
    expect(fake.said).toEqual(["look   never asks. Looks.", "touch"]);
    await type("/toolset nothing");
    expect(fake.said[0]).toContain("no such tool: nothing");
    await type("/toolset none");
    expect(here.agents.view(here.root).tools).toEqual([]);
    await type("/toolset all");
    expect(here.agents.view(here.root).tools).toContain("fork");
  });

  test("what the conversation shows by itself is not said again on a screen", async () => {
    const { fake, type } = await opened({ world: { tools: [tool("look", () => "seen")] } });
    for (const text of [
      "/mark a",
      "/system short",
      "/pin README.md",
      "/unpin",
      "/toolset none",
      "/rewind a",
      "/clear",
    ]) {
      await type(text);
      expect(fake.said).toEqual([]);
    }
    await type("/pin missing.md");
    expect(fake.said).toEqual(["⚠ missing.md cannot be read: no such file: it is sent once it can be"]);
  });

  test("/think, /usage, /export, /copy, /help, /exit", async () => {
    const { here, fake, host, type, settle } = await opened();
    await type("/think");
    expect(host.thinking()).toBe("shown");
    await type("/think collapse");
    expect(host.thinking()).toBe("collapsed");
    expect(await type("/think louder")).toBe("kept");
    await type("hello");
    await settle();
    await type("/usage");
    expect(fake.said[0]).toMatch(
      /^This agent \(\S{4}\): [\d,]+ in \+ [\d,]+ out \+ [\d,]+ thinking \([\d,]+ cached\) = [\d,]+ tokens · \$0\.\d+ · 1 request$/,
    );
    expect(fake.said.slice(1)).toEqual(["This session:", "all of it"]);
    await type("/export notes.html");
    expect(fake.said).toEqual(["Written: notes.html as html"]);
    await type("/export md");
    expect(fake.said).toEqual(["Written: conversation as markdown"]);
    expect(await type("/export pdf")).toBe("kept");
    await type("/copy all");
    expect(fake.said).toEqual(['Copied "the all".']);
    await type("/help fork");
    expect(fake.said[0]).toBe(commandNamed("fork")?.usage);
    await type("/help");
    expect(fake.shown.join("\n")).toContain("/rewind");
    await type("/quit");
    expect(fake.exited()).toBe(true);
    expect(here.agents.view(here.root).entries.filter(({ kind }) => kind === "command")).toEqual([]);
  });
});
