import { expect } from "vitest";
import type { ErrorCategory } from "../../../src/core/index.ts";
import { dialects, errorNames, namedErrors } from "../../../src/testing/index.ts";
import { textIn, type Lab, type Scenarios } from "../lab.ts";

/** What a provider says no with, in its own words, and what we make of it. */
export const refusals: Scenarios = {
  async every_error({ row, script, fail }) {
    const catalogue = dialects.find(({ name }) => name === row.dialect)?.catalogue ?? "";
    const names = errorNames(catalogue);
    expect(names.length).toBeGreaterThan(4);
    for (const name of names) {
      const refusal = namedErrors[catalogue]?.[name];
      script({ error: name });
      const { info, partial } = await fail("Hi");
      const [category, retryable] = expected(catalogue, name);
      expect([name, info.category, info.retryable]).toEqual([name, category, retryable]);
      expect(info.http_status).toBe(refusal?.status);
      expect(info.message).not.toBe("");
      expect(textIn(partial)).toBe("");
    }
  },

  rate_limit: (lab) => refused(lab, "rate_limit", true),
  billing: (lab) => refused(lab, "billing", false),
  context_length: (lab) => refused(lab, "context_length", false),
  overloaded: (lab) => refused(lab, "overloaded", true),

  async how_long_to_wait({ row, script, fail }) {
    const catalogue = dialects.find(({ name }) => name === row.dialect)?.catalogue ?? "";
    const said = namedErrors[catalogue]?.["rate_limit"];
    if (said === undefined) return;
    script({ error: "rate_limit" });
    const { info } = await fail("Hi");
    const promised =
      said.headers?.["retry-after"] !== undefined || JSON.stringify(said.details ?? "").includes("retryDelay");
    expect((info.retry_after_ms ?? 0) > 0).toBe(promised);
  },

  /** B24 */
  async error_inside({ script, fail, streamed }) {
    script({ error: "server" }, { fault: { kind: "error_in_200", error: "server" } });
    const { info: early } = await fail("Hi");
    const { info: inBody } = await fail("Hi");
    expect([inBody.category, inBody.message]).toEqual([early.category, early.message]);
    if (!streamed) return;
    script({
      answer: { text: "One two three" },
      fault: { kind: "late_error", error: "server", after_frames: 6 },
      chunk_size: 3,
    });
    const { info, partial } = await fail("Hi");
    expect([info.category, info.message]).toEqual([early.category, early.message]);
    expect("One two three").toContain(textIn(partial));
  },

  /** What stands between us and a provider answers in its own way. */
  async page_of_a_proxy({ script, fail }) {
    const headers = { "content-type": "text/html" };
    for (const [status, category] of pages) {
      script({ error: { status, body: "<html><body><h1>Something is wrong</h1></body></html>", headers } });
      const { info } = await fail("Hi");
      expect([status, info.category]).toEqual([status, category]);
      expect(info.message.length).toBeLessThan(400);
    }
  },
};

async function refused({ script, fail }: Lab, category: ErrorCategory, retryable: boolean): Promise<void> {
  script({ error: category });
  const { info } = await fail("Hi");
  expect(info).toMatchObject({ category, retryable });
}

const pages: readonly [number, ErrorCategory][] = [
  [403, "auth"],
  [502, "server"],
  [503, "overloaded"],
  [504, "timeout"],
];

function expected(catalogue: string, name: string): readonly [ErrorCategory, boolean] {
  const [category, retryable] = exceptional[`${catalogue} ${name}`] ?? usual[name] ?? ["unknown", false];
  return [category, retryable];
}

/** By the error matrix: what is meant by the words the emulator has for its errors. */
const usual: { readonly [name: string]: readonly [ErrorCategory, boolean] | undefined } = {
  authentication: ["auth", false],
  unauthenticated: ["auth", false],
  permission: ["auth", false],
  organization_on_hold: ["auth", false],
  unsupported_country: ["auth", false],
  rate_limit: ["rate_limit", true],
  ramp_limit: ["rate_limit", true],
  slow_down: ["rate_limit", true],
  resource_exhausted: ["rate_limit", true],
  invalid_request: ["invalid_request", false],
  unprocessable: ["invalid_request", false],
  out_of_range: ["invalid_request", false],
  unimplemented: ["invalid_request", false],
  context_length: ["context_length", false],
  request_too_large: ["context_length", false],
  payload_too_large: ["context_length", false],
  content_policy: ["content_filter", false],
  content_filter: ["content_filter", false],
  invalid_prompt: ["content_filter", false],
  billing: ["billing", false],
  credit_balance: ["billing", false],
  spend_limit: ["billing", false],
  payment_required: ["billing", false],
  free_tier: ["billing", false],
  in_flight_budget: ["billing", true],
  not_found: ["not_found", false],
  conflict: ["invalid_request", true],
  server: ["server", true],
  bad_gateway: ["server", true],
  unavailable: ["overloaded", true],
  overloaded: ["overloaded", true],
  timeout: ["timeout", true],
  request_timeout: ["timeout", true],
  edge_timeout: ["timeout", true],
  cancelled: ["server", true],
};

/** Where one provider's word means something else. */
const exceptional: typeof usual = {
  "anthropic conflict": ["server", true],
  "anthropic unavailable": ["server", true],
  "google conflict": ["invalid_request", false],
  "openrouter bad_gateway": ["overloaded", true],
};
