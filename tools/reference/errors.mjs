import { nextRetry } from "../../src/agent/retry.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { categoryOfStatus, errorCategories, errorInfo } from "../../src/core/index.ts";
import { code, page, table } from "./markdown.mjs";

export function errorsPage() {
  const about =
    "Whatever goes wrong between a request and its answer has one of these categories. The library throws an `IkigaiError` with " +
    'it when an answer is awaited, and ends a stream with `{type: "error", error}`; the provider\'s own words are in `message` ' +
    "and `provider_code`.";
  return page("Errors", about, [
    table(
      ["Category", "What happened", "What to do", "Agents try again", "Exit code"],
      errorCategories.map((category) => {
        const { what, mend } = meanings[category];
        return [code(category), what, mend, retryWords(category), String(exitCodes[category])];
      }),
    ),
    "The library never tries again by itself: `retryable` says whether that may help, `retry_after_ms` how long the provider asked " +
      "one to wait. A provider's own word on it wins over the category. Agents do as the table says, never earlier than asked, and " +
      "never for longer than two minutes in all where they wait.\n",
    "## Status codes\n",
    "A provider's own code decides first, then its message, then the status:\n",
    table(["Status", "Category"], statuses()),
  ]);
}

function retryWords(category) {
  const next = nextRetry(errorInfo({ category, message: "" }), { made: 1, elapsed_ms: 0 });
  if (next === undefined) return "no";
  const pause = next.delay_ms === 0 ? "at once" : `after ${next.delay_ms / 1000} s, then twice as long each time`;
  return `${pause}; ${next.attempts_max} tries in all`;
}

function statuses() {
  const special = [];
  for (let status = 400; status < 600; status++) {
    const category = categoryOfStatus(status);
    if (category !== (status < 500 ? "invalid_request" : "server") || status === 400) special.push([status, category]);
  }
  const rows = special.map(([status, category]) => [String(status), code(category)]);
  return [...rows, ["other 4xx", code(categoryOfStatus(499))], ["other 5xx", code(categoryOfStatus(500))]];
}

/** A row for every category; a test holds it to the list. */
export const meanings = {
  auth: {
    what: "There is no key, or the provider does not take it.",
    mend: "`ikigai login PROVIDER`, or set its variable; `ikigai doctor` says which key is used and whether it is taken.",
  },
  rate_limit: {
    what: "Too many requests or tokens in a short time.",
    mend: "Wait as long as it says, ask for a higher limit, or add models to go on with (`fallback`).",
  },
  invalid_request: {
    what: "The provider does not accept the request.",
    mend: "Read its message: it names the field. `ikigai wire encode` shows what is sent.",
  },
  context_length: {
    what: "The conversation is longer than the model's window.",
    mend: "Compact or clear it, rewind, or change to a model with a larger window.",
  },
  content_filter: {
    what: "The provider refused to read or to answer it.",
    mend: "Say it differently, or ask another model.",
  },
  billing: {
    what: "The account has no credit or no access.",
    mend: "Look at the provider's billing page, or use another provider.",
  },
  not_found: {
    what: "There is no such model, or the account cannot see it.",
    mend: "`ikigai models NAME` and `ikigai models --live`; a retired model names its successor.",
  },
  server: {
    what: "The provider failed.",
    mend: "Try again later, or another provider; its status page may know more.",
  },
  overloaded: { what: "The provider has too much to do.", mend: "Wait, or add models to go on with (`fallback`)." },
  timeout: {
    what: "Nothing came for too long.",
    mend: "Try again; `idle_timeout_ms` of the configuration says how long is too long.",
  },
  network: {
    what: "The connection could not be made, or broke.",
    mend: "Look at the network, a proxy, `base_url`; of a local server, whether it runs.",
  },
  aborted: { what: "It was interrupted: a key, a signal, a caller.", mend: "Nothing. What had arrived is kept." },
  invalid_argument: {
    what: "What was asked for makes no sense before it is sent: a level, a tool's name, a setting.",
    mend: "The message names it.",
  },
  unknown: { what: "Something that is none of these.", mend: "The message has the provider's words." },
};
