/** OpenAI Responses, the server side. */
import { runRules, type Exchange, type Rule, type Session } from "../../exchange.ts";
import { namedFrame } from "../../frames.ts";
import { objectOf, once } from "../../json.ts";
import { successHeaders } from "../openai.ts";
import { failedFrames, makeWriter, streamAnswer, wholeAnswer } from "./answer.ts";
import { neutralRequest, readResponses, type ResponsesContext } from "./read.ts";
import { itemRules } from "./rules-items.ts";
import { requestRules } from "./rules-request.ts";

const cacheMinTokens = 1_024;

export const responsesRules: readonly Rule<ResponsesContext>[] = [...requestRules, ...itemRules];

export function openResponses(exchange: Exchange): Session {
  const context = readResponses(exchange);
  const writer = once(() => makeWriter(context));
  const { world } = exchange;
  return {
    request: neutralRequest(context),
    segments: context.segments(),
    refuse: () => runRules(responsesRules, context),
    cacheUse() {
      const min = world.options.cache_min_tokens ?? cacheMinTokens;
      return world.cache.automatic(`openai|${context.model.id}`, context.segments(), min);
    },
    framing: "sse",
    stream: (turn) => streamAnswer(writer(), turn),
    whole: (turn) => wholeAnswer(writer(), turn),
    lateError: (_refusal, body, form) => failedFrames(writer(), objectOf(body["error"]), form),
    keepAlive: () => namedFrame("keepalive", '{"type":"keepalive"}'),
    headers: () => successHeaders(exchange),
  };
}
