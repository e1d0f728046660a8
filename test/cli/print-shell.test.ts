import { spawn } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { startEmulator, type AnswerRule, type Emulator } from "../../src/testing/index.ts";
import { canary, makeHome } from "../config/home.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const home = makeHome();
const folder = `${realpathSync(home.folder)}/project`;
let emulator: Emulator;

/** What is said decides what happens. */
const rule: AnswerRule = ({ messages, tool_choice }) => {
  const last = messages.at(-1);
  const said = messages.findLast(({ role, text }) => role === "user" && text !== "")?.text ?? "";
  if (said.startsWith("break once") && broken.add(said).size > broken.seen) {
    broken.seen = broken.size;
    return { answer: { text: "This is wrong from the start" }, fault: { kind: "cut", after_frames: 6 } };
  }
  if (said.startsWith("stall"))
    return { answer: { text: "Words before the silence" }, fault: { kind: "stall", after_frames: 6 } };
  if (said.startsWith("tools for ever") && tool_choice !== "none")
    return { text: "Again.", tool_calls: [bash("true")] };
  if (said.startsWith("look") && (last?.tool_results.length ?? 0) === 0) {
    return { text: "Let me look.", tool_calls: [bash("echo $((6*7))")] };
  }
  if (said.startsWith("hang")) return { tool_calls: [bash("sleep 77.7 & sleep 77.7")] };
  if (said.startsWith("cut")) return { text: "Half of", finish: "length" };
  if (said.startsWith("filtered")) return { text: "I", finish: "content_filter" };
  if (said.startsWith("secret")) return { text: `Is it ${canary()} or ${canary()}?` };
  if (JSON.stringify(messages).includes("too_long")) return { error: "context_length" };
  const [, status, name] = /^fail (\d+) ?(\w*)/.exec(said) ?? [];
  if (status !== undefined) {
    return { error: { status: Number(status), message: `no: ${name}`, headers: { "retry-after": "600" } } };
  }
  return { text: `You said: ${said}` };
};
const broken = Object.assign(new Set<string>(), { seen: 0 });
const bash = (command: string) => ({ name: "bash", arguments: { command } });

beforeAll(async () => {
  emulator = await startEmulator({ noise: false, rule });
  mkdirSync(folder, { recursive: true });
  home.write("config.json", { providers: { anthropic: { base_url: `${emulator.url}/anthropic` } } });
  home.write("credentials.json", { anthropic: { api_key: canary() } });
});
afterAll(() => emulator.close());

type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

/** A script as a person writes it; `$ikigai` is the program. */
function sh(
  script: string,
  onOutput: (out: string, kill: (signal: NodeJS.Signals) => void) => void = () => {},
): Promise<Ran> {
  const env = {
    PATH: process.env["PATH"],
    HOME: home.folder,
    IKIGAI_HOME: home.folder,
    NODE_NO_WARNINGS: "1",
    ikigai: `${process.execPath} ${main} --model claude-opus-5-5/low`,
  };
  const child = spawn("sh", ["-c", script], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (data: Buffer) => onOutput((out += data.toString()), (signal) => child.kill(signal)));
  child.stderr.on("data", (data: Buffer) => (err += data.toString()));
  return new Promise((resolve) => void child.once("close", (code) => resolve({ code, out, err })));
}

