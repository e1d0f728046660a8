import { describe, expect, test } from "vitest";
import { addConfigItems, ConfigError, loadConfig, setConfigValue } from "../../src/config/index.ts";
import { makeHome } from "./home.ts";

const home = makeHome();
const file = home.path("config.json");

describe("setting one key", () => {
  test("leaves everything else as it was: keys, order, indentation, permissions", () => {
    home.write(
      "config.json",
      '{\n    "zeta": 1,\n    "listen_port": 5,\n    "providers": {"openai": {"api": "chat"}}\n}\n',
      0o640,
    );
    setConfigValue(file, ["listen_port"], 6);
    setConfigValue(file, ["providers", "google", "default_thinking"], "low");
    expect(home.read("config.json")).toBe(
      JSON.stringify(
        { zeta: 1, listen_port: 6, providers: { openai: { api: "chat" }, google: { default_thinking: "low" } } },
        undefined,
        4,
      ) + "\n",
    );
    expect(home.mode("config.json")).toBe(0o640);
  });

  test("takes a key away, and only that", () => {
    home.write("config.json", { budget: { day_usd: 1, session_usd: 2 }, listen_port: 5 });
    setConfigValue(file, ["budget", "day_usd"], undefined);
    setConfigValue(file, ["listen_port"], undefined);
    expect(JSON.parse(home.read("config.json"))).toEqual({ budget: { session_usd: 2 } });
  });

  test("adds to a list as it stands in the file now", () => {
    home.write("config.json", { permissions: [{ decision: "deny", path: "private/**" }], history_size: 3 });
    addConfigItems(file, "permissions", [{ decision: "allow", tool: "bash", command: "date *" }]);
    expect(JSON.parse(home.read("config.json"))).toEqual({
      permissions: [
        { decision: "deny", path: "private/**" },
        { decision: "allow", tool: "bash", command: "date *" },
      ],
      history_size: 3,
    });
    expect(() => addConfigItems(file, "permissions", [{ decision: "perhaps" }])).toThrow(ConfigError);
  });

  test("makes the file where there is none, and reads back what was set", () => {
    home.remove("config.json");
    setConfigValue(file, ["default_provider"], "openai");
    expect(loadConfig(file, {}).get("default_provider")).toBe("openai");
  });

  test.each([
    [["listen_port"], "x", 'listen_port: "x" is not a whole number from 0 to 65535'],
    [["no_such_key"], 1, "no_such_key: there is no such key"],
    [["providers", "openai", "api_key"], "k", "providers.openai.api_key: keys do not belong here"],
  ])("%j = %j is refused and nothing is written", (path, value, message) => {
    home.write("config.json", { listen_port: 5 });
    expect(() => setConfigValue(file, path, value)).toThrow(message);
    expect(JSON.parse(home.read("config.json"))).toEqual({ listen_port: 5 });
  });

  test("a mistake elsewhere does not get into the way; a file that cannot be read does", () => {
    home.write("config.json", { listen_port: "x" });
    setConfigValue(file, ["history_size"], 3);
    expect(loadConfig(file, {}).get("history_size")).toBe(3);
    home.write("config.json", "{");
    expect(() => setConfigValue(file, ["history_size"], 3)).toThrow(ConfigError);
    expect(home.read("config.json")).toBe("{");
  });
});
