/** The emulator without a socket: a request goes in, a reply comes out. Runs anywhere, a browser included. */
import type { Session, World } from "./exchange.ts";
import { replyFetch } from "./fetch.ts";
import { parseJson } from "./json.ts";
import { makeLog } from "./log.ts";
import { compatibleModels } from "./models-compatible.ts";
import { findModel, geminiModels, messagesModels, openAiModels } from "./models.ts";
import { seededRandom } from "./random.ts";
import { respond, type Result, type Task } from "./respond.ts";
import { routeOf } from "./route.ts";
import { echo, makeScript } from "./script.ts";
import { checkedScript } from "./script-check.ts";
import { makeSignatures } from "./signatures.ts";
import { makePromptCache } from "./tokens.ts";
import type { Answer, AnswerRule, EmulatorOptions, Incoming, RecordedRequest, Reply, ScriptEntry } from "./types.ts";

/** The emulator in this process. `fetch` answers like the provider, without a network. */
export type LocalEmulator = {
  readonly fetch: typeof fetch;
  readonly handle: (incoming: Incoming) => Reply;
  /** Answers for the requests to come, in order; entries that do not match a request wait. */
  readonly script: (...entries: readonly ScriptEntry[]) => void;
  /** Replaces the rule in code. */
  readonly answerWith: (rule: AnswerRule | undefined) => void;
  readonly requests: () => readonly RecordedRequest[];
  /** How many scripted answers nobody has asked for yet. */
  readonly scripted: () => number;
  /** Forgets script, requests and cache; the dice fall as at the start. */
  readonly reset: () => void;
};

export function createEmulator(options: EmulatorOptions = {}): LocalEmulator {
  const seed = options.seed ?? 1;
  const world = makeWorld(options, seed);
  const script = makeScript();
  let rule = options.rule;
  const log = makeLog(options);
  let count = 0;
  script.add(checkedScript(options.script ?? []));

  function handle(incoming: Incoming): Reply {
    const number = count++;
    const text = new TextDecoder().decode(incoming.body);
    const random = seededRandom(`${seed}|${number}`);
    const task = { incoming, route: routeOf(incoming), text, body: parseJson(text), world, random, number, decide };
    const result = respond(task);
    log.add(recordOf(task, result), text.length);
    return result.reply;
  }

  function decide(session: Session): ScriptEntry {
    const scripted = script.take(session.request);
    if (scripted !== undefined) return withAnswer(scripted, session);
    const ruled = rule?.(session.request);
    return ruled === undefined ? { answer: echo(session.request) } : withAnswer(asEntry(ruled), session);
  }

  return {
    handle,
    fetch: replyFetch(handle),
    script(...entries) {
      script.add(checkedScript(entries));
    },
    answerWith(next) {
      rule = next;
    },
    requests: log.all,
    scripted: script.size,
    reset() {
      script.clear();
      log.clear();
      count = 0;
      world.cache.clear();
      world.stored.clear();
      world.reasoning_of.clear();
    },
  };
}

function makeWorld(options: EmulatorOptions, seed: number): World {
  const extra = options.models ?? [];
  return {
    options,
    signatures: makeSignatures(`ikigai emulator ${seed}`),
    cache: makePromptCache(),
    models: {
      messages: [...likeRows(messagesModels, extra), ...messagesModels],
      openai: Object.fromEntries(
        Object.entries({ openai: openAiModels, ...compatibleModels }).map(([name, rows]) => [
          name,
          [...likeRows(rows, extra), ...rows],
        ]),
      ),
      gemini: [...likeRows(geminiModels, extra), ...geminiModels],
    },
    reasoning_of: new Map(),
    stored: new Map(),
    now: options.now ?? Date.now,
  };
}

function likeRows<Row extends { readonly id: string }>(
  rows: readonly Row[],
  extra: readonly { readonly id: string; readonly like: string }[],
): readonly Row[] {
  return extra.flatMap(({ id, like }) => {
    const row = findModel(rows, like);
    return row === undefined ? [] : [{ ...row, id }];
  });
}

function asEntry(ruled: Answer | ScriptEntry): ScriptEntry {
  return isEntry(ruled) ? ruled : { answer: ruled };
}

function isEntry(ruled: Answer | ScriptEntry): ruled is ScriptEntry {
  return ["answer", "error", "fault", "chunk_size", "delay_ms"].some((field) => field in ruled);
}

/** An entry that only breaks things breaks an echo. */
function withAnswer(entry: ScriptEntry, session: Session): ScriptEntry {
  return entry.answer === undefined && entry.error === undefined ? { ...entry, answer: echo(session.request) } : entry;
}

function recordOf(task: Task, result: Result): RecordedRequest {
  const { incoming, route } = task;
  return {
    number: task.number,
    method: incoming.method,
    path: incoming.path,
    headers: withoutKeys(incoming.headers),
    body: task.body,
    ...(route === undefined ? {} : { wire: route.wire, dialect: route.dialect.name, endpoint: route.endpoint }),
    ...(result.model === undefined ? {} : { model: result.model }),
    status: result.reply.status,
    ...(result.rule === undefined ? {} : { rule: result.rule }),
    ...(result.fault === undefined ? {} : { fault: result.fault.kind }),
  };
}

function withoutKeys(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const secret = ["authorization", "x-api-key", "x-goog-api-key", "cookie", "proxy-authorization"];
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret.includes(name) ? "(not kept)" : value]),
  );
}