describe("-p in shell scripts", () => {
  test("the answer alone on stdout: as a variable, in a pipe, in a condition", async () => {
    const { out, code } = await sh(`
      answer=$($ikigai -p look --yes 2>notes.txt) || exit 1
      echo "<$answer>"
      grep -c "Let me look" notes.txt
      echo piped text | $ikigai -p "with this:" 2>/dev/null | tr a-z A-Z
      if $ikigai -p "fail 401 key" >/dev/null 2>&1; then echo never; else echo "code $?"; fi
      $ikigai -p "many lines" --json 2>/dev/null | tail -n 1 | grep -o '"outcome":"[a-z]*"'
    `);
    expect(out.split("\n")).toEqual([
      "<You said: look>",
      "1",
      "YOU SAID: WITH THIS:",
      "",
      "PIPED TEXT",
      "code 3",
      '"outcome":"done"',
      "",
    ]);
    expect(code).toBe(0);
  });

  test.each([
    [0, "fine", "", "You said: fine\n", ""],
    [2, "", "", "", "needs something to say"],
    [3, "fail 401 key", "", "", "auth"],
    [4, "fail 402 money", "", "", "billing"],
    [5, "fail 429 slow", "", "", "rate_limit"],
    [6, "too_long", "", "", "context_length"],
    [7, "filtered", "", "I\n", ""],
    [8, "fail 404 model", "", "", "not_found"],
    [9, "fail 504 late", "", "", "timeout"],
    [10, "fail 400 odd", "", "", "invalid_request"],
    [11, "cut", "", "Half of\n", ""],
    [12, "tools for ever", "--yes --max-tool-turns 1", "Again.\n", ""],
    [12, "x", "--budget 0", "", "the limit is $0.00"],
  ])("exit code %i: %s %s", async (code, said, flags, out, err) => {
    const ran = await sh(`$ikigai -p '${said}' ${flags} </dev/null`);
    expect(ran).toMatchObject({ code, out: code === 12 && flags.includes("turns") ? expect.any(String) : out });
    expect(ran.err).toContain(err);
  });

  test("1 when the history cannot be used", async () => {
    writeFileSync(`${folder}/garbage.db`, "no database, ".repeat(1_000));
    const { code, out, err } = await sh(`IKIGAI_DATABASE_URL=${folder}/garbage.db $ikigai -p x`);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("garbage.db");
  });

  test("a try that broke off leaves nothing on stdout", async () => {
    const held = await sh("$ikigai -p 'break once, held'");
    expect(held).toMatchObject({ code: 0, out: "You said: break once, held\n" });
    expect(held.err).toContain("retrying");
    const streamed = await sh("$ikigai -p 'break once, streamed' --stream");
    expect(streamed.out).toMatch(/^This .*\nYou said: break once, streamed\n$/);
    expect(streamed.err).toContain("does not count; it begins again");
  });

  test.each([["--stream"], [""]])("130 when interrupted, and what had arrived is printed: %s", async (flag) => {
    let interrupted = false;
    const ran = await sh(
      `exec $ikigai -p "stall ${flag}." ${flag} 2>err.txt & echo "pid $!"; wait $!; code=$?; cat err.txt >&2; exit $code`,
      (out) => {
        const pid = Number(/pid (\d+)/.exec(out)?.[1]);
        const speaks = flag === "" ? pid > 0 : out.includes("Words");
        if (interrupted || !speaks) return;
        interrupted = true;
        // Without streaming nothing is seen before the end: the request has to be on its way.
        const timer = setInterval(() => {
          if (emulator.requests().every(({ body }) => !JSON.stringify(body).includes(`stall ${flag}.`))) return;
          clearInterval(timer);
          setTimeout(() => process.kill(pid, "SIGINT"), 1_000);
        }, 50);
      },
    );
    expect(ran.code).toBe(130);
    expect(ran.out.replace(/pid \d+\n/, "")).toMatch(/^Words[a-z ]*\n$/);
    expect(ran.err).toContain("ikigai: interrupted");
  });

  test.each(["SIGTERM", "SIGHUP", "SIGKILL"] as const)("U23 %s leaves no command running", async (signal) => {
    let sent = false;
    const ran = await sh(`exec $ikigai -p hang --yes --json`, (out, kill) => {
      if (sent || !out.includes("tool_started")) return;
      sent = true;
      setTimeout(() => kill(signal), 300);
    });
    expect(ran.code).toBe(signal === "SIGKILL" ? null : 130);
    await expect
      .poll(async () => (await sh("pgrep -fx 'sleep 77.7' | wc -l")).out.trim(), { timeout: 10_000 })
      .toBe("0");
  });

  test("a key is never printed, however the stream is cut", async () => {
    const { out } = await sh("$ikigai -p secret --stream");
    expect(out).toBe("Is it [secret] or [secret]?\n");
  });

  test("--continue and --resume go on where it ended, an interrupted answer included", async () => {
    const other = makeHome();
    const at = `exec env IKIGAI_HOME=${other.folder}`;
    other.write("config.json", { providers: { anthropic: { base_url: `${emulator.url}/anthropic` } } });
    other.write("credentials.json", { anthropic: { api_key: canary() } });
    expect((await sh(`${at} $ikigai -p x --continue`)).err).toContain("no session");
    await sh(`${at} $ikigai -p stall --json`, (out, kill) => {
      if (out.includes("Words")) kill("SIGINT");
    });
    const store = await openStore({ path: other.path("ikigai.db") });
    const [session] = await store.sessions.list();
    await store.close();
    const asked = emulator.requests().length;
    const again = await sh(`${at} $ikigai -p --continue 'And then?'`);
    expect(again).toMatchObject({ code: 0, out: "You said: And then?\n" });
    expect(JSON.stringify(emulator.requests()[asked]?.body)).toMatch(/stall.*Words before.*And then\?/);
    const third = await sh(`${at} $ikigai -p --resume ${session?.uuid.slice(0, 8)} 'Thirdly'`);
    expect(third.out).toBe("You said: Thirdly\n");
    expect(JSON.stringify(emulator.requests().at(-1)?.body)).toMatch(/And then\?.*Thirdly/);
  });
});
