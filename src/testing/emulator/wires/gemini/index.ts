/** Gemini generateContent, the server side. */
import { runRules, type Exchange, type Rule, type Session } from "../../exchange.ts";
import { crlfFrame } from "../../frames.ts";
import { once } from "../../json.ts";
import { arrayAnswer, makeWriter, streamAnswer, wholeAnswer } from "./answer.ts";
import { neutralRequest, readGemini, type GeminiContext } from "./read.ts";
import { contentRules } from "./rules-contents.ts";
import { requestRules } from "./rules-request.ts";

const cacheMinTokens = 1_024;

export const geminiRules: readonly Rule<GeminiContext>[] = [...requestRules, ...contentRules];

export function openGemini(exchange: Exchange): Session {
  const context = readGemini(exchange);
  const writer = once(() => makeWriter(context));
  const { world, incoming } = exchange;
  const sse = incoming.query.get("alt") === "sse";
  return {
    request: neutralRequest(context),
    segments: context.segments(),
    refuse: () => runRules(geminiRules, context, exchange.route.dialect),
    cacheUse() {
      const min = world.options.cache_min_tokens ?? cacheMinTokens;
      return world.cache.automatic(`gemini|${context.model.id}`, context.segments(), min);
    },
    framing: sse ? "sse" : "json",
    stream: (turn) => (sse ? streamAnswer(writer(), turn) : arrayAnswer(writer(), turn)),
    whole: (turn) => wholeAnswer(writer(), turn),
    lateError: (_status, body) => [crlfFrame(JSON.stringify(body))],
    keepAlive: () => ": keep-alive\r\n\r\n",
    headers: () => ({ "server-timing": "gfet4t7; dur=402" }),
  };
}
