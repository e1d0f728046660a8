/** OpenAI Chat Completions, the server side. */
import { runRules, type Exchange, type Rule, type Session } from "../../exchange.ts";
import { dataFrame } from "../../frames.ts";
import { once } from "../../json.ts";
import { successHeaders } from "../openai.ts";
import { makeWriter, streamAnswer, wholeAnswer } from "./answer.ts";
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
    refuse: () => runRules(chatRules, context),
    cacheUse() {
      const min = world.options.cache_min_tokens ?? cacheMinTokens;
      return world.cache.automatic(`openai|${context.model.id}`, context.segments(), min);
    },
    framing: "sse",
    stream: (turn) => streamAnswer(writer(), turn),
    whole: (turn) => wholeAnswer(writer(), turn),
    lateError: (_refusal, body) => [dataFrame(JSON.stringify(body))],
    keepAlive: () => `: ${exchange.route.dialect.quirks.comment ?? "keep-alive"}\n\n`,
    headers: () => successHeaders(exchange),
  };
}
