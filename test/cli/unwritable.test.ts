import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runHistory } from "../../src/cli/history.ts";
import { runImport } from "../../src/cli/import.ts";
import { runPrint } from "../../src/cli/print.ts";
import { createServices } from "../../src/cli/repl-services.ts";
import { openStore } from "../../src/store/index.ts";
import { createEmulator } from "../../src/testing/index.ts";
import { canary, makeHome, run } from "../config/home.ts";
import { converse } from "./conversation.ts";

test("history, usage, export and db check read what they may not write, and say nothing of it", async (context) => {
  const home = makeHome();
  const store = await openStore({ path: home.path("ikigai.db") });
  const { session } = await converse(store);
  await store.close();
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
  if (nobody !== undefined) {
    chownSync(home.path("ikigai.db"), nobody.uid, nobody.gid);
    chownSync(home.folder, nobody.uid, nobody.gid);
  }
  chmodSync(home.path("ikigai.db"), 0o400);
  chmodSync(home.folder, 0o500);
  const ikigai = (...args: readonly string[]) =>
    spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", main, ...args], {
      ...nobody,
      encoding: "utf8",
      env: { ...home.env, TZ: "UTC" },
    });
  if (ikigai("--version").status !== 0) context.skip("this folder cannot be read by anybody else");
  expect(ikigai("history")).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining("needle") });
  expect(ikigai("history", "needle", "--ranked")).toMatchObject({ status: 0, stderr: "" });
  expect(ikigai("usage", "--json")).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining("0.25") });
  const exported = ikigai("export", session.uuid, "--format", "jsonl");
  expect(exported).toMatchObject({ status: 0, stdout: expect.stringContaining("needle") });
  expect(exported.stdout.split("\n").length).toBeGreaterThan(10);
  expect(ikigai("db", "check")).toMatchObject({ status: 0, stderr: "" });
  const answer = ikigai("-p", "a parrot", "--model", "sim-echo");
  expect(answer).toMatchObject({ status: 0, stdout: expect.stringContaining("a parrot") });
  expect(answer.stderr.match(/kept in memory/g)).toHaveLength(1);
  chmodSync(home.folder, 0o700);
  expect(readdirSync(home.folder)).toEqual(["ikigai.db"]);
});

test("-p where no history can be made answers all the same and says once that nothing is written", async () => {
  const home = makeHome();
  home.write("config.json", { providers: { anthropic: { base_url: "http://emulator/anthropic" } } });
  home.write("credentials.json", { anthropic: { api_key: canary() } });
  // Nothing can be made below a file, whoever asks.
  const env = { ...home.env, IKIGAI_DATABASE_URL: home.path("config.json/below/history.db") };
  const emulator = createEmulator({ noise: false });
  const ran = await run(runPrint, ["-p", "Hi", "--model", "claude-opus-5-5/low"], { env, fetch: emulator.fetch });
  expect(ran).toMatchObject({ code: 0, out: "You said: Hi\n" });
  expect(ran.err.match(/ikigai: warning: .*look at the permissions.*kept in memory/g)).toHaveLength(1);
});

test("a conversation where no history can be made goes on in memory, says so, and is written once it can be", async () => {
  const home = makeHome();
  const blocked = home.write("blocked", "");
  const env = { ...home.env, IKIGAI_DATABASE_URL: home.path("blocked/below/history.db") };
  let err = "";
  const io = { stdin: noInput(), stdout: () => undefined, stderr: (text: string) => void (err += text), env };
  const services = createServices(io, { folder: home.folder, model: "sim-echo" });
  const { agents } = await services.open({ which: "new" });
  expect(services.problems.join("\n").match(/look at the permissions.*kept in memory/g)).toHaveLength(1);
  expect(services.store_label).toMatch(/cannot be written, \d+ wait$/);
  const before = services.unwritten ?? 0;
  const done = new Promise((resolve) => agents.subscribe((event) => event.type === "turn_ended" && resolve(event)));
  await agents.command({ type: "say", agent_uuid: agents.root_uuid, content: "a parrot" });
  await done;
  expect(services.unwritten).toBeGreaterThan(before);
  const written = new Promise<void>((resolve) => services.onUnwritten?.(resolve));
  rmSync(blocked);
  await written;
  expect([services.unwritten, services.store_label]).toEqual([undefined, "db sqlite"]);
  await agents.close();
  await services.close();
  expect(err).toBe("");
  const found = await run(runHistory, ["parrot", "--json"], { env });
  expect(JSON.parse(found.out)).toMatchObject([{ kind: "assistant" }, { kind: "user", excerpt: "a parrot" }]);
});

async function* noInput(): AsyncGenerator<string, void, undefined> {}

test.each([
  ["a line that is none", '{"type":"session"}\n'],
  [
    "an entry of nobody",
    `${JSON.stringify({ type: "entry", uuid: "e", agent_uuid: "a", kind: "user", version: 1, created_at: 1 })}\n`,
  ],
  ["an entry that points nowhere", pointless()],
])("an import that fails leaves no empty history behind: %s", async (_what, lines) => {
  const home = makeHome();
  const ran = await run(runImport, [home.write("lines.jsonl", lines)], { env: home.env });
  expect(ran.code).not.toBe(0);
  expect(ran.err).toMatch(/lines\.jsonl, line \d/);
  expect(existsSync(home.path("ikigai.db"))).toBe(false);
  expect((await run(runHistory, [], { env: home.env })).err).toContain("No history yet");
});

function pointless(): string {
  const times = { created_at: 1, updated_at: 1 };
  const lines = [
    { type: "session", uuid: "s".repeat(22), version: 1, ...times },
    { type: "agent", uuid: "a".repeat(22), session_uuid: "s".repeat(22), status: "idle", ...times },
    {
      type: "entry",
      uuid: "e".repeat(22),
      agent_uuid: "a".repeat(22),
      kind: "rewind",
      data: { target_uuid: "x" },
      version: 1,
      created_at: 1,
    },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
