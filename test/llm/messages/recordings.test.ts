import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StreamEvent } from "../../../src/core/index.ts";
import { decodeResponse, type DecodedResponse } from "../../../src/llm/decode.ts";
import { haveRecordings, recordingsMessage, type Recording } from "../../recordings/load.ts";
import { adapter, responseText, wireRecordings } from "./support.ts";

const answers = wireRecordings.filter(({ recording }) => recording.response.status < 400);
const streams = answers.filter(({ recording }) => recording.response.sse !== undefined);
const millisecondsPerSuite = 60_000;

function decode(recording: Recording, pieces?: readonly string[]): DecodedResponse {
  const { provider, model, response } = recording;
  let ids = 0;
  return decodeResponse(
    adapter,
    {
      provider,
      api: "messages",
      model,
      status: response.status,
      headers: response.headers,
      text: responseText(recording),
      framing: response.sse === undefined ? "json" : "sse",
    },
    { newId: () => `made_${ids++}`, now: 0, ...(pieces === undefined ? {} : { pieces }) },
  );
}

describe.skipIf(!haveRecordings)("recordings of this wire", () => {
  test("all decode to an ending that is not an error", () => {
    console.log(`${recordingsMessage("messages")}; ${answers.length} answers of this wire, ${streams.length} streams`);
    expect(answers.length).toBeGreaterThan(100);
    const failed = answers.filter(({ recording }) => decode(recording).end.type !== "done").map(({ file }) => file);
    expect(failed).toEqual([]);
  });

  test("no call of a finished answer is broken, and every signature is kept", () => {
    for (const { file, recording } of answers) {
      const { message } = decode(recording);
      const invalid = message.content.filter((block) => block.type === "tool_call" && block.invalid === true);
      expect({ file, invalid }).toEqual({ file, invalid: [] });
      const kept = JSON.stringify(message).match(/"signature":"/g)?.length ?? 0;
      const thoughts = message.content.filter(
        (block) => block.type === "thinking" && block.opaque?.data["type"] === "thinking",
      );
      expect({ file, kept }).toEqual({ file, kept: thoughts.length });
    }
  });

  test("B43 the parts of every usage sum to what the provider counted", () => {
    for (const { file, recording } of answers) {
      const { end } = decode(recording);
      const raw = rawUsage(recording);
      const { usage } = end;
      expect({ file, total: usage?.total_tokens }).toEqual({ file, total: raw.total });
      expect({ file, thinking: usage?.thinking_tokens }).toEqual({ file, thinking: raw.thinking });
      const parts = [
        usage?.input_tokens,
        usage?.cache_read_tokens,
        usage?.cache_write_tokens,
        usage?.output_tokens,
        usage?.thinking_tokens,
      ];
      expect(parts.every((part) => part !== undefined && part >= 0)).toBe(true);
    }
  });

  test(
    "B20 any cut of the text gives the same events",
    () => {
      for (const { recording } of streams) {
        const text = responseText(recording);
        const whole = decode(recording).events;
        fc.assert(
          fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 40 }), (places) => {
            expect(decode(recording, cutAt(text, places)).events).toEqual(whole);
          }),
          { numRuns: 4 },
        );
      }
    },
    millisecondsPerSuite,
  );

  test(
    "B21 any end of the bytes before the last event is one error that keeps what came",
    () => {
      for (const { file, recording } of streams) {
        const text = responseText(recording);
        const over = text.lastIndexOf("event: message_stop");
        if (over === -1) continue;
        const whole = decode(recording);
        fc.assert(
          fc.property(fc.integer({ min: 0, max: over }), (length) => {
            const { events, end, message } = decode(recording, [text.slice(0, length)]);
            expect({ file, type: end.type }).toEqual({ file, type: "error" });
            expect(end).toMatchObject({ error: { retryable: true } });
            expect(events.filter(isEnding)).toHaveLength(1);
            expect(textIn(whole.events).startsWith(textIn(events))).toBe(true);
            expect(message.incomplete).toBe(true);
            const usable = message.content.filter((block) => block.type === "tool_call" && block.invalid !== true);
            for (const call of usable) expect(whole.message.content).toContainEqual(withoutOpaque(call, whole));
          }),
          { numRuns: 6 },
        );
      }
    },
    millisecondsPerSuite,
  );
});

function cutAt(text: string, places: readonly number[]): readonly string[] {
  const ordered = [0, ...places.toSorted((left, right) => left - right), text.length];
  return ordered.slice(1).map((end, index) => text.slice(ordered[index], end));
}

/** A call may be finished before its extra data came; the rest of it is the same. */
function withoutOpaque(call: object, whole: DecodedResponse): unknown {
  const id: unknown = "id" in call ? call.id : undefined;
  const same = whole.message.content.find((block) => block.type === "tool_call" && block.id === id);
  return same === undefined ? call : { ...call, ...("opaque" in same ? { opaque: same.opaque } : {}) };
}

function isEnding({ type }: StreamEvent): boolean {
  return type === "done" || type === "error";
}

function textIn(events: readonly StreamEvent[]): string {
  return events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
}

type RawUsage = {
  readonly input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number } | null;
};

/** The last figure of each name, read from the bytes without our decoder. */
function rawUsage({ response }: Recording): { readonly total: number; readonly thinking: number } {
  const usages: RawUsage[] = [];
  const visit = (value: unknown): void => {
    const { usage, message } = value as { usage?: RawUsage; message?: { usage?: RawUsage } };
    for (const found of [message?.usage, usage]) if (found) usages.push(found);
  };
  if (response.sse === undefined) visit(response.body);
  else for (const found of response.sse.matchAll(/^data: *(\{.*)$/gm)) visit(JSON.parse(found[1] ?? "{}"));
  const last = <Name extends keyof RawUsage>(name: Name): RawUsage[Name] =>
    usages.findLast((usage) => usage[name] !== undefined && usage[name] !== null)?.[name];
  const total =
    (last("input_tokens") ?? 0) +
    (last("cache_read_input_tokens") ?? 0) +
    (last("cache_creation_input_tokens") ?? 0) +
    (last("output_tokens") ?? 0);
  return { total, thinking: last("output_tokens_details")?.thinking_tokens ?? 0 };
}
