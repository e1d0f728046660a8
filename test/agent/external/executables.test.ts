import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { executableTools, withoutClashes } from "../../../src/agent/external/index.ts";
import { decide } from "../../../src/agent/permissions/index.ts";
import { builtInTools, stopAllProcesses, toolEnvironment } from "../../../src/agent/tools/index.ts";
import { newBench, newFolder, textOf } from "../tools/support.ts";

const env = toolEnvironment(process.env);

afterEach(stopAllProcesses);

function script(folder: string, name: string, body: string): void {
  mkdirSync(folder, { recursive: true });
  // Written by another process: what this one has open while a thread of it forks cannot be started for a moment.
  const file = join(folder, name);
  execFileSync("sh", ["-c", 'cat > "$0" && chmod 755 "$0"', file], { input: `#!/bin/sh\n${body}\n` });
}

const schema = (name: string): string =>
  `if [ "$1" = --schema ]; then echo '{"name": "${name}", "description": "says it", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}'; exit; fi`;

describe("executables", () => {
  test("those of the project come before the user's, with their schema", async () => {
    const [project, user] = [newFolder(), newFolder()];
    script(project, "echo-tool", `${schema("echo")}\necho project; cat`);
    script(user, "echo-tool", `${schema("echo")}\necho user`);
    script(user, "other-tool", `${schema("other")}\nexit 3`);
    script(user, "not-one", "echo no");
    const { tools, problems } = await executableTools([project, user, join(user, "absent")], env);
    expect([tools.map(({ definition }) => definition.name), problems]).toEqual([["echo", "other"], []]);
    const { run } = newBench();
    const [echo, other] = tools;
    if (echo === undefined || other === undefined) throw new Error("missing");
    expect(echo.definition.parameters).toMatchObject({ type: "object", properties: { text: { type: "string" } } });
    expect(textOf(await run(echo, { text: 'it\'s "$HOME" `x`\n2' }))).toBe(
      'project\n{"text":"it\'s \\"$HOME\\" `x`\\n2"}\n',
    );
    expect(await run(other, {})).toMatchObject({ is_error: true, data: { exit_code: 3 } });
  });

  test("what prints no schema is a problem, and the others work", async () => {
    const folder = newFolder();
    script(folder, "a-tool", "echo nonsense");
    script(folder, "b-tool", "exit 1");
    script(folder, "c-tool", `${schema("c")}\necho fine`);
    const { tools, problems } = await executableTools([folder], env);
    expect([tools.length, problems.length]).toEqual([1, 2]);
  });

  test("time limit and abort end them", async () => {
    const folder = newFolder();
    script(folder, "slow-tool", `${schema("slow")}\nsleep 72.5`);
    const { tools } = await executableTools([folder], env);
    const [slow] = tools;
    if (slow === undefined) throw new Error("missing");
    const { run } = newBench();
    expect(textOf(await run(slow, {}, { timeout_ms: 200 }))).toContain("Ended after 200 ms");
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 100);
    await expect(run(slow, {}, { signal: controller.signal })).rejects.toThrow("enough");
  });

  test("a stranger takes no name of ours, and is asked about", async () => {
    const folder = newFolder();
    for (const name of ["bash", "file_read", "fork", "fine"]) script(folder, `${name}-tool`, `${schema(name)}\necho x`);
    const found = await executableTools([folder], env);
    expect(found.problems).toEqual([]);
    const { tools, problems } = withoutClashes(builtInTools(), found.tools);
    expect(tools.map(({ definition }) => definition.name).filter((name) => name === "bash")).toHaveLength(1);
    expect([tools.at(-1)?.definition.name, problems.length]).toEqual(["fine", 3]);
    const intent = tools.at(-1)?.intent({}, { cwd: "/", root: "/" });
    if (intent === undefined) throw new Error("missing");
    expect(decide(intent, "fine", [], { root: "/", cwd: "/" }).decision).toBe("ask");
    expect(decide(intent, "fine", [{ decision: "allow", tool: "fine" }], { root: "/", cwd: "/" }).decision).toBe(
      "allow",
    );
  });
});
