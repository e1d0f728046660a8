import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createReplay, messagesOf, user, type EntryBody, type LogEntry, type Replay } from "../../src/core/index.ts";
import { bodyOf, inForce, pinsOf, steps, systemOf, type Step } from "../store/support/reference.ts";

let made = 0;
function entry(body: EntryBody, agent_uuid = "root"): LogEntry {
  made += 1;
  return { ...body, uuid: `entry_${made}`, agent_uuid, version: 1, created_at: made };
}

function says(text: string): LogEntry {
  return entry({ kind: "user", content: text });
}

/** What a model would be shown, as the texts of its messages. */
function texts(replay: Replay): readonly string[] {
  return replay
    .messages()
    .map((message) => message.content.map((block) => ("text" in block ? block.text : "")).join(""));
}

function replayOf(...entries: readonly LogEntry[]): Replay {
  const replay = createReplay();
  for (const added of entries) replay.add(added);
  return replay;
}

describe("replay", () => {
  test("of an empty log is an empty conversation", () => {
    expect(createReplay().messages()).toEqual([]);
    expect(createReplay().settings()).toEqual({ system: [], pins: [] });
  });

  test("keeps what was said in order", () => {
    expect(texts(replayOf(says("one"), says("two")))).toEqual(["one", "two"]);
  });

  test("clear leaves nothing of what was before it, but the settings", () => {
    const replay = replayOf(
      entry({ kind: "system", content: "be kind" }),
      says("one"),
      entry({ kind: "clear" }),
      says("two"),
    );
    expect(texts(replay)).toEqual(["two"]);
    expect(replay.settings().system).toEqual([{ type: "text", text: "be kind" }]);
  });

  test("rewind returns to its mark, and can be undone by rewinding to what was before it", () => {
    const mark = entry({ kind: "mark", content: "here" });
    const last = says("two");
    const replay = replayOf(says("one"), mark, last);
    expect(replay.mark("here")).toEqual(mark);
    expect(replay.mark("there")).toBeUndefined();
    replay.add(entry({ kind: "rewind", content: "here", data: { target_uuid: mark.uuid } }));
    expect(texts(replay)).toEqual(["one"]);
    expect(replay.mark()).toEqual(mark);
    replay.add(entry({ kind: "rewind", data: { target_uuid: last.uuid } }));
    replay.add(says("three"));
    expect(texts(replay)).toEqual(["one", "two", "three"]);
  });

  test("rewinding to an entry nobody knows changes nothing", () => {
    const replay = replayOf(says("one"), entry({ kind: "rewind", data: { target_uuid: "nowhere" } }));
    expect(texts(replay)).toEqual(["one"]);
  });

  test("a mark set after the one that was returned to is no longer in force", () => {
    const first = entry({ kind: "mark", content: "a" });
    const replay = replayOf(first, says("one"), entry({ kind: "mark", content: "b" }));
    replay.add(entry({ kind: "rewind", data: { target_uuid: first.uuid } }));
    expect(replay.mark("b")).toBeUndefined();
    expect(replay.mark()).toEqual(first);
  });

  test("a summary stands for everything before what it keeps", () => {
    const kept = says("three");
    const replay = replayOf(says("one"), says("two"), kept, says("four"));
    const before = replay.entries().at(-1);
    replay.add(entry({ kind: "compact", content: "so far", data: { target_uuid: kept.uuid } }));
    replay.add(says("five"));
    expect(texts(replay)).toEqual(["so far", "three", "four", "five"]);
    replay.add(entry({ kind: "compact", content: "all", data: {} }));
    expect(texts(replay)).toEqual(["all"]);
    replay.add(entry({ kind: "rewind", data: { target_uuid: before?.uuid ?? "" } }));
    expect(texts(replay)).toEqual(["one", "two", "three", "four"]);
  });

  test("U30 a fork goes on by itself from any entry, and the original is untouched", () => {
    const first = says("one");
    const replay = replayOf(first, says("two"));
    const here = replay.fork();
    const there = replay.fork(first.uuid);
    here.add(entry({ kind: "user", content: "three" }, "child"));
    there.add(entry({ kind: "user", content: "other" }, "other"));
    expect(texts(here)).toEqual(["one", "two", "three"]);
    expect(texts(there)).toEqual(["one", "other"]);
    expect(texts(replay)).toEqual(["one", "two"]);
  });

  test("killing an agent does not kill what is forked from its log", () => {
    const replay = replayOf(says("one"), entry({ kind: "agent_killed" }));
    expect(replay.killed()).toBe(true);
    const child = replay.fork();
    expect(child.killed()).toBe(false);
    child.add(entry({ kind: "user", content: "two" }, "child"));
    expect(child.killed()).toBe(false);
    replay.add(entry({ kind: "command", content: "/agents" }));
    expect(replay.killed()).toBe(true);
  });

  test("results that follow each other are one message, and mail and summaries are a user's", () => {
    const result = (id: string): EntryBody => ({
      kind: "tool_result",
      content: id,
      data: { tool_call_id: id, is_error: false },
    });
    const messages = messagesOf([
      { kind: "user", content: "go" },
      result("a"),
      result("b"),
      { kind: "mail", content: "hello", data: { mail_uuid: "m" } },
      { kind: "capture", content: "not for you" },
      result("c"),
    ]);
    expect(messages.map((message) => [message.role, message.content.length])).toEqual([
      ["user", 1],
      ["tool", 2],
      ["user", 1],
      ["tool", 1],
    ]);
    expect(messages[0]).toEqual(user("go"));
  });

  test("settings follow the order of the log", () => {
    const replay = replayOf(
      entry({ kind: "pin", content: "a.md" }),
      entry({ kind: "pin", content: "b.md" }),
      entry({ kind: "unpin", content: "a.md" }),
      entry({ kind: "model", data: { provider: "p", model: "m", thinking_level: "high" } }),
      entry({ kind: "toolset", data: { tools: ["bash"] } }),
    );
    expect(replay.settings()).toEqual({
      system: [],
      pins: ["b.md"],
      model: { provider: "p", model: "m", thinking_level: "high" },
      tools: ["bash"],
    });
  });

  test("what is in force can be the beginning of another replay", () => {
    const kept = says("two");
    const whole = replayOf(
      entry({ kind: "system", content: "old" }),
      says("one"),
      kept,
      entry({ kind: "system", content: "new" }),
      entry({ kind: "compact", content: "so far", data: { target_uuid: kept.uuid } }),
    );
    const again = createReplay({ entries: whole.entries(), settings: whole.settings() });
    expect(again.entries()).toEqual(whole.entries());
    expect(again.settings()).toEqual(whole.settings());
    again.add(entry({ kind: "rewind", data: { target_uuid: kept.uuid } }));
    expect(again.entries().map((found) => found.kind)).toContain("user");
  });

  test("of any log equals the reference", () => {
    fc.assert(
      fc.property(steps, (todo) => {
        const agents: { readonly log: LogEntry[]; readonly replay: Replay }[] = [{ log: [], replay: createReplay() }];
        for (const step of todo) play(step, agents);
        for (const { log, replay } of agents) {
          expect(replay.entries()).toEqual(inForce(log));
          expect(replay.messages()).toEqual(messagesOf(inForce(log)));
          expect(
            replay
              .settings()
              .system.map((block) => block.text)
              .join(""),
          ).toBe(systemOf(log));
          expect(new Set(replay.settings().pins)).toEqual(pinsOf(log));
        }
      }),
      { numRuns: 500 },
    );
  });
});

function play(step: Step, agents: { readonly log: LogEntry[]; readonly replay: Replay }[]): void {
  const agent = agents[step.agent % agents.length];
  if (agent === undefined) return;
  const body = bodyOf(step, agent.log);
  if (body !== undefined) {
    const added = entry(body, `agent_${step.agent % agents.length}`);
    agent.log.push(added);
    agent.replay.add(added);
  } else if (step.what === "fork") {
    agents.push({ log: [...agent.log], replay: agent.replay.fork() });
  } else if (step.what === "fork_at" && agent.log.length > 0) {
    const place = step.pick % agent.log.length;
    agents.push({ log: agent.log.slice(0, place + 1), replay: agent.replay.fork(agent.log[place]?.uuid) });
  }
}
