import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readPinned, readPrompt } from "../../src/agent/index.ts";
import { builtInTools } from "../../src/agent/tools/index.ts";
import type { Tool } from "../../src/agent/tools/types.ts";
import { histories } from "../store/support/engines.ts";
import { call, said, stage, tool } from "./support.ts";

const { open } = histories("sqlite");
const folder = mkdtempSync(join(tmpdir(), "ikigai-context-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the system prompt", () => {
  test("joins the instructions from the outermost folder to this one", async () => {
    const inner = join(folder, "outer", "inner");
    mkdirSync(join(inner, ".ikigai"), { recursive: true });
    writeFileSync(join(folder, "AGENTS.md"), "above home");
    writeFileSync(join(folder, "outer", "AGENTS.md"), "outer rules");
    writeFileSync(join(inner, "AGENTS.md"), "inner rules");
    writeFileSync(join(inner, ".ikigai", "prompt.md"), "our prompt");
    const blocks = await readPrompt(inner, { home: join(folder, "outer") });
    const texts = blocks.map(({ text }) => text);
    expect(texts[0]).toContain(inner);
    expect(texts.slice(1).map((text) => /\n(.*)\n/.exec(text)?.[1])).toEqual([
      "outer rules",
      "inner rules",
      "our prompt",
    ]);
    expect(await readPinned(inner, "AGENTS.md")).toBe("inner rules");
    expect(await readPinned(inner, "no such file")).toBeUndefined();
  });

  test("is what the model is sent, with pins, /system and the provider's own", async () => {
    const here = await stage(await open(), { world: { providerPrompt: (name) => `You run on ${name}.` } });
    await here.agents.command({ type: "pin", agent_uuid: here.root, path: "notes.md" });
    await here.agents.command({ type: "system", agent_uuid: here.root, text: "Speak like a pirate." });
    await here.say("Ahoy");
    const body = JSON.stringify(here.emulator.requests()[0]?.body);
    const places = ["Be brief.", "pinned notes.md", "Speak like a pirate.", "You run on anthropic."].map((text) =>
      body.indexOf(text),
    );
    expect(places).toEqual([...places].sort((left, right) => left - right));
    expect(places[0]).toBeGreaterThan(0);
    const unpinned = await here.agents.command({ type: "unpin", agent_uuid: here.root });
    expect(unpinned).toMatchObject({ pins: [], cache: { reason: "system" } });
    await here.agents.command({ type: "system", agent_uuid: here.root, text: "" });
    await here.say("Again");
    expect(JSON.stringify(here.emulator.requests()[1]?.body)).not.toContain("pirate");
    await here.agents.close();
  });
});

describe("what is in force", () => {
  test("mark, rewind, clear and retry, in this process and the next", async () => {
    const store = await open();
    const here = await stage(store);
    await here.say("One");
    await here.agents.command({ type: "mark", agent_uuid: here.root, label: "before" });
    await here.say("Two");
    await here.agents.command({ type: "rewind", agent_uuid: here.root, label: "before" });
    expect(said(here, here.root)).toHaveLength(2);
    await here.say("Three");
    await here.agents.command({ type: "retry", agent_uuid: here.root, model: "gpt-6.1-sol" });
    await here.agents.settled(here.root);
    const now = said(here, here.root);
    expect(now.filter((line) => line.startsWith("user"))).toEqual(["user: One", "user: Three"]);
    expect(here.agents.view(here.root).messages.at(-1)).toMatchObject({ origin: { provider: "openai" } });
    await expect(here.agents.command({ type: "rewind", agent_uuid: here.root, label: "never" })).rejects.toThrow(
      "no mark",
    );
    await here.agents.close();
    const next = await stage(store, { use: here.emulator, open: { session_uuid: here.agents.session_uuid } });
    expect(said(next, next.root)).toEqual(now);
    await next.agents.command({ type: "clear", agent_uuid: next.root });
    expect(said(next, next.root)).toEqual([]);
    await next.say("Fresh");
    expect(next.emulator.requests().every(({ status }) => status === 200)).toBe(true);
    await next.agents.close();
  });

  test("files that tools changed since a mark are named, and brought back if wanted", async () => {
    const [old, made] = [join(folder, "old.txt"), join(folder, "made.txt")];
    writeFileSync(old, "as it was");
    const change: Tool = {
      ...tool("change", () => "", "write"),
      async run(_args, context) {
        await context.keepPreImage(old, readFileSync(old));
        await context.keepPreImage(made, null);
        for (const path of [old, made]) writeFileSync(path, "changed");
        return { content: [{ type: "text", text: "changed" }], is_error: false };
      },
    };
    const here = await stage(await open(), {
      emulator: { script: [{ answer: { tool_calls: [call("change", "x")] } }] },
      world: { tools: [change] },
    });
    await here.agents.command({ type: "mark", agent_uuid: here.root });
    await here.say("Change them");
    const { files } = await here.agents.command({ type: "rewind", agent_uuid: here.root, restore_files: true });
    expect(files).toMatchObject([
      { path: old, restored: true },
      { path: made, restored: true },
    ]);
    expect(readFileSync(old, "utf8")).toBe("as it was");
    expect(() => readFileSync(made)).toThrow("ENOENT");
    await here.agents.close();
  });

  test("a file that somebody changed after the tools did is named as such", async () => {
    const [mine, theirs] = [join(folder, "mine.txt"), join(folder, "theirs.txt")];
    const write = (path: string) => ({ name: "file_write", arguments: { path, content: "made" } });
    const here = await stage(await open(), {
      emulator: { script: [{ answer: { tool_calls: [write(mine), write(theirs)] } }] },
      world: { tools: builtInTools(), cwd: folder, root: folder },
    });
    await here.agents.command({ type: "mark", agent_uuid: here.root });
    await here.say("Make them");
    const change = here.agents.view(here.root).entries.find(({ kind }) => kind === "file_change");
    const { after = "" } = change?.kind === "file_change" ? change.data : {};
    expect(Buffer.from((await here.store.blobs.get(after)) ?? []).toString()).toBe("made");
    writeFileSync(theirs, "edited by hand");
    const { files } = await here.agents.command({ type: "rewind", agent_uuid: here.root });
    expect(files).toEqual([{ path: mine }, { path: theirs, changed_since: true }]);
    await here.agents.close();
  });

  test("tools.shown_bytes holds in both directions, and what a tool says of the rest is not cut off", async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join("\n");
    writeFileSync(join(folder, "long.txt"), lines);
    const script = [
      { answer: { tool_calls: [{ name: "file_read", arguments: { path: "long.txt", limit: 100_000 } }] } },
    ];
    for (const shown_bytes of [2_000, 100_000]) {
      const here = await stage(await open(), {
        emulator: { script },
        limits: { shown_bytes },
        world: { tools: builtInTools(), cwd: folder, root: folder },
      });
      await here.say("Read");
      const sent = JSON.stringify(here.emulator.requests().at(-1)?.body);
      expect(sent.length).toBeGreaterThan(shown_bytes * 0.7);
      expect(sent).toMatch(/Read on with offset \d+/);
      expect(sent).not.toContain("bytes left out here");
      await here.agents.close();
    }
  });

  test("a captured task is seen by the child alone", async () => {
    const here = await stage(await open());
    await here.agents.command({ type: "capture", agent_uuid: here.root });
    await here.agents.command({ type: "capture", agent_uuid: here.root, text: "line one" });
    await here.agents.command({ type: "capture", agent_uuid: here.root, text: "line two" });
    const { children } = await here.agents.command({ type: "fork", agent_uuid: here.root });
    const [child = ""] = children;
    await here.agents.settled(child);
    expect(said(here, child)[0]).toBe("user: line one\nline two");
    expect(said(here, here.root)).toEqual([]);
    await here.agents.close();
  });

  test("a toolset is all the model is offered, and a child gets no more", async () => {
    const here = await stage(await open(), { world: { tools: [tool("read", () => ""), tool("write", () => "")] } });
    await here.agents.command({ type: "toolset", agent_uuid: here.root, tools: ["read"] });
    const { children } = await here.agents.command({ type: "fork", agent_uuid: here.root, tools: ["read", "write"] });
    expect(here.agents.view(here.root).tools).toEqual(["read"]);
    expect(here.agents.view(children[0] ?? "").tools).toEqual(["read"]);
    await here.say("Hi");
    expect(JSON.stringify(here.emulator.requests()[0]?.body)).not.toContain("The tool write");
    await expect(here.agents.command({ type: "toolset", agent_uuid: here.root, tools: ["rm"] })).rejects.toThrow(
      "no such tool",
    );
    await here.agents.close();
  });
});

