import { describe, expect, test } from "vitest";
import { chooseModel, configuredModel, loadConfig, type Candidate } from "../../src/config/index.ts";
import { makeHome } from "./home.ts";

const home = makeHome();
const configured = { provider: "one", model: "one-large", thinking_level: "low" } as const;

describe("model and level: agent → parent → configuration", () => {
  test("a new agent has what the configuration says", () => {
    expect(chooseModel([], configured)).toEqual(configured);
    expect(chooseModel([{}], configured)).toEqual(configured);
  });

  test("a fork without a model inherits provider, model and level", () => {
    const parent = { provider: "two", model: "two-mini", thinking_level: "high" } as const;
    expect(chooseModel([{}, parent], configured)).toEqual(parent);
    expect(chooseModel([{}, {}, parent], configured)).toEqual(parent);
  });

  test("who changes the model keeps the level", () => {
    const parent = { provider: "two", model: "two-mini", thinking_level: "high" } as const;
    const own = { provider: "three", model: "three-pro" };
    expect(chooseModel([own, parent], configured)).toEqual({ ...own, thinking_level: "high" });
  });

  test("who changes the level keeps the model and its provider", () => {
    expect(chooseModel([{ thinking_level: "max" }, { provider: "two", model: "two-mini" }], configured)).toEqual({
      provider: "two",
      model: "two-mini",
      thinking_level: "max",
    });
    expect(chooseModel([{ thinking_level: "none" }], configured)).toEqual({ ...configured, thinking_level: "none" });
  });

  test("the level beside the configured model is not another model's", () => {
    expect(chooseModel([{ model: "other" }], configured)).toEqual({ model: "other" });
  });

  test("a provider is not left over from another model", () => {
    expect(chooseModel([{ model: "bare" }, { provider: "two", model: "two-mini" }], configured)).toEqual({
      model: "bare",
    });
  });

  test("nothing anywhere is nothing", () => {
    expect(chooseModel([{}], undefined)).toBeUndefined();
    expect(chooseModel([{ thinking_level: "low" }], undefined)).toBeUndefined();
  });
});

describe("the default model", () => {
  const candidates: readonly Candidate[] = [
    { name: "one", default_model: "one-large", usable: false },
    { name: "two", default_model: "two-mini", usable: true },
    { name: "three", default_model: "three-pro", usable: true },
    { name: "local", usable: true },
  ];
  const chosen = (content: unknown, from = candidates): unknown =>
    configuredModel(loadConfig(home.write("config.json", content), {}), from);

  test("is that of the first provider that can be used", () => {
    expect(chosen({})).toEqual({ provider: "two", model: "two-mini" });
    expect(chosen({}, [{ name: "local", usable: true }])).toBeUndefined();
    expect(chosen({}, [])).toBeUndefined();
  });

  test("is what the person chose for that provider, level included", () => {
    expect(chosen({ providers: { two: { default_model: "two-max/high" } } })).toEqual({
      provider: "two",
      model: "two-max",
      thinking_level: "high",
    });
    expect(chosen({ providers: { two: { default_model: "vendor/two-max" } } })).toEqual({
      provider: "two",
      model: "vendor/two-max",
    });
  });

  test("is the configured provider's, whether it has a key or not", () => {
    expect(chosen({ default_provider: "one" })).toEqual({ provider: "one", model: "one-large" });
    expect(chosen({ default_provider: "local", providers: { local: { default_model: "qwen" } } })).toEqual({
      provider: "local",
      model: "qwen",
    });
  });

  test("of nobody is an error that names the ways out", () => {
    expect(() => chosen({ default_provider: "onne" })).toThrow(
      /default_provider: "onne" is no provider; known: one, two, three, local/,
    );
    expect(() => chosen({ default_provider: "local" })).toThrow(
      /"local" has no default model; set providers.local.default_model/,
    );
  });
});
