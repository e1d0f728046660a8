import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runPrint } from "../../src/cli/print.ts";
import { openStore } from "../../src/store/index.ts";
import { createEmulator, type AnswerRule, type EmulatorOptions } from "../../src/testing/index.ts";
import { stage } from "../agent/support.ts";
import { canary, makeHome, run, type Home, type Ran } from "../config/home.ts";

const model = "claude-opus-5-5/low";

function homeWithKey(config: object = {}): Home {
  const home = makeHome();
  home.write("config.json", { ...config, providers: { anthropic: { base_url: "http://emulator/anthropic" } } });
  home.write("credentials.json", { anthropic: { api_key: canary() } });
  return home;
}

async function print(
  args: readonly string[],
  options: { readonly emulator?: EmulatorOptions; readonly input?: string; readonly home?: Home } = {},
): Promise<Ran & { readonly bodies: readonly string[]; readonly home: Home }> {
  const { home = homeWithKey(), input = "" } = options;
  const emulator = createEmulator({ noise: false, ...options.emulator });
  const ran = await run(runPrint, ["-p", ...args], { input, env: home.env, fetch: emulator.fetch });
  return { ...ran, home, bodies: emulator.requests().map(({ body }) => JSON.stringify(body)) };
}

const text: AnswerRule = () => ({ thinking: "Hm.", text: "Forty-two." });

describe("-p", () => {
  test("the answer on stdout and nothing else; what it cost on stderr; the conversation in the history", async () => {
    const { code, out, err, home } = await print(["What", "is it?", "--model", model], { emulator: { rule: text } });
    expect(out).toBe("Forty-two.\n");
    expect(err).toMatch(/^Tokens: \d+ in \+ \d+ out \+ \d+ thinking \(\d+ cached\) = \d+ · \$\d\.\d{4} · \d/m);
    expect(code).toBe(0);
    const store = await openStore({ path: home.path("ikigai.db") });
    const [session] = await store.sessions.list();
    expect(session?.first_text).toBe("What is it?");
    await store.close();
  });

  test("what is piped in is part of what is said", async () => {
    const both = await print(["Summarise", "--model", model], { input: "a long text\n" });
    expect(both.bodies[0]).toContain("Summarise\\n\\na long text");
    const alone = await print(["--model", model], { input: "only this" });
    expect(alone.bodies[0]).toContain("only this");
    const nothing = await print(["--model", model]);
    expect(nothing).toMatchObject({ code: 2, out: "" });
    expect(nothing.err).toContain("-p needs something to say");
  });

  test("--system, --tools and the default model", async () => {
    const { bodies, out } = await print(["Hi", "--system", "Speak Latin.", "--tools", "file_read"]);
    expect(out).toBe("You said: Hi\n");
    expect(bodies[0]).toContain("Speak Latin.");
    expect(bodies[0]).toContain("file_read");
    expect(bodies[0]).not.toContain('"bash"');
    const none = await print(["Hi", "--tools", "none"]);
    expect(none.bodies[0]).not.toContain('"tools"');
  });

  test("--json: every event is a line, no other word on stdout", async () => {
    const { out, code } = await print(["Hi", "--model", model, "--json"], { emulator: { rule: text } });
    const events = out
      .trim()
      .split("\n")
      .map((line): { readonly type: string; readonly outcome?: string } => JSON.parse(line));
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(["state", "entry", "stream", "turn_ended", "warning"].filter((type) => out.includes(`"type":"${type}"`))),
    );
    expect(events.at(-1)).toMatchObject({ type: "turn_ended", outcome: "done" });
    expect(code).toBe(0);
  });

  test("without --yes what would ask is refused, with it it is done", async () => {
    const rule: AnswerRule = ({ messages }) =>
      (messages.at(-1)?.tool_results.length ?? 0) > 0
        ? { text: messages.at(-1)?.tool_results[0]?.text ?? "" }
        : { tool_calls: [{ name: "bash", arguments: { command: "echo $((6*7))" } }] };
    const refused = await print(["Go", "--model", model], { emulator: { rule } });
    expect(refused.out).toContain("Not allowed");
    const done = await print(["Go", "--model", model, "--yes"], { emulator: { rule } });
    expect(done.out).toContain("42");
    expect(done.err).toContain("→ $ echo");
  });

  test("a key is nowhere: not in the answer, not in the events, not in the history", async () => {
    const echo: AnswerRule = () => ({ text: `Is it ${canary()}?` });
    const { out, err, home } = await print(["Hi", "--model", model, "--json"], { emulator: { rule: echo } });
    expect(out + err).not.toContain(canary());
    const store = await openStore({ path: home.path("ikigai.db") });
    const rows = await store.engine.db.selectFrom("messages").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(canary());
    await store.close();
  });
});

