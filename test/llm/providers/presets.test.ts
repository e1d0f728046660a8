import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ask, builtinProviders, project, validateConfig } from "../../../src/llm/index.ts";
import { presets } from "../../../src/llm/providers/presets.ts";
import { answering, chunks, failureOf, sent, user } from "./support.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("addresses with a gap", () => {
  const gaps = builtinProviders.flatMap(({ name, base_url }) => {
    const variable = /\{(\w+)\}/.exec(base_url)?.[1];
    return variable === undefined ? [] : [[name, variable] as const];
  });

  test("are these", () => {
    expect(gaps).toEqual([
      ["cloudflare", "CLOUDFLARE_ACCOUNT_ID"],
      ["azure", "AZURE_RESOURCE_NAME"],
      ["bedrock-mantle", "AWS_REGION"],
      ["databricks", "DATABRICKS_HOST"],
      ["snowflake", "SNOWFLAKE_ACCOUNT"],
      ["gpustack", "GPUSTACK_API_BASE"],
    ]);
  });

  test.each(gaps)("%s names %s until it is set", async (name, variable) => {
    vi.stubEnv(variable, "");
    const { info } = await failureOf(ask(`${name}:m`, "Hi", answering(chunks())));
    expect(info.category).toBe("invalid_argument");
    expect(info.message).toContain(`set ${variable}, or base_url of the provider ${name}`);
    vi.stubEnv(variable, "https://mine.example");
    expect((await project("Hi", `${name}:m`)).url).toContain("mine.example");
    const settings = { providers: { [name]: { base_url: "https://other.example/v1" } } };
    expect((await project("Hi", `${name}:m`, { settings })).url).toMatch(/^https:\/\/other\.example\/v1\//);
  });

  test("what stands in settings is not filled in: they must not be able to read the environment", async () => {
    vi.stubEnv("SECRET_OF_MINE", "hunter2");
    const settings = { providers: { groq: { base_url: "https://x.example/{SECRET_OF_MINE}" } } };
    expect((await project("Hi", "groq:m", { settings })).url).not.toContain("hunter2");
  });
});

describe("presets", () => {
  test("are written down for people, with address, key and apis", () => {
    const lines = readFileSync(new URL("../../../docs/providers/others.md", import.meta.url), "utf8").split("\n");
    for (const { name, base_url, key_variables, apis } of presets) {
      const line = lines.find((candidate) => candidate.startsWith(`| \`${name}\` |`));
      expect(line, name).toContain(`\`${base_url}\``);
      for (const variable of key_variables) expect(line).toContain(`\`${variable}\``);
      expect(line).toContain(`| ${apis.map((api) => api.name).join(", ")} |`);
    }
  });

  test("are spoken of only where they have a key or settings", () => {
    for (const row of builtinProviders) for (const variable of row.key_variables) vi.stubEnv(variable, "");
    const names = (settings = {}): readonly string[] => [
      ...new Set(validateConfig(settings).map(({ provider }) => provider)),
    ];
    expect(names()).toEqual(["anthropic", "openai", "google", "xai", "meta", "openrouter"]);
    vi.stubEnv("GROQ_API_KEY", "gsk");
    expect(names()).toContain("groq");
    expect(names({ providers: { ollama: { base_url: "10.0.0.2:11434" } } })).toContain("ollama");
    expect(validateConfig({ providers: { azure: { key: "k" } } })).toContainEqual({
      provider: "azure",
      severity: "error",
      message: "No address for Azure: set AZURE_RESOURCE_NAME, or base_url of the provider azure",
    });
  });

  test("azure: the key in a header of its own", async () => {
    const settings = { providers: { azure: { base_url: "https://mine.openai.azure.com/openai/v1", api: "chat" } } };
    const options = { ...answering(chunks()), settings };
    await ask("azure:gpt-5-mini", "Hi", options);
    expect(options.requests[0]?.headers.get("api-key")).toBe("test-key");
    expect(options.requests[0]?.headers.get("authorization")).toBeNull();
  });

  test("azure: a deployment with a model's name has that model's thinking", async () => {
    const { body } = await sent("azure:gpt-5-mini/none", "Hi");
    expect(body["reasoning"]).toEqual({ effort: "minimal", summary: "auto" });
  });

  test("copilot: item ids change with every event and are not sent back", async () => {
    const settings = { providers: { copilot: { api: "responses" } } };
    const item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "blob" };
    const message = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hi" }] };
    const whole = { object: "response", status: "completed", model: "gpt-5.3-codex", output: [item, message] };
    const answer = await ask("copilot:gpt-5.3-codex", "Hi", { ...answering(whole), settings });
    const { body, headers } = await sent(
      "copilot:gpt-5.3-codex",
      { messages: [user("Hi"), answer.message, user("Again")] },
      { settings },
    );
    expect(JSON.stringify(body)).toContain('"encrypted_content":"blob"');
    expect(JSON.stringify(body)).not.toMatch(/rs_1|msg_1/);
    expect(headers).toHaveProperty("editor-version");
  });

  test("perplexity: the price of an answer is the sum it names, and questions in a row are one", async () => {
    const usage = {
      prompt_tokens: 20,
      completion_tokens: 5,
      total_tokens: 25,
      cost: { input_tokens_cost: 2e-5, output_tokens_cost: 1e-5, request_cost: 0.005, total_cost: 0.005_03 },
    };
    const choice = { index: 0, message: { content: "8" }, delta: { content: "" }, finish_reason: "stop" };
    const answer = await ask("sonar", "√64?", answering({ model: "sonar", choices: [choice], usage }));
    expect(answer.cost_usd).toBe(0.005_03);
    const { body } = await sent("sonar", { messages: [user("One"), user("Two")] });
    expect(body["messages"]).toEqual([{ role: "user", content: "One\n\nTwo" }]);
  });

  test("deepseek: no tool can be forced while it thinks", async () => {
    const tools = [{ name: "ping", parameters: { type: "object", properties: {} } }];
    const forced = { messages: [user("Hi")], tools, tool_choice: { mode: "required" } } as const;
    expect((await sent("deepseek-v4-flash/high", forced)).body["tool_choice"]).toBe("auto");
    expect((await sent("deepseek-v4-flash/none", forced)).body["tool_choice"]).toBe("required");
  });
});
