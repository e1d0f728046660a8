import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sessionPermissions } from "../../src/agent/permissions/index.ts";
import { builtInTools, toolEnvironment } from "../../src/agent/tools/index.ts";
import { checkHistory } from "../../src/store/index.ts";
import type { Answer, AnswerRule, MockRequest } from "../../src/testing/index.ts";
import { engineNames, histories } from "../store/support/engines.ts";
import { claude, gemini, gpt, stage, type Stage } from "./support.ts";
import { newFolder } from "./tools/support.ts";

const models = [claude, gpt, gemini];
const faults = ["cut", "reset", "stall_once"] as const;

describe.each(engineNames)("agents of three providers with real tools and faults, on %s", (engine) => {
  const { open } = histories(engine);

  test("they fork, call tools side by side, write to each other, are killed and interrupted; every log is whole", async () => {
    const root = newFolder();
    for (const name of ["a", "b"]) writeFileSync(join(root, `${name}.txt`), `the content of ${name}`);
    const world = {
      tools: builtInTools(),
      permissions: sessionPermissions({ rules: [{ decision: "allow" }], context: { root, cwd: root } }),
      tool_env: toolEnvironment(process.env),
      cwd: root,
      root,
    };
    const here = await stage(await open(), {
      emulator: { rule: withFaults(player), delay_ms: 1 },
      limits: { session_usd: 1_000, running_max: 6 },
      world,
    });
    const { children } = await here.agents.command({ type: "fork", agent_uuid: here.root, models, prompt: "lead" });
    // One is interrupted while its own child sleeps, one killed with what it has below it.
    await here.until("all lead", () => children.every((child) => here.of("forked", child).length === 3));
    const [interrupted = "", killed = "", left = ""] = children;
    await here.until("a command runs", () => here.of("tool_started").some(({ name }) => name === "bash"));
    await here.agents.command({ type: "interrupt", agent_uuid: interrupted });
    await here.agents.command({ type: "kill", agent_uuid: killed });
    await here.agents.settled(left);
    const below = here.agents.list().filter(({ parent_uuid }) => parent_uuid === killed);
    expect(below.length).toBeGreaterThan(0);
    for (const { state } of below) expect(state).toBe("dead");
    expect(here.of("mail", left).length).toBeGreaterThan(0);
    expect(here.agents.view(left).messages.at(-1)?.content).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: "text", text: expect.stringContaining("All is done") })]),
    );
    // Looked at one by one: those above end those below while this goes on.
    for (const { uuid } of here.agents.list()) {
      if (here.agents.view(uuid).state !== "dead") await here.agents.command({ type: "interrupt", agent_uuid: uuid });
    }
    expect(new Set(here.agents.list().map(({ model }) => model?.provider))).toEqual(
      new Set(["anthropic", "openai", "google"]),
    );
    expect(here.of("retrying").length).toBeGreaterThan(0);
    // Whatever was sent was legal: nothing was refused but by the faults themselves.
    expect(here.emulator.requests().filter(({ rule }) => rule !== undefined)).toEqual([]);
    await here.agents.close();
    await whole(here);
  }, 60_000);
});

/** Leads three that look, hear of each other, and sleep. */
function player(request: MockRequest): Answer {
  const asked =
    request.messages.findLast(({ role, text }) => role === "user" && /lead|look|sleep/.test(text))?.text ?? "";
  const results = request.messages.flatMap(({ tool_results }) => tool_results.map(({ text }) => text));
  const done = request.messages.flatMap(({ tool_calls }) => tool_calls.map(({ name }) => name));
  if (/sleep/.test(asked))
    return { text: "Good night.", tool_calls: [{ name: "bash", arguments: bash("sleep 58.5") }] };
  if (/look/.test(asked)) {
    if (!done.includes("file_read")) {
      const read = (path: string) => ({ name: "file_read", arguments: { path, offset: null, limit: null } });
      return { thinking: "Both at once.", tool_calls: [read("a.txt"), read("b.txt")] };
    }
    if (!done.includes("send")) {
      return { tool_calls: [{ name: "send", arguments: { to: "parent", text: `found ${results.length} results` } }] };
    }
    return { text: "Told." };
  }
  const made = results.flatMap((text) => /child agent is (\S+)\./.exec(text)?.[1] ?? []);
  if (made.length === 0)
    return { text: "Go.", tool_calls: [fork("look", gpt), fork("look", gemini), fork("sleep", claude)] };
  if (!done.includes("wait"))
    return { tool_calls: [{ name: "wait", arguments: { from: made.slice(0, 2), seconds: 20 } }] };
  if (!done.includes("kill")) return { tool_calls: [{ name: "kill", arguments: { id: made[2] ?? "" } }] };
  return { text: "All is done." };
}

const bash = (command: string) => ({
  command,
  timeout_ms: null,
  background: null,
  job: null,
  offset: null,
  kill: null,
});
const fork = (prompt: string, model: string) => ({
  name: "fork",
  arguments: { prompt, model, name: null, budget_usd: null, turns: null, depth: null, tools: null },
});

/** Each request breaks off once, one way or another, before or after its first words. */
function withFaults(rule: (request: MockRequest) => Answer): AnswerRule {
  const seen = new Set<string>();
  return (request) => {
    const answer = rule(request);
    const key = JSON.stringify([request.model, request.messages]);
    if (seen.has(key)) return answer;
    seen.add(key);
    const kind = faults[seen.size % faults.length];
    if (kind === "stall_once" || kind === undefined) return { error: { status: 529, message: "busy" } };
    return { answer, fault: { kind, after_frames: seen.size % 5 } };
  };
}

/** What a new process would read is what was known here; every call has one result; the store finds nothing wrong. */
async function whole({ agents, store, events }: Stage): Promise<void> {
  expect(await checkHistory(store)).toEqual([]);
  for (const { uuid } of agents.list()) {
    const fresh = await store.history.replay(uuid);
    expect(fresh.messages()).toEqual(agents.view(uuid).messages);
    const log = await store.history.log(uuid, { limit: 10_000 });
    const told = events.flatMap((event) =>
      event.type === "entry" && event.agent_uuid === uuid ? [event.entry.uuid] : [],
    );
    expect(told.filter((entry) => !log.some((one) => one.uuid === entry))).toEqual([]);
    const results = log.flatMap((entry) => (entry.kind === "tool_result" ? [entry.data.tool_call_id] : []));
    expect(new Set(results).size).toBe(results.length);
    for (const entry of log) if (entry.kind === "tool_call") expect(results).toContain(entry.data.tool_call_id);
  }
  expect(await store.engine.db.selectFrom("checkpoints").selectAll().execute()).toEqual([]);
}
