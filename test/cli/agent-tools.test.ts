import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { findBubblewrap } from "../../src/agent/tools/index.ts";
import type { JsonObject } from "../../src/core/index.ts";
import { newBench } from "../agent/tools/support.ts";
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

  const bare = "commands can read whatever you can";

  test.each([
    ["nobody is asked", {}, "allow", true],
    ["nobody is asked, and it is to be so", { sandbox: "off" }, "allow", false],
    ["nothing runs without it", { sandbox: "require" }, "allow", false],
    ["what asks is refused", {}, "deny", false],
    ["a person is asked", {}, undefined, false],
  ] as const)("without bubblewrap, %s: a warning where one is due", async (_what, config, unattended, warned) => {
    const { home, root } = machine(config);
    const env = { HOME: home, IKIGAI_HOME: join(home, "settings"), PATH: join(home, "empty") };
    const world = await openWorld({ stdin: process.stdin, stdout: () => {}, stderr: () => {}, env });
    const opened = await openTools(world, { root, cwd: root, ...(unattended === undefined ? {} : { unattended }) });
    await opened.close();
    expect(opened.warnings.join(" ").includes(bare)).toBe(warned);
  });

  test.skipIf(findBubblewrap(process.env["PATH"] ?? "") === undefined)(
    "with --yes commands see neither our folder nor keys of others, also where the project holds them",
    async () => {
      const { home } = machine({});
      const secret = ["word", "of", "honour"].join("-");
      mkdirSync(join(home, ".ssh"));
      const files = ["settings/credentials.json", "settings/notes.txt", ".ssh/config", ".netrc"];
      for (const file of files) writeFileSync(join(home, file), secret);
      writeFileSync(join(home, "project/open.txt"), "plain to see");
      const env = { HOME: home, IKIGAI_HOME: join(home, "settings"), PATH: process.env["PATH"] };
      const world = await openWorld({ stdin: process.stdin, stdout: () => {}, stderr: () => {}, env });
      // The home folder itself is the project here.
      const opened = await openTools(world, { root: home, cwd: home, unattended: "allow" });
      const read = async (name: string, args: JsonObject): Promise<string> => {
        const tool = opened.tools.find(({ definition }) => definition.name === name);
        const outcome = await tool?.run(args, { ...newBench().context, cwd: home, root: home });
        return JSON.stringify(outcome?.content);
      };
      const script = `grep -rhs . ${home}; python3 -c "print(open('${home}/settings/notes.txt').read())"; cat .netrc`;
      const text = await read("bash", { command: script });
      expect(text).toContain("plain to see");
      expect(text).not.toContain(secret);
      expect(await read("grep", { pattern: "word|plain" })).toContain("plain to see");
      expect(await read("grep", { pattern: "word|plain" })).not.toContain(secret);
      expect(await read("glob", { pattern: "**/*.txt" })).toContain("open.txt");
      expect(await read("glob", { pattern: "**/*.txt" })).not.toContain("notes.txt");
      await opened.close();
    },
  );

  test.skipIf(findBubblewrap(process.env["PATH"] ?? "") === undefined)(
    "with --yes the tools of a project run where its commands do, a person's own do not",
    async () => {
      const here = machine({});
      const [names, { tools }] = await toolsOf(here, "allow");
      expect([names.includes("mine"), names.includes("theirs")]).toEqual([true, true]);
      for (const name of ["mine", "theirs"]) {
        const tool = tools.find(({ definition }) => definition.name === name);
        await tool?.run({}, { ...newBench().context, cwd: here.root, root: here.root });
      }
      expect(existsSync(join(here.home, "mine-ran"))).toBe(true);
      expect(existsSync(join(here.home, "theirs-ran"))).toBe(false);
    },
  );

  test("MCP servers of the configuration bring theirs", async () => {
    const program = join(import.meta.dirname, "../agent/external/mcp-server.ts");
    const servers = { near: { command: process.execPath, args: [program] }, gone: { command: "/nowhere/at/all" } };
    const [names, { problems }] = await toolsOf(machine({ mcp_servers: servers }));
    expect(names).toContain("near__echo");
    expect(names.filter((name) => name === "bash")).toHaveLength(1);
    expect(problems.filter((problem) => problem.includes("MCP"))).toHaveLength(1);
  });
});