const refused = (status: number, message: string, headers: Record<string, string> = {}) => ({
  script: [{ error: { status, message, headers }, times: "always" as const }],
});
const longAnswer: EmulatorOptions = { rule: () => ({ text: "Half of", finish: "length" }) };
const callsForEver: EmulatorOptions = {
  rule: ({ tool_choice }) =>
    tool_choice === "none" ? { text: "So far." } : { tool_calls: [{ name: "bash", arguments: { command: "true" } }] },
};

describe("exit codes", () => {
  test.each<readonly [number, string, readonly string[], EmulatorOptions]>([
    [0, "done", [], {}],
    [2, "wrong use: an option nobody knows", ["--loud"], {}],
    [2, "wrong use: a tool nobody has", ["--tools", "rm"], {}],
    [2, "wrong use: no number", ["--max-tool-turns", "many"], {}],
    [2, "wrong use: no amount", ["--budget", "much"], {}],
    [2, "wrong use: two sessions", ["--continue", "--resume", "12"], {}],
    [8, "no such session", ["--resume", "00000000"], {}],
    [12, "a budget of its own", ["--budget", "0"], {}],
    [2, "a level nobody knows", ["--model", "claude-opus-5-5/loud"], {}],
    [3, "a bad key", [], { script: [{ error: "authentication" }] }],
    [4, "billing", [], { script: [{ error: "billing" }] }],
    [5, "rate limit, longer than our patience", [], refused(429, "slow down", { "retry-after": "600" })],
    [6, "too long", [], { script: [{ error: "context_length", times: "always" }] }],
    [7, "filtered", [], { rule: () => ({ text: "I", finish: "content_filter" }) }],
    [8, "no such model", ["--model", "claude-none"], {}],
    [
      9,
      "network",
      [],
      { script: [{ fault: { kind: "reset", after_frames: 0 }, answer: { text: "x" }, times: "always" }] },
    ],
    [10, "refused by the provider", [], refused(400, "bad request")],
    [11, "cut off", [], longAnswer],
    [12, "too many turns", ["--max-tool-turns", "1", "--yes"], callsForEver],
  ])("%i %s", async (expected, _what, args, emulator) => {
    const { code, out, err } = await print(["Hi", "--model", model, ...args], { emulator });
    expect(`${code} ${err}`).toMatch(new RegExp(`^${expected} `));
    if (expected === 11) expect(out).toBe("Half of\n");
    else if (expected === 12) expect(out).toBe(args.includes("--budget") ? "" : "So far.\n");
    else if (expected > 1 && expected !== 7) expect(out).toBe("");
    expect(err).not.toBe("");
  });

  test("12 when the money is used up", async () => {
    const home = homeWithKey({ budget: { session_usd: 0 } });
    const { code, err } = await print(["Hi", "--model", model], { home });
    expect(code).toBe(12);
    expect(err).toContain("the limit is $0.00");
  });

  test("3 without a key: never a simulated answer by itself", async () => {
    const home = makeHome();
    const offline = async () => Promise.reject(new TypeError("fetch failed"));
    const { code, out, err } = await run(runPrint, ["-p", "Hi"], { env: home.env, fetch: offline });
    expect(out).toBe("");
    expect(err).toContain("--model sim-echo");
    expect(code).toBe(3);
    const named = await run(runPrint, ["-p", "Hi", "--model", model], { env: home.env, fetch: offline });
    expect(named.code).toBe(3);
    const simulated = await run(runPrint, ["-p", "Hi", "--model", "sim-echo"], { env: home.env });
    expect(simulated.code).toBe(0);
    expect(simulated.out).toContain("This is a simulation");
  });
});

