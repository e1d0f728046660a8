import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openTools, type AgentTools } from "../../src/cli/agent-tools.ts";
import { openWorld } from "../../src/cli/world.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

type Machine = { readonly home: string; readonly root: string };

function machine(config: object): Machine {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "ikigai-agent-tools-")));
  folders.push(home);
  const root = join(home, "project");
  for (const folder of [join(home, "settings"), join(root, ".ikigai/tools"), join(home, ".ikigai/tools")]) {
    mkdirSync(folder, { recursive: true });
  }
  writeFileSync(join(home, "settings/config.json"), JSON.stringify(config));
  for (const [folder, name] of [
    [root, "theirs"],
    [home, "mine"],
  ] as const) {
    const body = `#!/bin/sh\ntouch "${home}/${name}-ran"\necho '{"description": "x", "parameters": {}}'\n`;
    const file = join(folder, `.ikigai/tools/${name}-tool`);
    execFileSync("sh", ["-c", 'cat > "$0" && chmod 755 "$0"', file], { input: body });
  }
  return { home, root };
}

async function toolsOf(
  { home, root }: Machine,
  unattended?: "allow" | "deny",
): Promise<readonly [readonly string[], AgentTools]> {
  const env = { HOME: home, IKIGAI_HOME: join(home, "settings"), PATH: process.env["PATH"] };
  const world = await openWorld({ stdin: process.stdin, stdout: () => {}, stderr: () => {}, env });
  const opened = await openTools(world, { root, cwd: root, ...(unattended === undefined ? {} : { unattended }) });
  await opened.close();
  return [opened.tools.map(({ definition }) => definition.name), opened];
}

describe("tools of a machine", () => {
  test("a person's own are there, those of a project only where a rule says so", async () => {
    const plain = machine({});
    const [names, { problems }] = await toolsOf(plain);
    expect([names.includes("mine"), names.includes("theirs"), problems.length]).toEqual([true, false, 1]);
    expect(() => readFileSync(join(plain.home, "theirs-ran"))).toThrow("ENOENT");
    const ruled = machine({ permissions: [{ decision: "allow", command: "*/theirs-tool *" }] });
    expect((await toolsOf(ruled))[0]).toContain("theirs");
    expect((await toolsOf(machine({}), "allow"))[0]).toContain("theirs");
    expect((await toolsOf(machine({}), "deny"))[0]).not.toContain("theirs");
  });

  test("MCP servers of the configuration bring theirs", async () => {
    const program = join(import.meta.dirname, "../agent/external/mcp-server.ts");
    const servers = { near: { command: process.execPath, args: [program] }, gone: { command: "/nowhere/at/all" } };
    const [names, { problems }] = await toolsOf(machine({ mcp_servers: servers }));
    expect(names).toContain("near__echo");
    expect(names.filter((name) => name === "bash")).toHaveLength(1);
    expect(problems.filter((problem) => problem.includes("MCP"))).toHaveLength(1);
  });
});
