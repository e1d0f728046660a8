import { isDeepStrictEqual } from "node:util";
import {
  textOf,
  type AssistantMessage,
  type JsonObject,
  type Message,
  type ToolCallBlock,
  type ToolResultBlock,
} from "../../../src/core/index.ts";
import { decodeRecorded } from "../../../src/cli/wire/decode.ts";
import { readExchange } from "../../../src/cli/wire/exchange.ts";
import { stringsOf } from "../compare.ts";
import type { Recording, RecordingFile } from "../load.ts";
import { chatReader } from "./chat.ts";
import { geminiReader } from "./gemini.ts";
import { messagesReader } from "./messages.ts";
import { responsesReader } from "./responses.ts";
import { joinTurns, type WireReader, type WireResult } from "./turns.ts";

export type Replay = {
  readonly messages: readonly Message[];
  /** What the provider checks, in the order in which the recorded request sent it back. */
  readonly seals: readonly string[];
  /** Turns decoded from the recorded response that first said them. */
  readonly recorded: number;
  /** Turns whose response is not among the recordings: decoded from the replay itself. */
  readonly rebuilt: number;
};

export const readers: { readonly [api: string]: WireReader | undefined } = {
  messages: messagesReader,
  "anthropic-messages": messagesReader,
  responses: responsesReader,
  chat: chatReader,
  generateContent: geminiReader,
  streamGenerateContent: geminiReader,
};

/** A recorded request as a conversation of ours, its assistant turns taken from what was decoded of earlier answers. */
export async function conversationOf(recording: Recording, earlier: readonly RecordingFile[]): Promise<Replay> {
  const reader = readers[recording.api];
  const body = recording.request?.body ?? {};
  if (reader === undefined) throw new Error(`${recording.api} is not a wire`);
  const answers = (await Promise.all(earlier.map((entry) => decode(entry.recording)))).flat();
  const messages: Message[] = [];
  const seals: string[] = [];
  let recorded = 0;
  let rebuilt = 0;
  for (const turn of joinTurns(reader.turnsOf(body))) {
    if (turn.role === "user") messages.push(turn);
    else if (turn.role === "tool") messages.push({ role: "tool", content: resultsFor(turn.results, messages) });
    else {
      const said = answers.filter(({ message }) => isReplayOf(reader, turn.wire, message));
      const sent = reader.sealsOf(turn.wire);
      // Clients make up ids where the provider gave none: only what it really said has to come back.
      const real =
        said.length === 0
          ? sent
          : sent.filter((seal) => said.some(({ bytes }) => bytes.includes(JSON.stringify(seal))));
      seals.push(...real);
      recorded += said.length;
      rebuilt += said.length === 0 ? 1 : 0;
      messages.push(...(said.length > 0 ? said.map(({ message }) => message) : await rebuild(recording, turn.wire)));
    }
  }
  return { messages, seals, recorded, rebuilt };
}

type Answer = { readonly message: AssistantMessage; readonly bytes: string };

async function decode(recording: Recording): Promise<readonly Answer[]> {
  if (recording.response.status >= 400 || readers[recording.api] === undefined) return [];
  const exchange = readExchange(recording);
  if ("problem" in exchange) throw new Error(exchange.problem);
  const decoded = await decodeRecorded(exchange);
  return decoded === undefined ? [] : [{ message: decoded.message, bytes: exchange.text }];
}

async function rebuild(recording: Recording, wire: readonly JsonObject[]): Promise<readonly AssistantMessage[]> {
  const bodies = readers[recording.api]?.responsesOf(wire) ?? [];
  const decoded = await Promise.all(
    bodies.map((body) => decode({ ...recording, response: { status: 200, headers: {}, body } })),
  );
  return decoded.flat().map(({ message }) => message);
}

/** By what the provider sealed or named; where there is nothing of the kind, by calls and text. */
function isReplayOf(reader: WireReader, wire: readonly JsonObject[], answer: AssistantMessage): boolean {
  const seals = new Set(reader.sealsOf(wire));
  if (seals.size > 0) return stringsOf(answer.content).some((value) => seals.has(value));
  const texts = reader.textsOf(wire).join("");
  if (texts !== "") return texts === textOf(answer);
  const calls = callsOf(answer).map(({ name, arguments: args }) => [name, args]);
  const replayed = wire.flatMap(({ functionCall }) =>
    isCall(functionCall) ? [[functionCall.name, functionCall.args ?? {}]] : [],
  );
  return calls.length > 0 && isDeepStrictEqual(calls, replayed);
}

function isCall(value: unknown): value is { readonly name: string; readonly args?: JsonObject } {
  return typeof value === "object" && value !== null && "name" in value;
}

function resultsFor(results: readonly WireResult[], messages: readonly Message[]): readonly ToolResultBlock[] {
  const last = messages.findLast((message) => message.role === "assistant");
  const open = last === undefined ? [] : [...callsOf(last)];
  return results.map(({ id, name, content }) => {
    const named = open.findIndex((call) => call.id === id);
    const at = named === -1 ? open.findIndex((call) => call.name === name) : named;
    const [call] = at === -1 ? [] : open.splice(at, 1);
    return { type: "tool_result", tool_call_id: call?.id ?? id ?? "unknown", content, is_error: false };
  });
}

function callsOf(message: AssistantMessage): readonly ToolCallBlock[] {
  return message.content.filter((block) => block.type === "tool_call");
}
