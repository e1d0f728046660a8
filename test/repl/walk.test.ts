import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  available,
  build,
  expectRestored,
  home,
  keys,
  program,
  run,
  screen,
  start,
  tearDown,
  until,
  write,
} from "./tmux.ts";

/** A new user, from the first start to a fork, on three stand-ins for providers. IKIGAI_WALK=FILE keeps the pictures. */
describe.skipIf(!available)("the walk of a new user", () => {
  let mock: ChildProcess | undefined;
  const pictures: string[] = [];

  beforeAll(build, 60_000);
  afterAll(() => {
    mock?.kill();
    tearDown();
    const file = process.env["IKIGAI_WALK"];
    if (file !== undefined) writeFileSync(file, pictures.join("\n"));
  });

  async function say(text: string): Promise<void> {
    write("walk", text);
    await until("walk", `> ${text.slice(0, 60)}`);
    keys("walk", "Enter");
  }

  async function see(what: string, wanted: string | RegExp): Promise<string> {
    const shown = await until("walk", wanted);
    pictures.push(`=== ${what}\n${shown}`);
    return shown;
  }

  test("first start, three keys, a talk, a switch, a fork", async () => {
    const at = home("walk");
    await start("walk", at);
    await see("first start", "Three things to try");
    keys("walk", "C-d");
    await expectRestored("walk", at, 0);

    const { child, url } = await startMock();
    mock = child;
    pointAt(at, url);
    for (const provider of ["anthropic", "openai", "google"]) {
      const env = { PATH: process.env["PATH"], HOME: at };
      const input = `${["sk", "walk", provider, "0123456789"].join("-")}\n`;
      expect(spawnSync(process.execPath, [program, "login", provider], { env, input }).status).toBe(0);
    }
    write("walk", "clear");
    keys("walk", "Enter");
    await run("walk", at, { args: "--new" });
    await until("walk", /claude-.* answers|ikigai .* · claude-/);

    await say("Why is the sky blue?");
    await see("a talk", /Tokens: .*\$/);
    await say("/model gpt-6.1-sol/high");
    const switched = await see("a switch", "✓ Switched to");
    expect(switched).toMatch(/Thinking: high/);
    await say("And at sunset?");
    await until("walk", /openai gpt-6\.1-sol\/high[^]*Tokens:/);
    await say('/fork --model gemini-3.8-flash/low "Say it in one word"');
    await until("walk", "› Say it in one word");
    await see("a fork", /✓ root .* │ ● \S+ gemini-…\/low idle/);
    await say("/agents");
    await see("the tree", "── Agents");
    keys("walk", "Escape");
    await until("walk", "say something");
    keys("walk", "C-d");
    const left = await expectRestored("walk", at, 0);
    pictures.push(`=== the end\n${screen("walk")}`);
    expect(left).toContain("To go on: ikigai --resume");
  }, 90_000);
});

async function startMock(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [program, "mock", "--port", "0", "--quiet"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for await (const chunk of child.stdout) {
    said += String(chunk);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
    if (url !== undefined) return { child, url };
  }
  throw new Error(`the stand-in did not start: ${said}`);
}

function pointAt(at: string, url: string): void {
  const folder = join(at, ".config/ikigai");
  mkdirSync(folder, { recursive: true });
  const providers = {
    anthropic: { base_url: `${url}/anthropic` },
    openai: { base_url: `${url}/openai/v1` },
    google: { base_url: `${url}/google/v1beta` },
  };
  writeFileSync(join(folder, "config.json"), JSON.stringify({ providers }));
}
