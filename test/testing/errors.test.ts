import { describe, expect, test } from "vitest";
import { errorNames, namedErrors, type WireName } from "../../src/testing/index.ts";
import { field, list, makeLab, type Lab } from "./lab.ts";

const wires: readonly { wire: WireName; dialect: string; send: (lab: Lab, stream: boolean) => Promise<Response> }[] = [
  { wire: "messages", dialect: "anthropic", send: (lab, stream) => lab.messages({ stream }) },
  { wire: "responses", dialect: "openai", send: (lab, stream) => lab.responses({ stream }) },
  { wire: "chat", dialect: "openai", send: (lab, stream) => lab.chat({ stream }) },
  {
    wire: "gemini",
    dialect: "google",
    send: (lab, stream) =>
      lab.gemini({}, "gemini-4-argon", stream ? "streamGenerateContent?alt=sse" : "generateContent"),
  },
];

/** Status and decisive field of every row of the error matrix. */
const matrix: Readonly<Record<string, Readonly<Record<string, [number, string]>>>> = {
  anthropic: {
    authentication: [401, "authentication_error"],
    permission: [403, "permission_error"],
    organization_on_hold: [400, "organization_on_hold"],
    rate_limit: [429, "rate_limit_error"],
    ramp_limit: [429, "ramp_limit_exceeded"],
    invalid_request: [400, "invalid_request_error"],
    unprocessable: [422, "invalid_request_error"],
    context_length: [400, "prompt is too long"],
    request_too_large: [413, "request_too_large"],
    billing: [402, "billing_error"],
    spend_limit: [429, "enforced_spend_limit_reached"],
    credit_balance: [400, "credit balance is too low"],
    not_found: [404, "not_found_error"],
    conflict: [409, "conflict_error"],
    request_timeout: [408, "timeout_error"],
    timeout: [504, "timeout_error"],
    server: [500, "api_error"],
    unavailable: [503, "api_error"],
    overloaded: [529, "overloaded_error"],
  },
  openai: {
    authentication: [401, "invalid_api_key"],
    permission: [403, "not allowed"],
    unsupported_country: [403, "unsupported_country"],
    rate_limit: [429, "rate_limit_exceeded"],
    slow_down: [429, "slow_down"],
    invalid_request: [400, "invalid_request_error"],
    context_length: [400, "context_length_exceeded"],
    content_policy: [400, "content_policy_violation"],
    invalid_prompt: [400, "invalid_prompt"],
    billing: [429, "insufficient_quota"],
    credit_balance: [429, "credit_balance_exhausted"],
    not_found: [404, "model_not_found"],
    conflict: [409, "invalid_request_error"],
    request_timeout: [408, "server_error"],
    timeout: [504, "server_error"],
    server: [500, "server_error"],
    overloaded: [503, "server_is_overloaded"],
  },
  google: {
    authentication: [400, "API_KEY_INVALID"],
    unauthenticated: [401, "UNAUTHENTICATED"],
    permission: [403, "PERMISSION_DENIED"],
    rate_limit: [429, "RetryInfo"],
    resource_exhausted: [429, "RESOURCE_EXHAUSTED"],
    billing: [429, "PerDay"],
    free_tier: [400, "FAILED_PRECONDITION"],
    invalid_request: [400, "INVALID_ARGUMENT"],
    out_of_range: [400, "OUT_OF_RANGE"],
    context_length: [400, "exceeds the maximum number of tokens"],
    not_found: [404, "NOT_FOUND"],
    conflict: [409, "ABORTED"],
    cancelled: [499, "CANCELLED"],
    server: [500, "INTERNAL"],
    unimplemented: [501, "UNIMPLEMENTED"],
    overloaded: [503, "UNAVAILABLE"],
    timeout: [504, "DEADLINE_EXCEEDED"],
  },
};

describe.each(wires)("named errors on $wire", ({ dialect, send }) => {
  const rows = Object.entries(matrix[dialect] ?? {});

  test("every name is in the matrix", () => {
    expect([...errorNames(dialect)].sort()).toEqual(rows.map(([name]) => name).sort());
  });

  test.each(rows)("%s", async (name, [status, sign]) => {
    const lab = makeLab();
    lab.script({ error: name });
    const response = await send(lab, true);
    const text = await response.text();
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(text).toContain(sign);
    expect(field(JSON.parse(text), "error", "message")).toEqual(expect.any(String));
    expect(lab.emulator.requests().at(-1)?.status).toBe(status);
  });
});

describe("the hints of an error", () => {
  test("anthropic says when to come back, and whether", async () => {
    const lab = makeLab();
    lab.script({ error: "rate_limit" }, { error: "spend_limit" });
    const limited = await lab.messages({});
    expect(limited.headers.get("retry-after")).toBe("3");
    expect(limited.headers.get("anthropic-ratelimit-tokens-remaining")).toBe("0");
    expect(Date.parse(limited.headers.get("anthropic-ratelimit-tokens-reset") ?? "")).toBeGreaterThan(0);
    expect(limited.headers.get("x-should-retry")).toBe("true");
    expect((await lab.messages({})).headers.get("x-should-retry")).toBe("false");
  });

  test("openai has milliseconds", async () => {
    const lab = makeLab();
    lab.script({ error: "rate_limit" });
    const limited = await lab.responses({});
    expect(limited.headers.get("retry-after-ms")).toBe("1500");
    expect(limited.headers.get("x-ratelimit-reset-tokens")).toBe("6m0s");
  });

  test("google hides the delay in the body", async () => {
    const lab = makeLab();
    lab.script({ error: "rate_limit" });
    const limited = await lab.gemini({});
    const details = list(field(await limited.json(), "error", "details"));
    expect(details.map((detail) => field(detail, "retryDelay")).filter(Boolean)).toEqual(["22s"]);
    expect(limited.headers.get("retry-after")).toBeNull();
  });

  test("an error of one's own", async () => {
    const lab = makeLab();
    lab.script(
      { error: { status: 418, message: "I am a teapot", code: "teapot", headers: { "retry-after": "9" } } },
      { error: { status: 502, body: "<html>Bad gateway</html>", headers: { "content-type": "text/html" } } },
    );
    const first = await lab.responses({});
    expect(first.status).toBe(418);
    expect(first.headers.get("retry-after")).toBe("9");
    expect(field(await first.json(), "error", "code")).toBe("teapot");
    const second = await lab.responses({});
    expect(second.status).toBe(502);
    expect(await second.text()).toBe("<html>Bad gateway</html>");
  });

  test("the tables are open to read", () => {
    expect(namedErrors["anthropic"]?.["overloaded"]?.status).toBe(529);
  });
});
