import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { sessionPermissions, type Rule } from "../../src/agent/permissions/index.ts";
import { builtInTools, stopAllProcesses, toolEnvironment } from "../../src/agent/tools/index.ts";
import type { JsonObject } from "../../src/core/index.ts";
import type { AnswerRule } from "../../src/testing/index.ts";
import { histories } from "../store/support/engines.ts";
import { stage, type Stage } from "./support.ts";
import { newFolder } from "./tools/support.ts";

afterEach(stopAllProcesses);

/** Agents with the real tools and rules in a folder of their own; the model makes these calls one after the other. */
function project(calls: readonly { readonly name: string; readonly arguments: JsonObject }[], rules: readonly Rule[]) {
  const root = newFolder();
  const kept: Rule[] = [];
  const rule: AnswerRule = ({ messages }) => {
    const done = messages.reduce((sum, { tool_results }) => sum + tool_results.length, 0);
    const next = calls[done];
    return next === undefined ? { text: "Done." } : { tool_calls: [next] };
  };
  const permissions = sessionPermissions({
    rules,
    context: { root, cwd: root },
    keep: (more) => void kept.push(...more),
  });
  const world = {
    tools: builtInTools(),
    permissions,
    cwd: root,
    root,
    tool_env: toolEnvironment(process.env),
  };
  return { root, kept, permissions, options: { emulator: { rule }, world } };
}

/** Says yes to the newest question. */
async function approve(here: Stage, count: number, scope: "once" | "session" | "always" = "once"): Promise<void> {
  await here.until(`question ${count}`, () => here.of("approval_asked").length === count);
  const { approval_id = "" } = here.of("approval_asked").at(-1) ?? {};
  await here.agents.command({ type: "approve", agent_uuid: here.root, approval_id, scope });
}

