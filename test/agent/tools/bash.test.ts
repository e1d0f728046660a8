import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { bashTool } from "../../../src/agent/tools/bash.ts";
import { stopAllProcesses } from "../../../src/agent/tools/index.ts";
import { toolEnvironment } from "../../../src/agent/tools/environment.ts";
import { newBench, textOf } from "./support.ts";

const bash = bashTool();

afterEach(stopAllProcesses);

describe("bash", () => {
  test("output of both streams in order, with the exit code", async () => {
    const { run, heard, root } = newBench();
    const outcome = await run(bash, { command: "echo one; echo two >&2; echo three; pwd; exit 3" });
    expect(textOf(outcome)).toBe(`one\ntwo\nthree\n${root}\n[Exit code 3.]`);
    expect(outcome).toMatchObject({ is_error: true, data: { exit_code: 3 } });
    expect(heard.join("")).toBe(`one\ntwo\nthree\n${root}\n`);
  });

  test("silence is said", async () => {
    expect(textOf(await newBench().run(bash, { command: "true" }))).toBe("[No output.]");
  });

  test("a mistake in the command is a result with its line", async () => {
    const outcome = await newBench().run(bash, { command: "echo a\nif" });
    expect(outcome.is_error).toBe(true);
    expect(textOf(outcome)).toMatch(/line \d.*syntax error/);
  });

  test.each([{}, { command: "" }, { command: 5 }, { command: "true", job: "job1" }, { job: "job99" }])(
    "arguments that make no sense are a result: %j",
    async (args) => {
      const outcome = await newBench().run(bash, args);
      expect(outcome.is_error).toBe(true);
      expect(textOf(outcome)).not.toBe("");
    },
  );

  test("U23 a command without input does not hang", async () => {
    expect((await newBench().run(bash, { command: "cat" })).data).toMatchObject({ exit_code: 0 });
  });

  test("U23 what is left in the background does not hold the call, and ends with us", async () => {
    const { run } = newBench();
    const outcome = await run(bash, { command: "sleep 61.25 & echo done" });
    expect(textOf(outcome)).toMatch(/^done\n\[Something runs on in the background: job\d+\.\]$/);
    expect(processesNamed("sleep 61.25")).toHaveLength(1);
    await stopAllProcesses();
    expect(processesNamed("sleep 61.25")).toEqual([]);
  });

  test("U23 the time limit ends the whole group, also what ignores TERM", async () => {
    const command = "trap '' TERM; echo begun; sleep 62.5 & sleep 62.5; sleep 62.5";
    const outcome = await newBench().run(bash, { command, timeout_ms: 300 });
    expect(textOf(outcome)).toContain("begun\n[Ended after 300 ms");
    expect(outcome).toMatchObject({ is_error: true, data: { stopped: "timeout" } });
    expect(processesNamed("sleep 62.5")).toEqual([]);
  });

  test("U23 what leaves the group is ended as well", async () => {
    const outcome = await newBench().run(bash, { command: "setsid sleep 63.5; true", timeout_ms: 300 });
    expect(outcome.data).toMatchObject({ stopped: "timeout" });
    expect(processesNamed("sleep 63.5")).toEqual([]);
  });

  test("U23 an abort is thrown at once, and ends the group", async () => {
    const controller = new AbortController();
    const call = newBench().run(bash, { command: "sleep 64.5 | sleep 64.5" }, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 200);
    await expect(call).rejects.toThrow("enough");
    await stopAllProcesses();
    expect(processesNamed("sleep 64.5")).toEqual([]);
  });

  test("aborted before it starts, nothing is started", async () => {
    const { run, root } = newBench();
    await expect(run(bash, { command: "touch here" }, { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
    expect(() => readFileSync(join(root, "here"))).toThrow("ENOENT");
  });

  test("U23 nothing is left when the program that started it ends", async () => {
    const { root } = newBench();
    const script = join(root, "starter.mjs");
    const tools = join(import.meta.dirname, "../../../src/agent/tools/bash.ts");
    writeFileSync(
      script,
      `const { bashTool } = await import(${JSON.stringify(tools)});
       const context = { agent_uuid: "a", tool_call_id: "c", cwd: ".", root: ".", signal: new AbortController().signal,
         env: { PATH: process.env.PATH }, timeout_ms: 9e4, onOutput() {}, files: {} };
       const outcome = await bashTool().run({ command: "sleep 65.5 & setsid sleep 65.5 & echo started" }, context);
       console.log(outcome.content[0].text);`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, [script], { cwd: root, encoding: "utf8", timeout: 20_000 });
    expect(stderr.replace(/.*ExperimentalWarning.*\n.*\n/, "")).toBe("");
    expect(stdout).toContain("started");
    await expect.poll(() => processesNamed("sleep 65.5")).toEqual([]);
  });

  test.each(["SIGKILL", "SIGHUP", "SIGSEGV"] as const)(
    "U23 nothing is left when the program gets %s",
    async (signal) => {
      const { root } = newBench();
      const seconds = { SIGKILL: "67.1", SIGHUP: "67.2", SIGSEGV: "67.3" }[signal];
      const script = join(root, "starter.mjs");
      const tools = join(import.meta.dirname, "../../../src/agent/tools/bash.ts");
      // One ignores TERM, one has left the group, one is a background job; an earlier one has ended already.
      writeFileSync(
        script,
        `const { bashTool } = await import(${JSON.stringify(tools)});
       const context = { agent_uuid: "a", tool_call_id: "c", cwd: ".", root: ".", signal: new AbortController().signal,
         env: { PATH: process.env.PATH }, timeout_ms: 9e4, onOutput: () => process.kill(process.pid, "${signal}"), files: {} };
       const bash = bashTool();
       await bash.run({ command: "true" }, context);
       await bash.run({ command: "sleep ${seconds}", background: true }, context);
       await bash.run({ command: "trap '' TERM; setsid sleep ${seconds} & sleep ${seconds} & echo started; wait" }, context);`,
      );
      const ended = spawnSync(process.execPath, [script], { cwd: root, encoding: "utf8", timeout: 20_000 });
      expect(ended.signal).toBe(signal);
      await expect.poll(() => processesNamed(`sleep ${seconds}`), { timeout: 10_000 }).toEqual([]);
    },
  );

  test("background jobs are read on and ended", async () => {
    const { run } = newBench();
    const command = "echo first; sleep 0.2; echo second; sleep 66.5";
    const started = await run(bash, { command, background: true });
    const job = String(started.data?.["job"]);
    await expect.poll(async () => textOf(await run(bash, { job }))).toContain("second");
    const more = await run(bash, { job, offset: 6 });
    expect(textOf(more)).toMatch(/^second\n\[job\d+: running\. Bytes 6 to 13 of 13/);
    const other = await run(bash, { job }, { agent_uuid: "agent-2" });
    expect(other.is_error).toBe(true);
    const ended = await run(bash, { job, kill: true });
    expect(textOf(ended)).toContain("ended by SIGTERM");
    expect(processesNamed("sleep 66.5")).toEqual([]);
  });

  test("long output is cut in the middle and can be read on", async () => {
    const { run } = newBench();
    const outcome = await run(bash, { command: "seq 1 20000" });
    const text = textOf(outcome);
    expect(Buffer.byteLength(text)).toBeLessThan(31 * 1024);
    expect(text).toMatch(/^1\n2\n3\n/);
    expect(text).toMatch(/\n19999\n20000\n$/);
    expect(outcome.stored).toBe(execFileSync("seq", ["1", "20000"], { encoding: "utf8" }));
    const [, job = ""] = /job "(job\d+)" and offset 0/.exec(text) ?? [];
    let read = "";
    for (let offset = 0; offset < Buffer.byteLength(outcome.stored ?? "");) {
      const page = await run(bash, { job, offset });
      read += textOf(page).replace(/\[job\d+:.*\]$/, "");
      offset = Number(page.data?.["next_offset"]);
    }
    expect(read).toBe(outcome.stored);
  });

  test("endless output ends", async () => {
    const outcome = await newBench().run(bash, { command: "yes" });
    expect(outcome.is_error).toBe(true);
    expect(Buffer.byteLength(outcome.stored ?? "")).toBeLessThan(2 * 1024 * 1024);
  });

  test("a folder that is not there is a result", async () => {
    const outcome = await newBench().run(bash, { command: "true" }, { cwd: "/nowhere/at/all" });
    expect(textOf(outcome)).toContain("could not be started");
  });
});

describe("the environment of tools", () => {
  test("U26 holds no keys, whatever they are called", async () => {
    const canary = ["canary", "value", "1234"].join("-");
    const names = ["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "MY_SECRET", "DB_PASSWORD", "PGPASS", "SSH_AUTH_SOCK", "OTHER"];
    const env = { PATH: process.env["PATH"], ...Object.fromEntries(names.map((name) => [name, canary])) };
    const proxy = { HTTPS_PROXY: `http://user:${canary}@proxy:1`, LC_SECRET: canary };
    const { run } = newBench({ env: toolEnvironment({ ...env, ...proxy }, ["GITHUB_TOKEN"]) });
    const outcome = await run(bash, { command: "env; cat /proc/self/environ | tr '\\0' '\\n'" });
    expect(textOf(outcome)).toContain("PATH=");
    expect(textOf(outcome)).not.toContain(canary);
  });

  test("passes on what programs need", () => {
    const env = { PATH: "/bin", HOME: "/h", LC_ALL: "C", TERM: "xterm", PWD: "/h", RANDOM_THING: "x", MINE: "y" };
    expect(toolEnvironment(env, ["MINE"])).toMatchObject({
      PATH: "/bin",
      LC_ALL: "C",
      PWD: "/h",
      MINE: "y",
      PAGER: "cat",
    });
    expect(toolEnvironment(env)).not.toHaveProperty("RANDOM_THING");
  });
});

/** Command lines of running processes, zombies left out. */
function processesNamed(command: string): readonly string[] {
  const rows = execFileSync("ps", ["-eo", "stat=,args="], { encoding: "utf8" }).split("\n");
  return rows.map((row) => row.trim()).filter((row) => !row.startsWith("Z") && row.replace(/^\S+\s+/, "") === command);
}
