import { existsSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { runDoctor } from "../../src/cli/doctor/command.ts";
import { runExplain } from "../../src/cli/explain.ts";
import { plainKey, runLogin } from "../../src/cli/login.ts";
import { runLogout } from "../../src/cli/logout.ts";
import { runModels } from "../../src/cli/models.ts";
import { currentSecrets } from "../../src/cli/stored.ts";
import { openWorld } from "../../src/cli/world.ts";
import { runWire } from "../../src/cli/wire/command.ts";
import type { Fetch } from "../../src/llm/index.ts";
import { createEmulator } from "../../src/testing/index.ts";
import { canary, makeHome, run } from "./home.ts";

const home = makeHome();
const key = canary();
const emulator = createEmulator({ keys: [key] });
/** Nothing answers but the emulator: no local server of the machine gets into the way. */
const fetch: Fetch = async (url, init) => {
  if (!url.startsWith("https://mock.invalid/"))
    throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
  return emulator.fetch(url, init);
};
const mocked = {
  ...home.env,
  ANTHROPIC_BASE_URL: "https://mock.invalid/anthropic",
  OPENAI_BASE_URL: "https://mock.invalid/openai/v1",
};
const io = { env: mocked, fetch };

beforeEach(() => {
  home.remove("config.json");
  home.remove("credentials.json");
});

describe("login", () => {
  test("stores a piped key for its owner alone and does not show it", async () => {
    const ran = await run(runLogin, ["anthropic"], { ...io, input: `${key}\n` });
    expect(ran).toEqual({
      code: 0,
      out: `Stored the key of Anthropic (…WXYZ) in ${home.path("credentials.json")}\n`,
      err: "",
    });
    expect(JSON.parse(home.read("credentials.json"))).toEqual({ anthropic: { api_key: key } });
    expect(home.mode("credentials.json")).toBe(0o600);
  });

  test("asks the person at a terminal, unseen", async () => {
    const asked: string[] = [];
    const ask = async (prompt: string, how: string): Promise<string> => {
      asked.push(`${how}: ${prompt}`);
      return how === "shown" ? "2" : key;
    };
    const ran = await run(runLogin, [], { ...io, ask });
    expect(ran.code).toBe(0);
    expect(ran.err).toContain("  2  openai       https://platform.openai.com/api-keys\n");
    expect(asked).toEqual([
      "shown: Which provider (number or name)? ",
      "hidden: Key for OpenAI (made at https://platform.openai.com/api-keys), not shown: ",
    ]);
    expect(JSON.parse(home.read("credentials.json"))).toEqual({ openai: { api_key: key } });
  });

  test("cancelled stores nothing", async () => {
    const ran = await run(runLogin, ["openai"], { ...io, ask: async () => undefined });
    expect(ran).toEqual({ code: 130, out: "", err: "Nothing was stored.\n" });
    expect(existsSync(home.path("credentials.json"))).toBe(false);
  });

  test("--check stores a key the provider accepts", async () => {
    const ran = await run(runLogin, ["anthropic", "--check"], { ...io, input: key });
    expect(ran.code).toBe(0);
    expect(ran.err).toBe("Anthropic accepts the key.\n");
  });

  test("--check stores nothing the provider refuses, and says so with the exit code of auth", async () => {
    const wrong = canary("sk-ant-wrong");
    const ran = await run(runLogin, ["anthropic", "--check"], { ...io, input: wrong });
    expect(ran.code).toBe(3);
    expect(ran.out).toBe("");
    expect(ran.err).toMatch(/^ikigai: auth: /);
    expect(existsSync(home.path("credentials.json"))).toBe(false);
  });

  test("a key among the arguments is refused", async () => {
    const ran = await run(runLogin, ["anthropic", key], io);
    expect(ran.code).toBe(2);
    expect(ran.err).toBe(
      "ikigai: login takes the provider only; a key on the command line stays in the shell's history\n",
    );
  });

  test.each([
    ["antropic", 'ikigai: there is no provider "antropic"; did you mean anthropic?\n'],
    ["sim", "ikigai: Simulation needs no key\n"],
  ])("%s is no provider with a key", async (name, message) => {
    expect(await run(runLogin, [name], { ...io, input: key })).toEqual({ code: 2, out: "", err: message });
  });

  test("warns of another provider's key and of a variable that comes first", async () => {
    const foreign = await run(runLogin, ["openai"], { ...io, input: key });
    expect(foreign.err).toBe("ikigai: warning: this looks like a key of Anthropic\n");
    const env = { ...mocked, ANTHROPIC_API_KEY: "x" };
    const shadowed = await run(runLogin, ["anthropic"], { ...io, env, input: canary("sk-proj-") });
    expect(shadowed.err).toBe(
      "ikigai: warning: keys of Anthropic begin with sk-ant-; this one does not\n" +
        "ikigai: warning: ANTHROPIC_API_KEY is set, and comes before the stored key\n",
    );
  });

  test("never writes over a file it cannot read", async () => {
    home.write("credentials.json", '{"a": ');
    const ran = await run(runLogin, ["anthropic"], { ...io, input: key });
    expect(ran.code).toBe(2);
    expect(ran.err).toBe(
      `ikigai: ${home.path("credentials.json")}:1:7: not JSON: a value is missing before the end of the file\n`,
    );
    expect(home.read("credentials.json")).toBe('{"a": ');
  });

  test("takes what people paste", () => {
    const pasted = [key, ` ${key}\r\n`, `"${key}"`, `'${key}'`, `OPENAI_API_KEY=${key}`, `export KEY="${key}"\n`];
    expect(pasted.map(plainKey)).toEqual(pasted.map(() => key));
    for (const wrong of ["", "  \n", `${key}\n${key}`, "two words", "clé", '""'])
      expect(() => plainKey(wrong)).toThrow(/stored/);
  });
});

describe("logout", () => {
  beforeEach(() => home.write("credentials.json", { anthropic: { api_key: key }, openai: { api_key: key }, gone: {} }));

  test("removes what it is told to and nothing else", async () => {
    const file = home.path("credentials.json");
    const ran = await run(runLogout, ["anthropic", "gone"], io);
    expect(ran).toEqual({
      code: 0,
      out: `Removed the key of anthropic from ${file}\nRemoved the key of gone from ${file}\n`,
      err: "",
    });
    expect(JSON.parse(home.read("credentials.json"))).toEqual({ openai: { api_key: key } });
    expect(home.mode("credentials.json")).toBe(0o600);
  });

  test("says what is not stored, and what is still set", async () => {
    const env = { ...mocked, GEMINI_API_KEY: "x" };
    expect(await run(runLogout, ["google"], { ...io, env })).toEqual({
      code: 0,
      out: "No key of google is stored\n",
      err: "ikigai: warning: GEMINI_API_KEY is still set\n",
    });
  });

  test("--all removes everything; nothing at all is wrong use", async () => {
    expect((await run(runLogout, [], io)).err).toBe(
      "ikigai: say whose key to remove, or --all; stored: anthropic, openai, gone\n",
    );
    expect((await run(runLogout, ["--all"], io)).code).toBe(0);
    expect(JSON.parse(home.read("credentials.json"))).toEqual({});
  });
});

describe("doctor", () => {
  type Finding = { area: string; severity: string; message: string; mend?: string; fixed?: true };
  const findings = async (args: readonly string[], more: object = {}): Promise<readonly Finding[]> => {
    const ran = await run(runDoctor, ["--json", ...args], { ...io, ...more });
    return (JSON.parse(ran.out) as { findings: Finding[] }).findings;
  };
  const plainly = (found: readonly Finding[]): readonly string[] =>
    found.map(({ area, severity, message }) => `${severity} ${area}: ${message.replaceAll(home.folder, "~")}`);

  test("on a fresh machine finds nothing wrong, and that there is no key", async () => {
    expect(plainly(await findings(["--offline"])).slice(1)).toEqual([
      "ok config: none at ~/config.json; defaults hold",
      "ok credentials: none at ~/credentials.json",
      "warning keys: no provider has a key",
      "ok database: ~/ikigai.db, made at first use",
      "info terminal: the output is not a terminal",
    ]);
  });

  test("asks every provider with a key, masks every key, says which model is the default", async () => {
    home.write("credentials.json", { anthropic: { api_key: key }, openai: { api_key: canary("wrong-") } });
    const ran = await run(runDoctor, [], io);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(`✓ keys         anthropic: …WXYZ from ${home.path("credentials.json")}\n`);
    expect(ran.out).toContain("✓ model        new agents use anthropic:claude-opus-5-5 (the first that can be used)\n");
    expect(ran.out).toContain("✓ network      anthropic: the key is accepted\n");
    expect(ran.out).toMatch(/✗ network {6}openai: auth: .*\n {15}→ ikigai login openai --check/);
    expect(ran.out).toMatch(/\n1 error, 0 warnings\n$/);
    expect(ran.out + ran.err).not.toContain("canary");
  });

  test("another way to the same account is not told of beside it, unless it has a key of its own", async () => {
    const env = { ...mocked, GEMINI_API_KEY: key };
    const names = (found: readonly Finding[]): readonly string[] =>
      found.flatMap(({ area, severity, message }) => (area === "keys" && severity === "ok" ? [message] : []));
    expect(names(await findings(["--offline"], { env }))).toEqual(["google: …WXYZ from GEMINI_API_KEY"]);
    home.write("credentials.json", { "gemini-compatible": { api_key: canary("own-") } });
    expect(names(await findings(["--offline"], { env: mocked }))).toEqual([
      expect.stringContaining("gemini-compatible: "),
    ]);
  });

  test("does not show a key that a server repeats in its refusal", async () => {
    const odd = canary("odd-");
    home.write("credentials.json", { anthropic: { api_key: odd } });
    const repeating: Fetch = async () => {
      const error = { type: "authentication_error", message: `invalid x-api-key: ${odd}` };
      return Response.json({ type: "error", error }, { status: 401 });
    };
    const ran = await run(runDoctor, [], { ...io, fetch: repeating });
    expect(ran.out).toContain("anthropic: auth: invalid x-api-key: ***\n");
    expect(ran.out).not.toContain("canary");
  });

  test("--offline asks nobody", async () => {
    home.write("credentials.json", { anthropic: { api_key: key } });
    const forbidden: Fetch = async () => {
      throw new Error("asked");
    };
    const found = await findings(["--offline"], { fetch: forbidden });
    expect(found.filter(({ area }) => area === "network")).toEqual([]);
  });

  test("--fix mends permissions and the schema, and the next look is clean", async () => {
    home.write("credentials.json", { anthropic: { api_key: key } }, 0o644);
    home.write("config.json", { $schema: "./config.schema.json" });
    home.write("ikigai.db", "", 0o644);
    const before = await findings(["--offline"]);
    expect(
      before.filter(({ mend }) => mend === "ikigai doctor --fix").map(({ area, severity }) => `${severity} ${area}`),
    ).toEqual(["warning config", "error credentials", "error database"]);
    const mended = await findings(["--offline", "--fix"]);
    expect(mended.filter(({ fixed }) => fixed === true).map(({ area }) => area)).toEqual([
      "config",
      "credentials",
      "database",
    ]);
    expect([home.mode("credentials.json"), home.mode("ikigai.db")]).toEqual([0o600, 0o600]);
    expect(JSON.parse(home.read("config.schema.json"))).toHaveProperty("properties.default_provider");
    const after = await findings(["--offline"]);
    expect(after.filter(({ severity }) => severity === "error" || severity === "warning")).toEqual([]);
    home.remove("ikigai.db");
    home.remove("config.schema.json");
  });

  test("tells every mistake of every file at once", async () => {
    home.write("config.json", {
      listen_port: "x",
      defalt_provider: "openai",
      default_provider: "opnai",
      providers: { mine: { protocol: "chat" } },
    });
    home.write("credentials.json", { opnai: { api_key: key }, openai: key });
    const ran = await run(runDoctor, ["--offline"], io);
    expect(ran.code).toBe(1);
    for (const said of [
      'config.json:2:18: listen_port: "x" is not a whole number from 0 to 65535',
      "config.json:3:3: defalt_provider: there is no such key; did you mean default_provider?",
      'default_provider: "opnai" is no provider; known: anthropic, openai, ',
      "config.json:6:13: providers.mine.base_url: is missing",
      "credentials.json: opnai: no provider has this name; did you mean openai?",
      "openai: the value (not shown here) is not an object",
    ]) {
      expect(ran.out).toContain(said);
    }
    expect(ran.out).not.toContain("canary");
  });

  test("tells of names that go in a circle once, as a matter of the configuration", async () => {
    home.write("config.json", { aliases: { into: "b", c: "b/high", b: "c" } });
    home.remove("credentials.json");
    const found = await findings(["--offline"]);
    const errors = found.filter(({ severity }) => severity === "error");
    expect(errors.map(({ area, message }) => `${area}: ${message}`)).toEqual([
      "config: aliases.b stands for itself: b → c → b",
    ]);
  });

  test("without a key, a local server that answers is the default", async () => {
    const local: Fetch = async (url, init) => {
      if (!url.startsWith("http://localhost:11434/")) return fetch(url, init);
      return Response.json({ object: "list", data: [{ id: "qwen3:8b", object: "model" }] });
    };
    const found = plainly(await findings([], { fetch: local }));
    expect(found).toContain("ok network: ollama: runs on this machine; models: 1");
    expect(found).toContain("ok model: new agents use ollama:qwen3:8b (the first that can be used)");
  });

  test("a file beside one is named as `db move` names it", async () => {
    const found = plainly(await findings(["--offline"], { env: { ...mocked, IKIGAI_DATABASE_URL: "back.db" } }));
    expect(found).toContainEqual(expect.stringMatching(/^ok database: .*back\.db, made at first use$/));
  });

  test("never shows the password of a database", async () => {
    home.write("config.json", { database_url: "postgres://me:hunter2@db.example/ikigai" });
    const found = plainly(await findings(["--offline"]));
    expect(found).toContain("ok database: postgres://me@db.example/ikigai");
    expect(found.join()).not.toContain("hunter2");
    home.write("config.json", { database_url: "postgres://me:12/hunter2@db.example/ikigai" });
    const cut = plainly(await findings(["--offline"])).join();
    expect(cut).toContain("error database: the configured PostgreSQL address cannot be read");
    expect(cut).not.toContain("hunter2");
  });

  test("notices a file that is no database", async () => {
    home.write("notes.txt", "dear diary, nothing happened");
    home.write("config.json", { database_url: home.path("notes.txt") });
    expect(plainly(await findings(["--offline"]))).toContain("error database: ~/notes.txt is no SQLite database");
  });

  test("looks at the terminal", async () => {
    const screen = { columns: 30, rows: 10, colour_bits: 24 };
    const env = { ...mocked, TERM: "xterm-256color", LANG: "C" };
    expect(plainly(await findings(["--offline"], { screen, env })).filter((line) => line.includes("terminal"))).toEqual(
      [
        "ok terminal: xterm-256color, 30×10, 16777216 colours",
        "warning terminal: 30 columns are narrow",
        "warning terminal: the locale is not UTF-8: signs beyond ASCII may look wrong",
      ],
    );
  });
});

describe("while a program runs", () => {
  test("a key that is added in another terminal is there at the next request, and hidden from then on", async () => {
    const nowhere = (async function* () {})();
    const world = await openWorld({ ...io, stdin: nowhere, stdout: () => undefined, stderr: () => undefined });
    const secrets = currentSecrets(world);
    const before = world.options();
    expect(before.settings.providers?.["anthropic"]?.key).toBeUndefined();
    expect(world.options()).toBe(before);
    await run(runLogin, ["anthropic"], { ...io, input: `${key}\n` });
    expect(world.options().settings.providers?.["anthropic"]?.key).toBe(key);
    expect(secrets()).toContain(key);
    await run(runLogout, ["anthropic"], io);
    expect(world.options().settings.providers?.["anthropic"]?.key).toBeUndefined();
    expect(secrets()).toContain(key);
  });
});

describe("models --live", () => {
  test("lists what the providers list, and marks what the registry does not know", async () => {
    home.write("credentials.json", { anthropic: { api_key: key } });
    const listing: Fetch = async (url, init) => {
      if (!url.startsWith("https://mock.invalid/anthropic/v1/models")) return fetch(url, init);
      const data = [
        { type: "model", id: "claude-opus-5-5", display_name: "Claude Opus 5.5" },
        { type: "model", id: "claude-quartz-9", display_name: "Claude Quartz 9" },
      ];
      return Response.json({ data, has_more: false });
    };
    const ran = await run(runModels, ["--live"], { ...io, fetch: listing });
    expect(ran.code).toBe(0);
    expect(ran.err).toBe("2 models from anthropic; 1 of them new to the registry\n");
    const lines = ran.out.trimEnd().split("\n");
    expect(lines[1]).toMatch(/^claude-opus-5-5 .* anthropic .*adaptive/);
    expect(lines[1]).not.toMatch(/new$/);
    expect(lines[2]).toMatch(/^claude-quartz-9 .* new$/);
    const json = await run(runModels, ["--live", "--json", "quartz"], { ...io, fetch: listing });
    expect(JSON.parse(json.out)).toMatchObject([{ id: "claude-quartz-9", provider: "anthropic", unknown: true }]);
  });

  test("one provider that refuses does not hide another's list", async () => {
    home.write("credentials.json", { anthropic: { api_key: key }, openai: { api_key: "wrong" } });
    const ran = await run(runModels, ["--live"], io);
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(/^ikigai: openai: auth: .*\n\d+ models from anthropic; \d+ of them new to the registry\n$/);
  });

  test("nobody to ask is an error that says what to do", async () => {
    const ran = await run(runModels, ["--live"], io);
    expect(ran.code).toBe(3);
    expect(ran.err).toMatch(/^ikigai: no provider has a key and no local server answers: .*ikigai login/);
  });
});

describe("settings reach the library", () => {
  const conversation = JSON.stringify({ messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] });
  const explained = async (model: string): Promise<{ [field: string]: unknown }> => {
    const ran = await run(runExplain, [model, "--json"], io);
    expect(ran.err).toBe("");
    return JSON.parse(ran.out) as { [field: string]: unknown };
  };

  test("explain uses the default level, the api and the output limit of config.json", async () => {
    home.write("config.json", {
      max_output_tokens: 1000,
      providers: { openai: { api: "chat", default_thinking: "high" } },
    });
    expect(await explained("gpt-6.1-sol")).toMatchObject({
      api: "chat",
      level_asked: "high",
      parameters: { reasoning_effort: "high", max_completion_tokens: 65_000 },
    });
    expect(await explained("gpt-6.1-sol/low")).toMatchObject({ level_asked: "low" });
  });

  test("a provider's name alone is the model chosen for it", async () => {
    home.write("config.json", { providers: { openai: { default_model: "gpt-6-luna/high" } } });
    expect(await explained("openai")).toMatchObject({ model: "gpt-6-luna" });
  });

  test("a provider of one's own is one line of configuration", async () => {
    home.write("config.json", {
      providers: {
        mine: {
          protocol: "chat",
          base_url: "https://llm.example/v1",
          prefixes: ["mine-"],
          models: {
            "mine-1": {
              context_tokens: 9000,
              output_tokens_max: 3000,
              thinking: { kind: "effort", efforts: ["low", "high"] },
              prices: { input: 1, output: 2 },
            },
          },
        },
      },
    });
    expect(await explained("mine-1/high")).toMatchObject({
      provider: "mine",
      api: "chat",
      model: "mine-1",
      level_applied: "high",
    });
    const listed = await run(runModels, ["mine-1", "--json"], io);
    expect(JSON.parse(listed.out)).toMatchObject([{ id: "mine-1", provider: "mine", prices: { input: 1, output: 2 } }]);
    const encoded = await run(runWire, ["encode", "--model", "mine-1"], { ...io, input: conversation });
    expect(JSON.parse(encoded.out)).toMatchObject({
      url: "https://llm.example/v1/chat/completions",
      body: { model: "mine-1" },
    });
  });

  test("aliases stand for models, and a person's own prefix wins", async () => {
    const mine = { protocol: "chat", base_url: "https://llm.example/v1", prefixes: ["gpt-"] };
    home.write("config.json", { aliases: { deep: "claude-opus-5-5/high" }, providers: { mine } });
    expect(await explained("deep")).toMatchObject({ model: "claude-opus-5-5", level_asked: "high" });
    expect(await explained("gpt-6.1-sol")).toMatchObject({ provider: "mine" });
  });

  test("corrections of known models are used", async () => {
    home.write("config.json", {
      providers: { anthropic: { models: { "claude-opus-5-5": { prices: { input: 7, output: 9 } } } } },
    });
    const listed = await run(runModels, ["claude-opus-5-5", "--json"], io);
    expect(JSON.parse(listed.out)).toMatchObject([
      { id: "claude-opus-5-5", prices: { input: 7, output: 9 }, context_tokens: 1_000_000 },
    ]);
  });

  test("a mistake at one provider stops only who uses it", async () => {
    const file = home.write("config.json", {
      providers: { openai: { api: 5 }, mine: { protocol: "chat", base_url: 1 } },
    });
    expect(await explained("claude-opus-5-5")).toMatchObject({ provider: "anthropic" });
    expect(await run(runExplain, ["gpt-6.1-sol"], io)).toEqual({
      code: 2,
      out: "",
      err: `ikigai: invalid_argument: ${file}:4:14: providers.openai.api: 5 is not text\n`,
    });
    expect((await run(runExplain, ["mine:x"], io)).err).toBe(
      `ikigai: invalid_argument: ${file}:8:19: providers.mine.base_url: 1 is not an http(s) address\n`,
    );
  });

  test("a file that is not JSON stops what needs it, with line and column", async () => {
    const file = home.write("config.json", '{\n  "listen_port": 1984,\n}');
    const message = `ikigai: ${file}:2:22: not JSON: a comma before "}"; remove it\n`;
    expect(await run(runExplain, ["claude-opus-5-5"], io)).toEqual({ code: 2, out: "", err: message });
    expect((await run(runModels, [], io)).err).toBe(message);
    expect((await run(runWire, ["encode", "--model", "gpt-6.1-sol"], { ...io, input: conversation })).err).toContain(
      message,
    );
  });

  test("unknown keys are warned of once, on standard error", async () => {
    home.write("config.json", { max_tool_turn: 3 });
    const ran = await run(runExplain, ["claude-opus-5-5", "--json"], io);
    expect(ran.code).toBe(0);
    expect(ran.err).toBe(
      `ikigai: warning: ${home.path("config.json")}:2:3: max_tool_turn: there is no such key; did you mean max_tool_turns?\n`,
    );
  });

  test("without a file nothing changes for any model", async () => {
    const bare = await run(runExplain, ["gemini-2.5-pro/high", "--json"]);
    expect(JSON.parse(bare.out)).toEqual(await explained("gemini-2.5-pro/high"));
  });
});
