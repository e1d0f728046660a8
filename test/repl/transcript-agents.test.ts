import { describe, expect, test } from "vitest";
import type { AgentEvent, Verdict } from "../../src/agent/index.ts";
import { createTranscript, type Item } from "../../src/repl/transcript/index.ts";
import type { Store } from "../../src/store/index.ts";
import { call, stage, tool, type Stage } from "../agent/support.ts";
import { histories } from "../store/support/engines.ts";

/** What a client sees that was there all the time, and one that opens the history afterwards. */
async function bothViews(here: Stage, events: readonly AgentEvent[], pageSize: number) {
  const watched = createTranscript({ now: () => 0, agent_uuid: here.root });
  for (const event of events) watched.hear(event);
  const page = (before?: string) =>
    here.store.history.page(here.root, { limit: pageSize, ...(before === undefined ? {} : { before }) });
  const read = createTranscript({ now: () => 0, agent_uuid: here.root, older: page });
  const newest = await page();
  read.add(newest.entries, { older: newest.older });
  while (await read.loadOlder());
  return { watched: watched.items(), read: read.items() };
}

function lasting(items: readonly Item[]): readonly unknown[] {
  return items
    .filter(({ entry_uuid }) => entry_uuid !== undefined)
    .map(({ id: _id, version: _version, ...body }) => {
      if (body.type !== "thinking") return body;
      const { duration_ms: _duration, ...rest } = body;
      return rest;
    });
}

const states = (items: readonly Item[]): readonly string[] =>
  items.flatMap((item) => (item.type === "tool" ? [`${item.summary}: ${item.state}`] : []));

describe("real agents", () => {
  const { open } = histories("sqlite");

  async function opened(
    store: Store,
    world: Parameters<typeof stage>[1],
  ): Promise<Stage & { readonly all: AgentEvent[] }> {
    const here = await stage(store, world);
    const { entries } = await store.history.page(here.root, { limit: 100 });
    // What was written before anybody could listen.
    const all = entries.map((entry): AgentEvent => ({ type: "entry", agent_uuid: here.root, entry }));
    here.agents.subscribe((event) => void all.push(event));
    return { ...here, all };
  }

  test("what was run, refused, denied and interrupted is told apart, watched or read again", async () => {
    const verdict = (name: string): Verdict =>
      name === "ask"
        ? { verdict: "ask" }
        : name === "never"
          ? { verdict: "deny", reason: "not here" }
          : { verdict: "allow" };
    const here = await opened(await open(), {
      emulator: {
        rule: ({ messages }) =>
          messages.some(({ tool_results }) => tool_results.length > 0)
            ? { text: "Done." }
            : {
                thinking: "which tools?",
                text: "I try them all.",
                tool_calls: ["good", "bad", "never", "ask", "nobody"].map((name) => call(name, "x")),
              },
      },
      world: {
        tools: [
          tool("good", () => "fine"),
          tool("bad", () => Promise.reject(new Error("broken"))),
          tool("never", () => ""),
          tool("ask", () => ""),
        ],
        permissions: { decide: ({ tool: name }) => verdict(name), remember: () => undefined },
      },
    });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Go" });
    await here.until("a question", () => here.of("approval_asked").length === 1);
    const { approval_id = "" } = here.of("approval_asked")[0] ?? {};
    await here.agents.command({ type: "deny", agent_uuid: here.root, approval_id });
    await here.agents.settled(here.root);
    for (const size of [1, 3, 100]) {
      const { watched, read } = await bothViews(here, here.all, size);
      expect(lasting(read)).toEqual(lasting(watched));
      expect(states(watched)).toEqual([
        "good value: x: done",
        "bad value: x: failed",
        "never value: x: denied",
        "ask value: x: denied",
        "nobody value: x: failed",
      ]);
    }
    await here.agents.close();
  });

  test("Esc in the middle of a tool, a mark, a rewind and a retry", async () => {
    const here = await opened(await open(), {
      emulator: {
        rule: ({ messages }) =>
          messages.length > 2 ? { text: "Again." } : { tool_calls: [call("slow", "x"), call("slow", "y")] },
      },
      world: {
        tools: [
          tool(
            "slow",
            (_, signal) => new Promise((_done, fail) => signal.addEventListener("abort", () => fail(signal.reason))),
            "command",
          ),
        ],
      },
    });
    await here.agents.command({ type: "mark", agent_uuid: here.root, label: "start" });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Go" });
    await here.until("a tool", () => here.of("tool_started").length === 1);
    await here.agents.command({ type: "interrupt", agent_uuid: here.root });
    const { watched, read } = await bothViews(here, here.all, 2);
    expect(lasting(read)).toEqual(lasting(watched));
    expect(states(watched)).toEqual(["slow value: x: interrupted", "slow value: y: interrupted"]);
    expect(watched.map(({ type }) => type).slice(-2)).toEqual(["interrupted", "exchange"]);
    await here.agents.command({ type: "rewind", agent_uuid: here.root, label: "start" });
    const rewound = await bothViews(here, here.all, 2);
    expect(rewound.watched.map(({ type }) => type)).toEqual(["mark", "rewind"]);
    expect(rewound.read.map(({ type }) => type)).toEqual(["mark", "rewind"]);
    await here.agents.close();
  });
});
