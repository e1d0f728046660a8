import { afterEach, describe, expect, test, vi } from "vitest";
import { ask, validateConfig } from "../../../src/index.ts";

describe("validateConfig looks at keys and settings without a network", () => {
  const messages = (provider: string, settings: object): string[] =>
    validateConfig({ providers: { [provider]: settings } })
      .filter((finding) => finding.provider === provider && finding.severity !== "ok")
      .map((finding) => `${finding.severity}: ${finding.message}`);

  test("good settings have no complaint", () => {
    expect(
      messages("openai", { key: "k", base_url: "https://example.com/v1", api: "chat", default_thinking: "low" }),
    ).toEqual([]);
  });

  test.each([
    ["a key pasted with a blank", { key: "my key" }, "error: The key holds"],
    ["an address that is none", { key: "k", base_url: "example" }, "error: base_url"],
    ["a key in the clear", { key: "k", base_url: "http://example.com" }, "warning: base_url"],
    ["an api it does not have", { key: "k", api: "soap" }, "error: api"],
    ["a level there is not", { key: "k", default_thinking: "huge" }, "error: default_thinking"],
    ["a limit of nothing", { key: "k", idle_timeout_ms: 0 }, "error: idle_timeout_ms"],
  ])("%s", (_name, settings, start) => {
    expect(messages("openai", settings).some((message) => message.startsWith(start))).toBe(true);
  });

  test("the local machine may be spoken to in the clear", () => {
    expect(messages("openai", { key: "k", base_url: "http://127.0.0.1:8080/v1" })).toEqual([]);
  });

  test("a provider nobody knows is named", () => {
    expect(messages("opnai", {})[0]).toContain('"opnai" is not a provider');
  });
});

describe("a token from its own variable is sent as bearer, a key where the protocol puts keys", () => {
  afterEach(() => vi.unstubAllEnvs());

  const sent = async (settings: object = {}): Promise<(string | null)[]> => {
    let headers = new Headers();
    const fetch = (_url: string, init: RequestInit): Promise<Response> => {
      headers = new Headers(init.headers);
      return Promise.resolve(new Response("", { status: 500 }));
    };
    await Promise.allSettled([ask("claude-opus-5-5", "hello", { fetch, settings })]);
    return [headers.get("x-api-key"), headers.get("authorization")];
  };
  const environment = (key: string, token: string): void => {
    vi.stubEnv("ANTHROPIC_API_KEY", key);
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", token);
  };

  test("the token alone", async () => {
    environment("", "of-a-gateway");
    expect(await sent()).toEqual([null, "Bearer of-a-gateway"]);
  });

  test("the token as settings found it", async () => {
    environment("", "of-a-gateway");
    const providers = { anthropic: { key: "of-a-gateway" } };
    expect(await sent({ providers })).toEqual([null, "Bearer of-a-gateway"]);
  });

  test("the key goes first", async () => {
    environment("a-key", "of-a-gateway");
    expect(await sent()).toEqual(["a-key", null]);
  });
});
