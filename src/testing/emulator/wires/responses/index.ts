/** OpenAI Responses, the server side. */
import type { JsonObject } from "../../../../core/json.ts";
import { filledIn, runRules, type Exchange, type Rule, type Session } from "../../exchange.ts";
import { commentFrame, namedFrame } from "../../frames.ts";
import { objectOf, once } from "../../json.ts";
import { factsOf, successHeaders } from "../openai.ts";
import { failedFrames, makeWriter, streamAnswer, wholeAnswer } from "./answer.ts";
import { neutralRequest, readResponses, type ResponsesContext } from "./read.ts";
import { itemRules } from "./rules-items.ts";
import { requestRules } from "./rules-request.ts";

const cacheMinTokens = 1_024;

export const responsesRules: readonly Rule<ResponsesContext>[] = [...requestRules, ...itemRules];

/** Some bodies hold an object, some a code and a text. */
function errorIn(body: JsonObject): JsonObject {
  return typeof body["error"] === "string" ? { code: body["code"], message: body["error"] } : objectOf(body["error"]);
}

export function openResponses(exchange: Exchange): Session {
  const context = readResponses(exchange);
  const writer = once(() => makeWriter(context));
  const { world } = exchange;
  return {
    request: neutralRequest(context),
    segments: context.segments(),
    refuse: () =>
      filledIn(runRules(responsesRules, context, exchange.route.dialect), factsOf(context, context.segments())),
    cacheUse() {
      const min = world.options.cache_min_tokens ?? cacheMinTokens;
      return world.cache.automatic(`openai|${context.model.id}`, context.segments(), min);
    },
    framing: "sse",
    stream: (turn) => streamAnswer(writer(), turn),
    whole: (turn) => wholeAnswer(writer(), turn),
    lateError: (_status, body, form) => failedFrames(writer(), errorIn(body), form),
    keepAlive() {
      const { comment } = exchange.route.dialect.quirks;
      return comment === undefined ? namedFrame("keepalive", '{"type":"keepalive"}') : commentFrame(comment);
    },
    headers: () => successHeaders(exchange),
  };
}