describe("from a shell", () => {
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const home = makeHome();
  const env = { PATH: process.env["PATH"], IKIGAI_HOME: home.folder, IKIGAI_SIM_DELAY_MS: "0", NODE_NO_WARNINGS: "1" };
  const shell = (script: string) =>
    spawnSync("sh", ["-c", script], { encoding: "utf8", env: { ...env, ikigai: `${process.execPath} ${main}` } });

  test("as a filter, in a condition, with its code", () => {
    const { stdout, status } = shell(`
      answer=$(printf 'two words' | $ikigai --model sim-echo -p 'Say this:') || exit 1
      printf '%s\\n' "$answer" | grep -c 'two words'
      $ikigai -p 'fail authentication' --model sim-echo 2>/dev/null || echo "code $?"
      $ikigai -p 'write 3 lines' --model sim-echo --json </dev/null | tail -n 1 | grep -o '"outcome":"done"'
    `);
    expect(stdout).toBe(`1\ncode 3\n"outcome":"done"\n`);
    expect(status).toBe(0);
  });

  test("130 when interrupted, and the history has what came until then", async () => {
    const child = spawn(process.execPath, [main, "-p", "stall", "--model", "sim-echo", "--json"], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    child.stdout.on("data", (data: Buffer) => {
      if (data.toString().includes("text_delta")) child.kill("SIGINT");
    });
    const code = await new Promise((resolve) => void child.once("close", resolve));
    expect(code).toBe(130);
    const store = await openStore({ path: home.path("ikigai.db") });
    const rows = await store.engine.db.selectFrom("messages").select("kind").orderBy("id", "desc").limit(2).execute();
    expect(rows.map(({ kind }) => kind)).toEqual(["interrupted", "assistant"]);
    await store.close();
  });

  test("U14 kill -9 in the middle of an answer: whoever opens it next finds it interrupted, with what came", async () => {
    const own = makeHome();
    const child = spawn(process.execPath, [main, "-p", "stall", "--model", "sim-echo", "--json"], {
      env: { ...process.env, ...env, IKIGAI_HOME: own.folder },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const spoke = new Promise<void>((resolve) => {
      child.stdout.on("data", (data: Buffer) => {
        if (data.toString().includes("text_delta")) resolve();
      });
    });
    await spoke;
    const store = await openStore({ path: own.path("ikigai.db") });
    const written = () => store.engine.db.selectFrom("checkpoints").select("data").where("seq", ">", 0).execute();
    expect(await store.changes.until(async () => (await written()).length > 0, { timeout_ms: 20_000 })).toBe(true);
    child.kill("SIGKILL");
    await new Promise((resolve) => void child.once("close", resolve));
    const [session] = await store.sessions.list();
    const here = await stage(store, { open: { session_uuid: session?.uuid ?? "" } });
    const [answer, end] = here.agents.view(here.root).entries.slice(-2);
    expect(answer).toMatchObject({ kind: "assistant", data: { incomplete: true, error: { category: "aborted" } } });
    expect(answer?.content).toMatch(/\S/);
    expect(end).toMatchObject({ kind: "interrupted", data: { reason: "crash" } });
    expect(here.agents.view(here.root).state).toBe("idle");
    await here.agents.close();
    await store.close();
  });
});