describe("how full the window is", () => {
  test("measured after an answer, estimated before, with a warning at 80 %", async () => {
    const here = await stage(await open(), {
      emulator: { rule: () => ({ text: "Ok.", usage: { input_tokens: 850_000, output_tokens: 10 } }) },
      limits: { session_usd: 1_000 },
    });
    const before = await here.agents.estimate(here.root, "How long is this?");
    expect(before).toMatchObject({ tokens_source: "text" });
    await here.say("Hi");
    const { context } = here.agents.view(here.root);
    expect(context?.tokens).toBeGreaterThan(850_000);
    const after = await here.agents.estimate(here.root, "And this?");
    expect(after).toMatchObject({ tokens_source: "usage" });
    expect(after.input_tokens).toBeGreaterThan(context?.tokens ?? 0);
    expect(here.of("warning").map(({ code }) => code)).toContain("context_window");
    await here.agents.close();
  });

  test("/compact puts a summary in its place; so does the program where it is told to", async () => {
    const rule = ({ system }: { readonly system: string }) =>
      system.includes("summary")
        ? { text: "They talked." }
        : { text: "Ok.", usage: { input_tokens: 900_000, output_tokens: 10 } };
    const here = await stage(await open(), { emulator: { rule }, limits: { session_usd: 1_000 } });
    await here.say("One");
    await here.say("Two");
    const made = await here.agents.command({ type: "compact", agent_uuid: here.root, instructions: "keep names" });
    expect(made).toMatchObject({ compacted: true, summary: "They talked." });
    expect(said(here, here.root)).toEqual(["user: [A summary of the conversation so far]\n\nThey talked."]);
    expect(here.agents.view(here.root).totals.requests).toBe(3);
    await here.say("Three");
    expect(here.emulator.requests().at(-1)?.status).toBe(200);
    here.emulator.script({ answer: { text: "Never" }, fault: "stall" });
    const stopped = here.agents.command({ type: "compact", agent_uuid: here.root });
    await here.until("it is asked for", () => here.emulator.requests().length === 5);
    await here.agents.command({ type: "interrupt", agent_uuid: here.root });
    expect(await stopped).toMatchObject({ compacted: false });
    expect(said(here, here.root)).toHaveLength(3);
    await here.agents.close();
    const auto = await stage(await open(), { emulator: { rule }, limits: { compact_auto: true, session_usd: 1_000 } });
    await auto.say("One");
    await auto.say("Two");
    expect(said(auto, auto.root)).toEqual([
      "user: [A summary of the conversation so far]\n\nThey talked.",
      "user: Two",
      "assistant: Ok.",
    ]);
    await auto.agents.close();
  });
});
