import type { ErrorCategory, ErrorInfo } from "../../core/index.ts";
import { spokenSeconds } from "./figures.ts";

/** An error for a person: its kind in words, what happened, what to do now. */
export type Advice = { readonly title: string; readonly what: string; readonly now: string };

export function adviceFor(error: ErrorInfo, provider: string | undefined): Advice {
  const { title, now } = error.provider_code === "missing_key" ? missingKey : table[error.category];
  const id = error.request_id === undefined ? "" : ` (request ${error.request_id})`;
  return { title, what: `${error.message}${id}`, now: now(provider ?? "PROVIDER", error) };
}

/** A category in words. */
export function categoryWords(category: ErrorCategory): string {
  return table[category].title;
}

type Row = { readonly title: string; readonly now: (provider: string, error: ErrorInfo) => string };

const again = "/retry asks again, /model asks another one.";

/** The message says what there is to do; what is added is that nothing else is needed. */
const missingKey: Row = {
  title: "there is no key",
  now: (provider) =>
    `\`ikigai login ${provider}\` in another terminal, then /retry; or /model sim-echo to go on without.`,
};

const table: { readonly [category in ErrorCategory]: Row } = {
  auth: {
    title: "the key was not accepted",
    now: (provider) =>
      `Another one: \`ikigai login ${provider}\` in another terminal, then /retry. \`ikigai doctor\` says which is used.`,
  },
  rate_limit: {
    title: "too many requests",
    now: (_, { retry_after_ms }) =>
      `${retry_after_ms === undefined ? "Wait a little" : `Wait ${spokenSeconds(retry_after_ms)}`}, then /retry; /model asks another one.`,
  },
  overloaded: { title: "the provider is overloaded", now: () => again },
  server: { title: "the provider failed", now: () => again },
  timeout: { title: "no answer in time", now: () => again },
  network: {
    title: "the network failed",
    now: () => "Check the connection, then /retry. Nothing that was said is lost.",
  },
  context_length: {
    title: "the conversation is too long for this model",
    now: () => "/compact shortens it, /rewind or /clear drop some of it, /model takes one with a larger window.",
  },
  content_filter: {
    title: "the provider refused the content",
    now: () => "Say it differently, /rewind to before it, or /model asks another one.",
  },
  billing: {
    title: "no credit left",
    now: (provider) => `Look at your account with ${provider}; /model takes another provider until then.`,
  },
  not_found: { title: "no such model", now: () => "/model shows those there are." },
  invalid_request: {
    title: "the provider refused the request",
    now: () => "/model takes another one, /rewind goes back to before it. If it should work, please report it.",
  },
  invalid_argument: { title: "this cannot be asked", now: () => "/model chooses another model or level." },
  aborted: { title: "interrupted", now: () => "/retry asks again." },
  unknown: { title: "something went wrong", now: () => again },
};
