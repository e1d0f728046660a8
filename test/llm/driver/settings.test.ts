import { describe, expect, test } from "vitest";
import { validateConfig } from "../../../src/index.ts";

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
