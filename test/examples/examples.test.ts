import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findSecrets, startEmulator, type Emulator } from "../../src/testing/index.ts";
import { filesUnder, root } from "../../tools/files.mjs";

const linesMax = 60;
const programs = filesUnder("examples").filter((path) => path.endsWith(".mjs"));

describe("examples", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ seed: 1, noise: false });
  });
  beforeEach(() => emulator.reset());
  afterAll(() => emulator.close());

  /** With the emulator in the place of three providers. */
  function run(path: string): Promise<readonly string[]> {
    const { base_urls } = emulator;
    const keys = { ANTHROPIC_API_KEY: "any", OPENAI_API_KEY: "any", GEMINI_API_KEY: "any" };
    const addresses = {
      ANTHROPIC_BASE_URL: base_urls["anthropic"],
      OPENAI_BASE_URL: base_urls["openai"],
      GOOGLE_BASE_URL: base_urls["google"],
    };
    return runWith({ ...keys, ...addresses }, path);
  }

  /** As its reader would run it, with the sources in the place of the package. */
  async function runWith(variables: NodeJS.ProcessEnv, path: string, ...flags: string[]): Promise<readonly string[]> {
    const hook = pathToFileURL(join(root, "test/examples/source.mjs")).href;
    const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...variables };
    const args = ["--no-warnings", "--import", hook, ...flags, join(root, path)];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { encoding: "utf8", env });
    expect(stderr).toBe("");
    return stdout.trim().split("\n");
  }

  test("the page gives the addresses of the emulator", () => {
    const page = readFileSync(join(root, "examples/README.md"), "utf8");
    const given = [...page.matchAll(/(\w+)_BASE_URL=http:\/\/127\.0\.0\.1:1985(\S+)/g)];
    expect(given.map(([, provider]) => provider)).toEqual(["ANTHROPIC", "OPENAI", "GOOGLE"]);
    for (const [, provider = "", path] of given) {
      expect(new URL(emulator.base_urls[provider.toLowerCase()] ?? "").pathname).toBe(path);
    }
  });

  test("stream", async () => {
    emulator.script({ answer: { thinking: "Light scatters.", text: "Air scatters blue light." } });
    const [text, , end] = await run("examples/stream.mjs");
    expect(text).toBe("Air scatters blue light.");
    expect(end).toMatch(/^15 characters of thinking, \d+ tokens, ended by stop$/);
  });

  test("tools", async () => {
    const call = (city: string) => ({ name: "weather", arguments: { city } });
    emulator.script(
      { answer: { tool_calls: [call("Kyoto"), call("Atlantis")] } },
      { match: { tool_results: true }, answer: { text: "Rain in Kyoto." } },
    );
    expect(await run("examples/tools.mjs")).toEqual([
      "→ weather Kyoto: 18 °C, light rain",
      "→ weather Atlantis: unknown",
      "Rain in Kyoto.",
    ]);
    expect(JSON.stringify(emulator.requests().at(-1)?.body)).toContain("No report for Atlantis");
  });

  test("thinking levels", async () => {
    const lines = await run("examples/thinking-levels.mjs");
    const models = lines.filter((line) => !line.startsWith(" "));
    expect(models).toEqual(["claude-opus-5-5", "claude-haiku-4-5", "gpt-6.1-sol", "gemini-3.8-flash"]);
    expect(lines.filter((line) => line.includes("{"))).toHaveLength(20);
    expect(lines.join("\n")).toContain('"budget_tokens":21674');
    expect(lines).toContainEqual(expect.stringMatching(/^ +none \(as low\) .*"effort":"low"/));
    expect(emulator.requests()).toEqual([]);
  });

  test("switch provider", async () => {
    emulator.script(
      { answer: { thinking: "An old one.", text: "Oak." } },
      { answer: { thinking: "High.", text: "40 m." } },
      { answer: { text: "1,000 years." } },
      { answer: { text: "The oak." } },
    );
    const lines = await run("examples/switch-provider.mjs");
    const said = lines.filter((line) => !line.startsWith(" ")).map((line) => line.split(/\s{2,}|(?<=\/\w+) /));
    expect(said.slice(0, 4)).toEqual([
      ["claude-opus-5-5/high", "Oak."],
      ["gpt-6.1-sol/med", "40 m."],
      ["gemini-3.8-flash/low", "1,000 years."],
      ["claude-opus-5-5/high", "The oak."],
    ]);
    expect(lines.filter((line) => line.includes("not shown:")).length).toBeGreaterThan(0);
    expect(lines.slice(-3).join("\n")).toMatch(/v1\/messages[^]*v1\/responses[^]*streamGenerateContent/);
    expect(emulator.requests().map(({ path }) => path.split("/")[1])).toEqual([
      "anthropic",
      "openai",
      "google",
      "anthropic",
    ]);
  });

  test("fallback", async () => {
    emulator.script(
      { match: { wire: "messages" }, error: "overloaded" },
      { answer: { text: "Hello from elsewhere." } },
    );
    expect(await run("examples/fallback.mjs")).toEqual([
      "claude-opus-5-5/high → gpt-6.1-sol/med: overloaded",
      expect.stringMatching(/^gpt-6\.1-sol.*: Hello from elsewhere\.$/),
    ]);
  });

  test("cost", async () => {
    emulator.script({ answer: { text: "Rhine, Nile, Amur." }, times: "always" });
    const lines = await run("examples/cost.mjs");
    expect(lines.filter((line) => /reads ~\d+ tokens for \$0\.\d+ to \$0\.\d+$/.test(line))).toHaveLength(3);
    expect(lines.find((line) => line.startsWith("3 answers"))).toMatch(/^3 answers, \d+ tokens, \$0\.\d+$/);
    const sums = lines.slice(-3).map((line) => Number(/\$([\d.]+)/.exec(line)?.[1]));
    expect(sums).toEqual(sums.toSorted((left, right) => right - left));
    expect(Math.min(...sums)).toBeGreaterThan(0);
  });

  test("structured output", async () => {
    emulator.script(
      { answer: { text: '{"name": "Danube", "length_km": 2850, "countries": 10}' } },
      { answer: { text: '{"name": "Danube", "length_km": 2850, "countries": null}' } },
      { answer: { text: '{"name": "Danube"}' } },
    );
    expect(await run("examples/structured-output.mjs")).toEqual([
      "claude-opus-5-5/low: Danube, 2850 km",
      "gpt-6.1-sol/low: Danube, 2850 km",
      expect.stringMatching(/^gemini-3\.8-flash\/low: schema_mismatch: .*length_km/),
    ]);
  });

  test("agents", async () => {
    emulator.script(
      { answer: { text: "Understood." } },
      { match: { wire: "messages" }, answer: { text: "Spaces." }, times: "always" },
      { match: { wire: "responses" }, answer: { text: "Tabs." }, times: "always" },
      { match: { wire: "gemini" }, answer: { text: "Whatever the formatter does." }, times: "always" },
    );
    const lines = await run("examples/agents.mjs");
    expect(lines[0]).toMatch(/^parent on claude-opus-5-5: done, \$/);
    expect(lines.filter((line) => /^child on .*: done, \$/.test(line))).toHaveLength(3);
    expect(lines.slice(-4)).toEqual([
      "claude-opus-5-5: Spaces.",
      "gpt-6.1-sol: Tabs.",
      "gemini-3.8-flash: Whatever the formatter does.",
      "4 agents, 4 answers",
    ]);
  });

  test("emulator with faults meets every fault it tells of", async () => {
    const lines = await run("examples/emulator-faults.mjs");
    expect(
      lines.map((line) => [line.slice(0, 22).trim(), line.slice(22, 34).trim(), line.slice(35, 60).trim()]),
    ).toEqual([
      ["overloaded twice", "3 attempts", "overloaded, overloaded"],
      ["cut in the middle", "2 attempts", "network"],
      ["silence", "2 attempts", "timeout"],
      ["an error halfway", "2 attempts", "server"],
      ["a bad request", "1 attempts", "invalid_request"],
      ["cut every time", "3 attempts", "network, network, network"],
    ]);
  });

  test("record and replay needs no key", async () => {
    const said = await runWith({}, "examples/record-replay.test.mjs", "--test-reporter=tap", "--test");
    expect(said).toContain("# pass 2");
    expect(said).toContain("# fail 0");
    expect(emulator.requests()).toEqual([]);
  });

  test("are listed, and short enough to be read", () => {
    const readme = readFileSync(join(root, "examples/README.md"), "utf8");
    const listed = [...readme.matchAll(/\]\(([\w.-]+\.mjs)\)/g)].map(([, name]) => `examples/${name}`);
    expect(listed.toSorted()).toEqual(programs);
    const lengths = programs.map((path) => readFileSync(join(root, path), "utf8").trimEnd().split("\n").length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(linesMax);
  });

  test("hold no keys", () => {
    const texts = filesUnder("examples").map((path) => readFileSync(join(root, path), "utf8"));
    expect(texts.flatMap((text) => findSecrets(text))).toEqual([]);
  });
});
