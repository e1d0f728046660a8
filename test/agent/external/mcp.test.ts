import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openMcpServers, withoutClashes, type McpServers } from "../../../src/agent/external/index.ts";
import { builtInTools, toolEnvironment } from "../../../src/agent/tools/index.ts";
import type { Tool } from "../../../src/agent/tools/types.ts";
import { newBench, textOf } from "../tools/support.ts";

const program = join(import.meta.dirname, "mcp-server.ts");
const canary = ["canary", "key", "77"].join("-");
const env = toolEnvironment({ ...process.env, SOME_API_KEY: canary });
const world = { env, cwd: import.meta.dirname, timeout_ms: 15_000 };
const ended: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

async function open(
  servers: Parameters<typeof openMcpServers>[0],
): Promise<McpServers & { readonly tool: (name: string) => Tool }> {
  const opened = await openMcpServers(servers, world);
  ended.push(opened.close);
  const tool = (name: string): Tool => {
    const found = opened.tools.find(({ definition }) => definition.name === name);
    if (found === undefined) throw new Error(`no tool ${name}: ${opened.problems.join()}`);
    return found;
  };
  return { ...opened, tool };
}

const local = { test: { command: process.execPath, args: [program], env: { GIVEN: "yes" } } };

describe("MCP servers", () => {
  test("their tools are found, named after them, and called", async () => {
    const { tools, problems, tool } = await open(local);
    expect(problems).toEqual([]);
    expect(tools.map(({ definition }) => definition.name)).toContain("test__echo");
    expect(tool("test__echo").definition).toMatchObject({
      description: "says it again",
      parameters: { type: "object", required: ["text"] },
    });
    expect(tool("test__echo").definition.parameters).not.toHaveProperty("$schema");
    expect(tool("test__echo").intent({}, { cwd: "/", root: "/" }).effect).toBe("unknown");
    const { run } = newBench();
    expect(textOf(await run(tool("test__echo"), { text: "hello" }))).toMatch(/^hello \d+$/);
    expect((await run(tool("test__picture"), {})).content).toEqual([
      { type: "image", media_type: "image/png", data: "AAAA" },
    ]);
    expect(await run(tool("test__fail"), {})).toMatchObject({ is_error: true });
    expect((await run(tool("test__echo"), {})).is_error).toBe(true);
  });

  test("U26 they see the environment of tools and what they are given, no keys", async () => {
    const { tool } = await open(local);
    const text = textOf(await newBench().run(tool("test__env"), {}));
    expect(text).toContain('"GIVEN":"yes"');
    expect(text).not.toContain(canary);
  });

  test("a tool called like one of ours does not take its place", async () => {
    const { tools } = await open(local);
    const all = withoutClashes(builtInTools(), tools).tools.map(({ definition }) => definition.name);
    expect(all.filter((name) => name === "bash")).toHaveLength(1);
    expect(all).toContain("test__bash");
  });

  test("time limit and abort", async () => {
    const { tool } = await open(local);
    const { run } = newBench();
    expect((await run(tool("test__slow"), {}, { timeout_ms: 200 })).is_error).toBe(true);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 100);
    await expect(run(tool("test__slow"), {}, { signal: controller.signal })).rejects.toThrow("enough");
    expect(textOf(await run(tool("test__echo"), { text: "still here" }))).toContain("still here");
  });

  test("one that dies is started again", async () => {
    const { tool } = await open(local);
    const { run } = newBench();
    const before = textOf(await run(tool("test__echo"), { text: "a" }));
    expect((await run(tool("test__crash"), {})).is_error).toBe(true);
    const after = textOf(await run(tool("test__echo"), { text: "a" }));
    expect(after).toMatch(/^a \d+$/);
    expect(after).not.toBe(before);
  });

  test("one that does not work is a problem, and the others work", async () => {
    const { tools, problems } = await open({
      ...local,
      absent: { command: "/nowhere/at/all" },
      nothing: {},
      off: { command: "/nowhere", disabled: true },
    });
    expect(tools.length).toBeGreaterThan(0);
    expect(problems.map((problem) => problem.split(" cannot")[0])).toEqual([
      "the MCP server absent",
      "the MCP server nothing",
    ]);
  });

  test("over HTTP, with its headers", async () => {
    const child = spawn(process.execPath, [program, "http"], { stdio: ["ignore", "pipe", "inherit"] });
    ended.push(() => new Promise((settle) => child.once("exit", settle).kill()));
    const line = await new Promise<string>((settle) =>
      child.stdout.once("data", (data: Buffer) => settle(data.toString())),
    );
    const { port } = JSON.parse(line) as { port: number };
    const url = `http://127.0.0.1:${port}/mcp`;
    const { tool, problems } = await open({ far: { url, headers: { "x-word": "open" } }, shut: { url } });
    expect(problems).toHaveLength(1);
    expect(textOf(await newBench().run(tool("far__echo"), { text: "over the wire" }))).toContain("over the wire");
  });
});
