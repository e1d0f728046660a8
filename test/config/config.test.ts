import { describe, expect, test } from "vitest";
import { ConfigError, findPaths, loadConfig, problemText } from "../../src/config/index.ts";
import { makeHome } from "./home.ts";

const home = makeHome();

/** The file of the original design, with its keys and its nesting. */
const original = {
  providers: {
    anthropic: { default_model: "claude-sonnet-4" },
    openai: { default_model: "gpt-4o" },
    google: { default_model: "gemini-2.5-pro" },
    xai: { default_model: "grok-2" },
    meta: { default_model: "llama-4-maverick" },
  },
  default_provider: "anthropic",
  max_output_tokens: 4096,
  listen_address: "127.0.0.1",
  listen_port: 1984,
  max_tool_turns: 50,
  max_output_size: 1048576,
  history_size: 10000,
};

describe("config.json", () => {
  test("the original file is read without a word", () => {
    const config = loadConfig(home.write("config.json", original), {});
    expect(config.problems).toEqual([]);
    expect(config.get("default_provider")).toBe("anthropic");
    expect(config.get("max_output_tokens")).toBe(4096);
    expect(config.provider("meta")).toEqual({ default_model: "llama-4-maverick" });
    expect(config.provider_names).toEqual(["anthropic", "openai", "google", "xai", "meta"]);
  });

  test("without a file everything has its default", () => {
    const config = loadConfig(home.path("absent.json"), {});
    expect(config.exists).toBe(false);
    expect(config.problems).toEqual([]);
    expect(config.get("default_provider")).toBeUndefined();
    expect(config.get("max_output_tokens")).toBe(16_384);
    expect(config.get("listen_address")).toBe("127.0.0.1");
    expect(config.get("listen_port")).toBe(1984);
    expect(config.get("max_tool_turns")).toBe(50);
    expect(config.get("max_output_size")).toBe(1_048_576);
    expect(config.get("history_size")).toBe(10_000);
    expect(config.get("thinking")).toEqual({ long_context_above_tokens: 150_000, long_context_budget_tokens: 10_000 });
    expect(config.get("agents")).toEqual({ running_max: 8, depth_max: 4, total_max: 100 });
    expect(config.get("budget")).toEqual({ session_usd: 5 });
    expect(config.get("tools")).toEqual({ timeout_ms: 120_000, shown_bytes: 30_720 });
  });

  test("a section that is half written keeps the other defaults", () => {
    const config = loadConfig(home.write("config.json", { thinking: { long_context_budget_tokens: 1 } }), {});
    expect(config.get("thinking")).toEqual({ long_context_above_tokens: 150_000, long_context_budget_tokens: 1 });
  });

  test("$schema is a key like any other", () => {
    const config = loadConfig(home.write("config.json", { $schema: "./config.schema.json" }), {});
    expect(config.problems).toEqual([]);
    expect(config.get("$schema")).toBe("./config.schema.json");
  });

  test("levels are understood in every spelling and kept in ours", () => {
    const spellings = { off: "none", min: "none", medium: "med", HIGH: "high", max: "max" };
    for (const [written, level] of Object.entries(spellings)) {
      const content = { providers: { openai: { default_thinking: written } } };
      expect(loadConfig(home.write("config.json", content), {}).provider("openai").default_thinking).toBe(level);
    }
  });

  test("one variable may stand for a list of them", () => {
    const content = { providers: { one: { api_key_env: "A" }, two: { api_key_env: ["A", "B"] } } };
    const config = loadConfig(home.write("config.json", content), {});
    expect(config.provider("one").api_key_env).toEqual(["A"]);
    expect(config.provider("two").api_key_env).toEqual(["A", "B"]);
  });

  test("a name of the language is no provider", () => {
    const config = loadConfig(home.write("config.json", "{}"), {});
    expect(config.provider("constructor")).toEqual({});
    expect(config.provider("__proto__")).toEqual({});
  });
});

describe("the environment beats the file", () => {
  test("for every single value, by a name that follows from the key", () => {
    const file = home.write("config.json", { ...original, budget: { day_usd: 3 } });
    const config = loadConfig(file, {
      IKIGAI_DEFAULT_PROVIDER: "openai",
      IKIGAI_LISTEN_PORT: "8080",
      IKIGAI_BUDGET_SESSION_USD: "0.5",
      IKIGAI_MAX_TOOL_TURNS: "  ",
    });
    expect(config.get("default_provider")).toBe("openai");
    expect(config.get("listen_port")).toBe(8080);
    expect(config.get("budget")).toEqual({ session_usd: 0.5, day_usd: 3 });
    expect(config.get("max_tool_turns")).toBe(50);
  });

  test("what is wrong in it names the variable", () => {
    const config = loadConfig(home.write("config.json", original), { IKIGAI_LISTEN_PORT: "http" });
    expect(config.problems.map(problemText)).toEqual([
      'IKIGAI_LISTEN_PORT: listen_port: "http" is not a whole number from 0 to 65535',
    ]);
    expect(() => config.get("listen_port")).toThrow(ConfigError);
  });

  test("what it decides alone does not care about a broken file", () => {
    const config = loadConfig(home.write("config.json", "{"), { IKIGAI_LISTEN_PORT: "1" });
    expect(config.get("listen_port")).toBe(1);
    expect(() => config.get("listen_address")).toThrow(ConfigError);
  });

  test("a section that is no section stays wrong", () => {
    const config = loadConfig(home.write("config.json", { budget: 5 }), { IKIGAI_BUDGET_DAY_USD: "1" });
    expect(() => config.get("budget")).toThrow("5 is not an object");
  });
});

describe("paths", () => {
  const linux = { platform: "linux", home: "/home/me" };

  test.each([
    ["defaults", {}, linux, "/home/me/.config/ikigai", "/home/me/.local/share/ikigai"],
    ["XDG", { XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d" }, linux, "/c/ikigai", "/d/ikigai"],
    [
      "a relative XDG folder is ignored",
      { XDG_CONFIG_HOME: "c" },
      linux,
      "/home/me/.config/ikigai",
      "/home/me/.local/share/ikigai",
    ],
    ["IKIGAI_HOME holds everything", { IKIGAI_HOME: "/h", XDG_CONFIG_HOME: "/c" }, linux, "/h", "/h"],
    ["IKIGAI_HOME with a tilde", { IKIGAI_HOME: "~/own" }, linux, "/home/me/own", "/home/me/own"],
    [
      "an empty IKIGAI_HOME is none",
      { IKIGAI_HOME: "" },
      linux,
      "/home/me/.config/ikigai",
      "/home/me/.local/share/ikigai",
    ],
  ])("%s", (_name, env, system, config, data) => {
    const paths = findPaths(env, system);
    expect(paths).toEqual({
      config_folder: config,
      config_file: `${config}/config.json`,
      credentials_file: `${config}/credentials.json`,
      data_folder: data,
      database_file: `${data}/ikigai.db`,
    });
  });

  test("on Windows AppData", () => {
    const env = { APPDATA: "/roaming", LOCALAPPDATA: "/local" };
    const paths = findPaths(env, { platform: "win32", home: "/home/me" });
    expect([paths.config_folder, paths.data_folder]).toEqual(["/roaming/ikigai", "/local/ikigai"]);
  });

  test("HOME of the environment counts", () => {
    const expected = process.platform === "win32" ? /ikigai$/ : /^\/home\/you\/.config\/ikigai$/;
    expect(findPaths({ HOME: "/home/you" }).config_folder).toMatch(expected);
  });
});
