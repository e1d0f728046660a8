/** Anthropic Messages, the server side. */
import { runRules, type Exchange, type Rule, type Session } from "../../exchange.ts";
import { namedFrame } from "../../frames.ts";
import { once } from "../../json.ts";
import { keepAlive, makeWriter, streamAnswer, wholeAnswer } from "./answer.ts";
import { neutralRequest, readMessages, type MessagesContext } from "./read.ts";
import { historyRules } from "./rules-history.ts";
import { requestRules } from "./rules-request.ts";
import { thinkingRules } from "./rules-thinking.ts";

export const messagesRules: readonly Rule<MessagesContext>[] = [...requestRules, ...thinkingRules, ...historyRules];

export function openMessages(exchange: Exchange): Session {
  const context = readMessages(exchange);
  const writer = once(() => makeWriter(context));
  const { world } = exchange;
  return {
    request: neutralRequest(context),
    segments: context.segments(),
    refuse: () => runRules(messagesRules, context, exchange.route.dialect),
    cacheUse() {
      const min = world.options.cache_min_tokens ?? context.model.cache_min;
      return world.cache.marked(`messages|${context.model.id}`, context.segments(), min);
    },
    framing: "sse",
    stream: (turn) => streamAnswer(writer(), turn),
    whole: (turn) => wholeAnswer(writer(), turn),
    lateError: (_status, body) => [namedFrame("error", JSON.stringify(body))],
    keepAlive,
    headers: () => ({
      "request-id": `req_011${exchange.random.letters(21)}`,
      "anthropic-organization-id": "00000000-0000-4000-8000-000000000000",
      "anthropic-ratelimit-requests-limit": "4000",
      "anthropic-ratelimit-requests-remaining": "3999",
      "anthropic-ratelimit-requests-reset": "2030-01-01T00:00:00Z",
      "anthropic-ratelimit-tokens-limit": "2400000",
      "anthropic-ratelimit-tokens-remaining": "2399000",
      "anthropic-ratelimit-tokens-reset": "2030-01-01T00:00:00Z",
    }),
  };
}
