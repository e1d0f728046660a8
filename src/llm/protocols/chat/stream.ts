import {
  errorInfo,
  isJsonObject,
  parseJson,
  unreportedUsage,
  type ErrorInfo,
  type JsonObject,
} from "../../../core/index.ts";
import type { Decoder, DecoderContext } from "../../adapter.ts";
import { describeBody } from "../../error-patterns.ts";
import { cutOff } from "../../writer.ts";
import { createContent } from "./content.ts";
import { errorWithin } from "./errors.ts";
import { createExtras } from "./extras.ts";
import { finishReason, rawFinishReason, wasCut } from "./finish.ts";
import { chatQuirks } from "./quirks.ts";
import { createToolCalls } from "./tool-calls.ts";
import { createUsageReport, type UsageReport } from "./usage.ts";

/**
 * `data:` chunks, or one body, into events. Ends at `[DONE]`, or at the end of the bytes after a finish reason; usage
 * may stand on any chunk and the last one counts. Only the first choice is read.
 */
export function decoder(context: DecoderContext): Decoder {
  const { out } = context;
  const report = createUsageReport(chatQuirks(context.quirks));
  const answer = createAnswer(context, report);
  return {
    frame(data, event) {
      const text = data.trim();
      if (text === "[DONE]") return answer.finish();
      const chunk = parseJson(text);
      if (event === "error") answer.fail(isJsonObject(chunk) ? chunk : { error: text });
      else if (isJsonObject(chunk)) answer.take(chunk, "chunk");
    },
    body(json) {
      const body: unknown = Array.isArray(json) ? json[0] : json;
      if (!isJsonObject(body) || !(Array.isArray(body["choices"]) || errorWithin(body, context))) {
        return out.error(notAnAnswer(json));
      }
      answer.take(body, "body");
      answer.finish();
    },
    end() {
      if (out.ended()) return;
      if (answer.settled()) return answer.finish();
      answer.interrupt();
      out.error(cutOff(), report.usage());
    },
    settled: answer.settled,
    usage: report.usage,
  };
}

type Answer = {
  readonly take: (json: JsonObject, form: Form) => void;
  /** A frame that is marked as an error, whatever it looks like. */
  readonly fail: (json: JsonObject) => void;
  /** The server has nothing more to say. */
  readonly finish: () => void;
  /** Nothing more will come although something should: hands out what was held back. */
  readonly interrupt: () => void;
  readonly settled: () => boolean;
};
type Form = "chunk" | "body";

function createAnswer(context: DecoderContext, report: UsageReport): Answer {
  const { out } = context;
  const content = createContent(context, chatQuirks(context.quirks));
  const calls = createToolCalls(context);
  const extras = createExtras();
  let raw = "";
  let native = "";
  let failure: ErrorInfo | undefined;

  const takeMessage = (said: JsonObject, whole: boolean): void => {
    extras.message(said);
    content.push(said, { whole });
    const list = callsIn(said);
    if (list.length > 0) content.interrupt();
    for (const call of list) (whole ? calls.pushWhole : calls.push)(call);
  };
  const takeChoice = (choice: JsonObject, form: Form): void => {
    const said = messageIn(choice, form);
    if (said !== undefined) takeMessage(said.message, said.whole);
    extras.choice(choice);
    raw = rawFinishReason(choice) || raw;
    const { native_finish_reason } = choice;
    if (typeof native_finish_reason === "string") native = native_finish_reason;
  };
  // Only once the server says that it finished: until then calls and sealed thinking may be half.
  const close = (): void => {
    content.close();
    calls.close({ cut: wasCut(raw) || wasCut(native) });
  };
  const finish = (): void => {
    if (out.ended()) return;
    if (failure === undefined || raw !== "") close();
    else content.interrupt();
    if (failure !== undefined) return out.error(failure, report.usage());
    const state = { raw, native, refused: content.refused(), calls: calls.count(), all_complete: calls.allComplete() };
    out.done({
      finish_reason: finishReason(state),
      raw_finish_reason: raw,
      usage: report.usage() ?? unreportedUsage,
      cost_usd: report.cost(),
      provider_data: withBill(extras.data(), report.bill()),
    });
  };

  return {
    take(json, form) {
      const choice = firstChoice(json);
      const { model } = json;
      const named = typeof model === "string" && model !== "";
      // The first chunk of some gateways holds only filter results and an empty model.
      if (!out.started() && (named || choice !== undefined))
        out.start(named ? model : context.model, requestId(context.headers, json));
      extras.chunk(json);
      content.chunk(json);
      report.add(json, choice);
      if (choice !== undefined) takeChoice(choice, form);
      failure ??= errorWithin(json, context);
      // An error beside a choice is followed by what the answer cost; one by itself is the last word.
      if (failure !== undefined && choice === undefined) finish();
    },
    fail(json) {
      failure ??= errorWithin(json, context) ?? errorWithin({ error: json }, context);
      finish();
    },
    finish,
    interrupt: content.interrupt,
    settled: () => raw !== "" || failure !== undefined,
  };
}

function withBill(data: JsonObject | undefined, bill: JsonObject | undefined): JsonObject | undefined {
  return bill === undefined ? data : { ...data, usage: bill };
}

function firstChoice(json: JsonObject): JsonObject | undefined {
  const { choices } = json;
  return Array.isArray(choices) ? choices.find(isFirstChoice) : undefined;
}

function isFirstChoice(choice: unknown): choice is JsonObject {
  return isJsonObject(choice) && (choice["index"] ?? 0) === 0;
}

/** Some servers repeat the whole message so far beside each delta, and an empty delta beside a whole message. */
function messageIn(choice: JsonObject, form: Form): { message: JsonObject; whole: boolean } | undefined {
  const { delta, message } = choice;
  const isBody = form === "body" || !isJsonObject(delta);
  const said = isBody ? (message ?? delta) : delta;
  return isJsonObject(said) ? { message: said, whole: isBody } : undefined;
}

function callsIn({ tool_calls, function_call }: JsonObject): readonly JsonObject[] {
  const list: readonly unknown[] = Array.isArray(tool_calls) ? tool_calls : [];
  const calls = list.filter(isJsonObject);
  if (!isJsonObject(function_call)) return calls;
  // The form before tools: one call, no id. Some servers always send it, empty.
  const isCall = [function_call["name"], function_call["arguments"]].some((part) => part !== undefined && part !== "");
  return isCall ? [...calls, { function: function_call }] : calls;
}

function requestId(headers: Headers, { id }: JsonObject): string | undefined {
  const inHeaders = ["x-request-id", "x-generation-id"].map((name) => headers.get(name)).find((value) => value);
  return inHeaders ?? (typeof id === "string" && id !== "" ? id : undefined);
}

function notAnAnswer(json: unknown): ErrorInfo {
  const message = describeBody(200, JSON.stringify(json) ?? "");
  return errorInfo({ category: "server", message, provider_code: "unexpected_body", retryable: false });
}
