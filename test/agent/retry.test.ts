import { describe, expect, test } from "vitest";
import { nextRetry } from "../../src/agent/retry.ts";
import { errorCategories, errorInfo, type ErrorCategory, type ErrorInfo } from "../../src/core/index.ts";

function failing(category: ErrorCategory, rest: Partial<ErrorInfo> = {}): ErrorInfo {
  return errorInfo({ category, message: "m", ...rest });
}

/** How often a request is sent when every attempt fails at once, and how long it waits between. */
function schedule(error: ErrorInfo): number[] {
  const delays: number[] = [];
  let elapsed_ms = 0;
  for (let made = 1; made < 100; made++) {
    const retry = nextRetry(error, { made, elapsed_ms });
    if (retry === undefined) break;
    delays.push(retry.delay_ms);
    elapsed_ms += retry.delay_ms;
  }
  return delays;
}

describe("what is tried again", () => {
  test.each([
    ["rate_limit", [1_000, 2_000, 4_000, 8_000]],
    ["overloaded", [1_000, 2_000, 4_000, 8_000]],
    ["server", [1_000, 2_000]],
    ["timeout", [0]],
    ["network", [0]],
  ] as const)("%s", (category, delays) => {
    expect(schedule(failing(category))).toEqual(delays);
  });

  test("nothing else", () => {
    const tried = ["rate_limit", "overloaded", "server", "timeout", "network"];
    for (const category of errorCategories.filter((name) => !tried.includes(name))) {
      expect(schedule(failing(category, { retryable: true }))).toEqual([]);
    }
  });

  test("a provider's own no counts, and so does nobody listening", () => {
    expect(schedule(failing("server", { retryable: false }))).toEqual([]);
    expect(schedule(failing("network", { retryable: false, provider_code: "ECONNREFUSED" }))).toEqual([]);
  });

  test("B42 never earlier than asked, also where the back-off would be shorter", () => {
    expect(schedule(failing("rate_limit", { retry_after_ms: 7_500 }))).toEqual([7_500, 7_500, 7_500, 7_500]);
  });

  test("B42 longer than our patience fails at once", () => {
    expect(schedule(failing("rate_limit", { retry_after_ms: 121_000 }))).toEqual([]);
    expect(schedule(failing("rate_limit", { retry_after_ms: 50_000 }))).toEqual([50_000, 50_000]);
  });

  test("says which attempt is next", () => {
    expect(nextRetry(failing("server"), { made: 1, elapsed_ms: 0 })).toEqual({
      delay_ms: 1_000,
      attempt: 2,
      attempts_max: 3,
    });
  });
});
