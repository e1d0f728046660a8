import type { ErrorCategory, ErrorInfo } from "../core/index.ts";

/** What has been tried for one request so far. */
export type Attempts = {
  /** How often it was sent, the failed one included. */
  readonly made: number;
  /** Milliseconds since the first was sent. */
  readonly elapsed_ms: number;
};

export type Retry = {
  readonly delay_ms: number;
  /** "retrying in 3 s, 2 of 3": the attempt that is next, and how many there are at most. */
  readonly attempt: number;
  readonly attempts_max: number;
};

/**
 * Whether and when a failed request is sent again. Never earlier than the provider asked; where it asks for more
 * patience than we have, at once not at all, so that a person hears the figure instead of waiting for it.
 */
export function nextRetry(error: ErrorInfo, attempts: Attempts): Retry | undefined {
  const rule = rules[error.category];
  if (rule === undefined || !error.retryable || attempts.made >= rule.attempts_max) return undefined;
  const backoff = rule.backoff ? Math.min(backoffFirstMs * 2 ** (attempts.made - 1), backoffMaxMs) : 0;
  const delay_ms = error.retry_after_ms === undefined ? backoff : Math.max(error.retry_after_ms, 0);
  if (delay_ms > patienceMs || attempts.elapsed_ms + delay_ms > rule.patience_ms) return undefined;
  return { delay_ms, attempt: attempts.made + 1, attempts_max: rule.attempts_max };
}

type Rule = { readonly attempts_max: number; readonly backoff: boolean; readonly patience_ms: number };

const backoffFirstMs = 1_000;
const backoffMaxMs = 60_000;
const patienceMs = 120_000;

/** Categories that are not here are not worth a second try. */
const rules: { readonly [category in ErrorCategory]?: Rule } = {
  rate_limit: { attempts_max: 5, backoff: true, patience_ms: patienceMs },
  overloaded: { attempts_max: 5, backoff: true, patience_ms: patienceMs },
  server: { attempts_max: 3, backoff: true, patience_ms: patienceMs },
  // A timeout has taken its time already.
  timeout: { attempts_max: 2, backoff: false, patience_ms: Number.POSITIVE_INFINITY },
  network: { attempts_max: 2, backoff: false, patience_ms: Number.POSITIVE_INFINITY },
};
