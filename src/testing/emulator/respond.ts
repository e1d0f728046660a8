/** From a request to its reply: the gate, the rules, the script, the faults. */
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { listModels, oneModel } from "./catalogue.ts";
import { errorNames, errorOf, renderError } from "./errors.ts";
import { runRules, type Exchange, type Session, type World } from "./exchange.ts";
import { deliver, faultKinds } from "./faults.ts";
import { gateRules } from "./gate.ts";
import { objectOf, once } from "./json.ts";
import { seededRandom, type Random } from "./random.ts";
import type { Route } from "./route.ts";
import { totalTokens } from "./tokens.ts";
import { planTurn } from "./turn.ts";
import type { EmulatorOptions, Fault, Incoming, Refusal, Reply, ScriptEntry, WireName } from "./types.ts";
import { openChat } from "./wires/chat/index.ts";
import { openGemini } from "./wires/gemini/index.ts";
import { openMessages } from "./wires/messages/index.ts";
import { openResponses } from "./wires/responses/index.ts";

/** One request, and what is needed to answer it. */
export type Task = {
  readonly incoming: Incoming;
  readonly route: Route | undefined;
  readonly text: string;
  readonly body: JsonValue | undefined;
  readonly world: World;
  readonly random: Random;
  readonly number: number;
  readonly decide: (session: Session) => ScriptEntry;
};

export type Result = { readonly reply: Reply; readonly model?: string; readonly rule?: string; readonly fault?: Fault };

/** A script that asks for what there is not, or a rule that throws, must not look like a broken connection. */
export function respond(task: Task): Result {
  try {
    return answerRequest(task);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { reply: jsonReply(500, { "x-mock-problem": "script" }, { error: `emulator: ${message}` }) };
  }
}

function answerRequest(task: Task): Result {
  const { incoming, route, world, random } = task;
  if (route === undefined) return { reply: jsonReply(404, {}, { error: `no such path: ${incoming.path}` }) };
  const gate = { incoming, route, options: world.options, body_text: task.text };
  const closed = runRules(gateRules, gate, route.dialect);
  if (closed !== undefined) return refused(closed, route, random);
  if (route.endpoint === "models") return { reply: jsonReply(200, {}, listModels(route, incoming, world)) };
  if (route.endpoint === "model") {
    const found = oneModel(route, world);
    return isRefusal(found) ? refused(found, route, random) : { reply: jsonReply(200, {}, found) };
  }
  return exchange(task, route);
}

function exchange(task: Task, route: Route): Result {
  const { incoming, world, random, number } = task;
  const session = wires[route.wire]({ number, incoming, route, world, random, body: objectOf(task.body) });
  const { model } = session.request;
  const refusal = session.refuse();
  if (refusal !== undefined) return { ...refused(refusal, route, random), model };
  if (route.endpoint === "count") return { reply: countReply(route.wire, session), model };
  const entry = task.decide(session);
  const fault = faultOf(entry, world.options, number);
  if (entry.error !== undefined) return { ...refused(errorOf(entry.error, route.dialect), route, random), model };
  return {
    reply: answerReply({ task, route, session, entry, fault }),
    model,
    ...(fault === undefined ? {} : { fault }),
  };
}

type Answering = {
  readonly task: Task;
  readonly route: Route;
  readonly session: Session;
  readonly entry: ScriptEntry;
  readonly fault: Fault | undefined;
};

function answerReply({ task, route, session, entry, fault }: Answering): Reply {
  const { world, random } = task;
  const streaming = session.request.stream;
  const error = once(() =>
    renderError(errorOf(fault?.error ?? usualError(route), route.dialect), route.dialect, random),
  );
  if (fault?.kind === "error_in_200") return jsonReply(200, error().headers, error().body);
  const chunk = entry.chunk_size ?? world.options.chunk_size;
  const turn = planTurn({
    answer: entry.answer ?? {},
    request: session.request,
    segments: session.segments,
    cache: session.cacheUse(),
    random,
    ...(chunk === undefined ? {} : { chunk_size: chunk }),
    thinking_eats_limit: fault?.kind === "thinking_eats_limit",
    never_ending: streaming && fault?.kind === "never_ending",
  });
  const stream = streaming && session.framing === "sse";
  const type = stream ? "text/event-stream; charset=utf-8" : "application/json";
  const delivery = {
    reply: { status: 200, headers: { "content-type": type, ...session.headers() } },
    frames: streaming ? session.stream(turn) : [JSON.stringify(session.whole(turn))],
    delay_ms: entry.delay_ms ?? world.options.delay_ms ?? 0,
    keepAlive: session.keepAlive,
    lateError: () => session.lateError(error().status, objectOf(error().body), fault?.form ?? "nested"),
    random,
  };
  return deliver(delivery, streaming ? fault : wholeFault(fault));
}

function usualError(route: Route): string {
  return errorNames(route.dialect.catalogue).includes("overloaded") ? "overloaded" : "server";
}

/** What a fault of a stream means for an answer in one piece. */
function wholeFault(fault: Fault | undefined): Fault | undefined {
  if (fault === undefined) return undefined;
  switch (fault.kind) {
    case "late_error":
    case "garbage":
      return undefined;
    case "never_ending":
    case "keep_alives_only":
      return { kind: "stall", after_frames: 0 };
    case "cut":
    case "reset":
    case "stall":
      return fault.after_bytes === undefined ? { ...fault, after_frames: 0 } : fault;
    default:
      return fault;
  }
}

function faultOf(entry: ScriptEntry, options: EmulatorOptions, number: number): Fault | undefined {
  if (entry.fault !== undefined) return typeof entry.fault === "string" ? { kind: entry.fault } : entry.fault;
  const { faults } = options;
  if (faults === undefined) return undefined;
  const dice = seededRandom(`${faults.seed ?? options.seed ?? 1}|fault|${number}`);
  if (dice.next() >= faults.rate) return undefined;
  return { kind: dice.pick(faults.kinds ?? faultKinds) };
}

function countReply(wire: WireName, session: Session): Reply {
  const tokens = totalTokens(session.segments);
  if (wire === "gemini") {
    return jsonReply(200, {}, { totalTokens: tokens, promptTokensDetails: [{ modality: "TEXT", tokenCount: tokens }] });
  }
  const object = wire === "responses" ? { object: "response.input_tokens" } : {};
  return jsonReply(200, session.headers(), { ...object, input_tokens: tokens });
}

function refused(refusal: Refusal, route: Route, random: Random): Result {
  const error = renderError(refusal, route.dialect, random);
  return {
    reply: jsonReply(error.status, error.headers, error.body),
    ...(refusal.rule === undefined ? {} : { rule: refusal.rule }),
  };
}

export function jsonReply(status: number, headers: Readonly<Record<string, string>>, body: JsonValue): Reply {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    steps: [{ do: "send", bytes: new TextEncoder().encode(text) }],
  };
}

function isRefusal(value: JsonObject | Refusal): value is Refusal {
  return typeof value["status"] === "number" && typeof value["message"] === "string";
}

const wires: Readonly<Record<WireName, (exchange: Exchange) => Session>> = {
  messages: openMessages,
  responses: openResponses,
  chat: openChat,
  gemini: openGemini,
};
