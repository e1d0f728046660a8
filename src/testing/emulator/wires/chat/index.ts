/** OpenAI Chat Completions, the server side. */
import { filledIn, runRules, type Exchange, type Rule, type Session } from "../../exchange.ts";
import { commentFrame } from "../../frames.ts";
import { once } from "../../json.ts";
import { factsOf, successHeaders } from "../openai.ts";
import { errorChunk, makeWriter, streamAnswer, wholeAnswer } from "./answer.ts";
import { neutralRequest, readChat, type ChatContext } from "./read.ts";
import { messageRules } from "./rules-messages.ts";
import { requestRules } from "./rules-request.ts";

const cacheMinTokens = 1_024;

export const chatRules: readonly Rule<ChatContext>[] = [...requestRules, ...messageRules];

export function openChat(exchange: Exchange): Session {
  const context = readChat(exchange);
  const writer = once(() => makeWriter(context));
  const { world } = exchange;
  return {
    request: neutralRequest(context),
    segments: context.segments(),
    refuse: () => filledIn(runRules(chatRules, context, exchange.route.dialect), factsOf(context, context.segments())),
    cacheUse() {
      const min = world.options.cache_min_tokens ?? cacheMinTokens;
      return world.cache.automatic(`openai|${context.model.id}`, context.segments(), min);
    },
    framing: "sse",
    stream: (turn) => streamAnswer(writer(), turn),
    whole: (turn) => wholeAnswer(writer(), turn),
    lateError: (_status, body) => [errorChunk(writer(), body)],
    keepAlive: () => commentFrame(exchange.route.dialect.quirks.comment ?? "keep-alive"),
    headers: () => successHeaders(exchange),
  };
}