describe("what a person is asked", () => {
  const { open } = histories("sqlite");

  test("a command whole, and in words what a lasting yes allows", async () => {
    const command = "git log --oneline |\n  head -n 3";
    const calls = [
      { name: "bash", arguments: { command } },
      { name: "bash", arguments: { command: "git log -1 | head -n 9" } },
      { name: "bash", arguments: { command: "rm -rf build" } },
    ];
    const { options, kept } = project(calls, []);
    const here = await stage(await open(), options);
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Go" });
    await approve(here, 1, "always");
    // The second is covered by the first answer; the third insists on a person each time.
    await here.until("the dangerous one", () => here.of("approval_asked").length === 2);
    const [first, second] = here.of("approval_asked");
    expect(first).toMatchObject({ summary: "$ git log --oneline | …", detail: command, name: "bash" });
    expect(first?.proposal_text).toEqual(["bash: git log *", "bash: head *"]);
    expect(first?.proposal).toEqual(kept);
    expect(kept).toEqual([
      { decision: "allow", tool: "bash", command: "git log *" },
      { decision: "allow", tool: "bash", command: "head *" },
    ]);
    expect(second).toMatchObject({ detail: "rm -rf build", reason: expect.stringContaining("deletes for good") });
    expect(second).not.toHaveProperty("proposal");
    expect(second).not.toHaveProperty("proposal_text");
    const denied = { agent_uuid: here.root, approval_id: second?.approval_id ?? "", reason: "keep it" };
    await here.agents.command({ type: "deny", ...denied });
    await here.agents.settled(here.root);
    expect(here.agents.view(here.root).entries.map(({ content }) => content)).toContain("The user said no: keep it");
    await here.agents.close();
  });

  test("an edit and a written file as unified diffs of what is there", async () => {
    const calls = [
      { name: "file_read", arguments: { path: "src/a.txt" } },
      { name: "file_edit", arguments: { path: "src/a.txt", old_text: "five\n", new_text: "FIVE\nand a half\n" } },
      { name: "file_write", arguments: { path: "src/new.txt", content: "fresh\n" } },
      { name: "file_write", arguments: { path: "src/a.txt", content: "all new\n" } },
      { name: "file_edit", arguments: { path: "src/a.txt", old_text: "not there", new_text: "x" } },
    ];
    const { options, root } = project(calls, []);
    mkdirSync(join(root, "src"));
    writeFileSync(join(root, "src/a.txt"), "one\ntwo\nthree\nfour\nfive\nsix\n");
    const here = await stage(await open(), options);
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Go" });
    await approve(here, 1);
    await approve(here, 2);
    await approve(here, 3);
    await approve(here, 4);
    await here.agents.settled(here.root);
    const [edit, created, written, hopeless] = here.of("approval_asked").map(({ detail = "" }) => detail);
    expect(edit).toBe(
      [
        "--- a/src/a.txt",
        "+++ b/src/a.txt",
        "@@ -2,5 +2,6 @@",
        " two",
        " three",
        " four",
        "-five",
        "+FIVE",
        "+and a half",
        " six",
        "",
      ].join("\n"),
    );
    expect(created).toBe("--- /dev/null\n+++ b/src/new.txt\n@@ -0,0 +1,1 @@\n+fresh\n");
    expect(written).toContain("-one\n");
    expect(written).toContain("+all new\n");
    expect(hopeless).toContain("-not there");
    expect(here.of("approval_asked").map(({ proposal_text }) => proposal_text)).toEqual([
      ["file_edit: src/**"],
      ["file_write: src/**"],
      ["file_write: src/**"],
      ["file_edit: src/**"],
    ]);
    expect(readFileSync(join(root, "src/a.txt"), "utf8")).toBe("all new\n");
    // What was done is in the log as a diff, too.
    const results = here.agents.view(here.root).entries.filter(({ kind }) => kind === "tool_result");
    expect(results[1]?.data).toMatchObject({ name: "file_edit", diff: edit });
    await here.agents.close();
  });

  test("a lasting yes answers what others already wait for, and nothing else", async () => {
    const root = newFolder();
    const permissions = sessionPermissions({ rules: [], context: { root, cwd: root } });
    const rule: AnswerRule = ({ messages }) => {
      const said = messages.find(({ role }) => role === "user")?.text ?? "";
      const done = messages.some(({ tool_results }) => tool_results.length > 0);
      return done ? { text: "Done." } : { tool_calls: [{ name: "bash", arguments: { command: said } }] };
    };
    const world = { tools: builtInTools(), permissions, cwd: root, root, tool_env: toolEnvironment(process.env) };
    const here = await stage(await open(), { emulator: { rule }, world });
    const wants = async (prompt: string, count: number): Promise<string> => {
      const { children } = await here.agents.command({ type: "fork", agent_uuid: here.root, prompt });
      await here.until(`question ${count}`, () => here.of("approval_asked").length === count);
      return children[0] ?? "";
    };
    const first = await wants("git stash list", 1);
    const same = await wants("git stash list -n 1", 2);
    const other = await wants("make all", 3);
    const { approval_id = "" } = here.of("approval_asked", first)[0] ?? {};
    await here.agents.command({ type: "approve", agent_uuid: first, approval_id, scope: "session" });
    await here.agents.settled(first);
    await here.agents.settled(same);
    expect(here.of("approval_settled", same)).toMatchObject([{ allowed: true }]);
    expect(here.of("tool_started", same)).toHaveLength(1);
    expect(here.of("approval_settled", other)).toEqual([]);
    expect(here.agents.list().find(({ uuid }) => uuid === other)?.state).toBe("asking");
    await here.agents.close();
  });

  test("U25 the question names the agent", async () => {
    const { options } = project([{ name: "bash", arguments: { command: "make" } }], []);
    const here = await stage(await open(), options);
    const { children } = await here.agents.command({
      type: "fork",
      agent_uuid: here.root,
      prompt: "Build it",
      name: "builder",
    });
    await here.until("asked", () => here.of("approval_asked").length === 1);
    expect(here.of("approval_asked")[0]).toMatchObject({ agent_uuid: children[0], agent_name: "builder" });
    await here.agents.close();
  });
});
