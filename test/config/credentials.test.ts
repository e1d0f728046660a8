import { execFile } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, utimesSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import {
  ConfigError,
  findStoredKey,
  isPrivate,
  loadCredentials,
  makePrivate,
  maskKey,
  problemText,
  removeKey,
  storeKey,
} from "../../src/config/index.ts";
import { canary, makeHome } from "./home.ts";

const home = makeHome();
const file = home.path("credentials.json");
const openai = { name: "openai", key_variables: ["OPENAI_API_KEY", "OPENAI_KEY"] };

describe("precedence of keys", () => {
  const stored = canary("stored-");
  test("the environment, in the order of the variables, comes before the file", () => {
    home.write("credentials.json", { openai: { api_key: stored } });
    const credentials = loadCredentials(file);
    const find = (env: { readonly [name: string]: string }): unknown => findStoredKey(openai, env, credentials);
    expect(find({ OPENAI_KEY: "second", OPENAI_API_KEY: " first \n" })).toEqual({
      key: "first",
      source: "OPENAI_API_KEY",
    });
    expect(find({ OPENAI_KEY: "second", OPENAI_API_KEY: "  " })).toEqual({ key: "second", source: "OPENAI_KEY" });
    expect(find({})).toEqual({ key: stored, source: file });
  });

  test("a broken file is no concern of who has a variable", () => {
    home.write("credentials.json", "{");
    const credentials = loadCredentials(file);
    expect(findStoredKey(openai, { OPENAI_API_KEY: "x" }, credentials)).toEqual({ key: "x", source: "OPENAI_API_KEY" });
    expect(() => findStoredKey(openai, {}, credentials)).toThrow(ConfigError);
  });

  test("no file, no keys, no complaint", () => {
    home.remove("credentials.json");
    expect(findStoredKey(openai, {}, loadCredentials(file))).toBeUndefined();
  });
});

describe("storing", () => {
  test("makes the file and its folder for their owner alone, whatever the mask", () => {
    const path = home.path("deep/er/credentials.json");
    const mask = process.umask(0);
    try {
      storeKey(path, "openai", "k1");
    } finally {
      process.umask(mask);
    }
    expect(home.mode("deep/er/credentials.json")).toBe(0o600);
    expect(home.mode("deep/er")).toBe(0o700);
    expect(home.mode("deep")).toBe(0o700);
    expect(home.read("deep/er/credentials.json")).toBe('{\n  "openai": {\n    "api_key": "k1"\n  }\n}\n');
  });

  test("round trip: keeps other keys, their order, their extras and the indentation", () => {
    home.write("credentials.json", '{\n\t"zeta": {"api_key": "z", "note": "mine"},\n\t"alpha": {"api_key": "a"}\n}');
    storeKey(file, "beta", "b");
    storeKey(file, "zeta", "new");
    expect(JSON.parse(home.read("credentials.json"))).toEqual({
      zeta: { api_key: "new", note: "mine" },
      alpha: { api_key: "a" },
      beta: { api_key: "b" },
    });
    expect(home.read("credentials.json").split("\n")[1]).toBe('\t"zeta": {');
    expect(removeKey(file, "beta")).toBe(true);
    expect(removeKey(file, "beta")).toBe(false);
    expect(Object.keys(JSON.parse(home.read("credentials.json")) as object)).toEqual(["zeta", "alpha"]);
    expect(loadCredentials(file).key("zeta")).toBe("new");
  });

  test("tightens a file that was open", () => {
    home.write("credentials.json", "{}", 0o644);
    storeKey(file, "openai", "x");
    expect(home.mode("credentials.json")).toBe(0o600);
  });

  test("never writes over what it cannot read", () => {
    for (const text of ["{", "[]", ""]) {
      home.write("credentials.json", text);
      expect(() => storeKey(file, "openai", "x")).toThrow(ConfigError);
      expect(() => removeKey(file, "openai")).toThrow(ConfigError);
      expect(home.read("credentials.json")).toBe(text);
    }
  });

  test("a link stays a link", () => {
    mkdirSync(home.path("dotfiles"));
    home.write("dotfiles/keys.json", "{}");
    symlinkSync(home.path("dotfiles/keys.json"), home.path("linked.json"));
    storeKey(home.path("linked.json"), "openai", "x");
    expect(lstatSync(home.path("linked.json")).isSymbolicLink()).toBe(true);
    expect(JSON.parse(home.read("dotfiles/keys.json"))).toEqual({ openai: { api_key: "x" } });
  });

  test("leaves nothing behind, also where it fails", () => {
    mkdirSync(home.path("taken"));
    mkdirSync(home.path("taken/credentials.json"));
    expect(() => storeKey(home.path("taken/credentials.json"), "openai", "x")).toThrow(ConfigError);
    expect(readdirSync(home.path("taken"))).toEqual(["credentials.json"]);
    expect(readdirSync(home.folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("two at once", () => {
  const program = `
    import { storeKey } from ${JSON.stringify(new URL("../../src/config/index.ts", import.meta.url).href)};
    const [file, name, count] = process.argv.slice(1);
    for (let index = 0; index < Number(count); index++) storeKey(file, name + index, "k");
  `;

  test("lose none of their entries, and leave nothing behind", async () => {
    const path = home.path("shared/credentials.json");
    const names = ["a", "b", "c", "d"];
    const processes = names.map((name) =>
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, path, name, "10"]),
    );
    await Promise.all(processes);
    expect(Object.keys(JSON.parse(home.read("shared/credentials.json")) as object)).toHaveLength(40);
    expect(readdirSync(home.path("shared"))).toEqual(["credentials.json"]);
  });

  test("what a dead program locked is free again", () => {
    const path = home.path("locked.json");
    home.write("locked.json.lock", "");
    utimesSync(`${path}.lock`, 0, 0);
    storeKey(path, "openai", "x");
    expect(JSON.parse(home.read("locked.json"))).toEqual({ openai: { api_key: "x" } });
    expect(readdirSync(home.folder)).not.toContain("locked.json.lock");
  });

  test("taking away what is not there makes no folder", () => {
    expect(removeKey(home.path("nowhere/credentials.json"), "openai")).toBe(false);
    expect(readdirSync(home.folder)).not.toContain("nowhere");
  });
});

describe("permissions", () => {
  test("an open file is reported with its mode, and still read", () => {
    home.write("credentials.json", { openai: { api_key: "x" } }, 0o644);
    const credentials = loadCredentials(file);
    expect(credentials.problems.map(problemText)).toEqual([
      `${file}: others may read it (mode 0644, should be 0600); run \`ikigai doctor --fix\``,
    ]);
    expect(credentials.key("openai")).toBe("x");
  });

  test.each([
    [0o644, 0o600],
    [0o640, 0o600],
    [0o666, 0o600],
    [0o444, 0o400],
  ])("mode %o becomes %o", (before, after) => {
    home.write("credentials.json", "{}", before);
    expect(isPrivate(file)).toBe(false);
    makePrivate(file);
    expect(home.mode("credentials.json")).toBe(after);
    expect(isPrivate(file)).toBe(true);
  });

  test("what is not there is nobody's business", () => {
    expect(existsSync(home.path("absent"))).toBe(false);
    expect(isPrivate(home.path("absent"))).toBe(true);
  });
});

test("a masked key shows its last four characters at most", () => {
  expect(maskKey(canary())).toBe("…WXYZ");
  expect(maskKey("short-key")).toBe("…");
});
