import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, user, type JsonObject, type Message } from "../../../src/core/index.ts";
import type { Quirks } from "../../../src/llm/adapter.ts";
import type { DecodedResponse } from "../../../src/llm/decode.ts";
import { haveRecordings, loadRecordings, recordingsMessage, type RecordingFile } from "../../recordings/load.ts";
import { answerTo, bodyOf, decodeText, encodeProjected, inputOf, thinkingModel } from "./helpers.ts";

const files = loadRecordings().filter(
  ({ recording }) => recording.api === "responses" && recording.response.status === 200,
);
const streams = files.filter(({ recording }) => recording.response.sse !== undefined);
console.log(recordingsMessage("responses"));

/** Turns of recorded sessions that went back in a later request in other words than ours, and why. */
const replayDifferences: { readonly [file: string]: string | undefined } = {
  "openai-responses-openai-gpt-5-responses-stream-0-726bbd60":
    "the server stored the reasoning and got its id back; we ask it to store nothing, and there is no encrypted content",
  "openai-responses-test-code-interpreter-1-70994933": "same",
  "openai-responses-test-custom-tool-0-95d2a319": "same",
  "openai-responses-test-apply-patch-0-78551189":
    "a tool that the API leaves to its client and that we do not offer: without a result the call cannot go back",
  "xai-responses-3-replays-search-turns-so-the-conversation-can-continue-0-7ebbab45":
    "the server gave one id to two reasoning items; we send it once",
};

/** Streams that end with another answer than they gave, and why. The finished items count. */
const finalDifferences: { readonly [file: string]: string } = {
  "openai-responses-openai-shell-container-1-0-adc5f145": "the text of the final response is longer than its item's",
};

describe.skipIf(!haveRecordings)("recorded answers", () => {
  test("B20 any cut of the bytes gives the same events", () => {
    const whole = new Map(streams.map((entry) => [entry.file, decodeFile(entry).events]));
    fc.assert(
      fc.property(fc.constantFrom(...streams), fc.array(fc.nat(), { minLength: 1, maxLength: 20 }), (entry, places) => {
        const text = entry.recording.response.sse ?? "";
        const cuts = [0, ...places.map((place) => place % text.length).toSorted((a, b) => a - b), text.length];
        const pieces = cuts.slice(1).map((cut, index) => text.slice(cuts[index], cut));
        expect(decodeFile(entry, { pieces }).events).toEqual(whole.get(entry.file));
      }),
      { numRuns: 300 },
    );
  });

  test("B21 ended before its last event, each is an error of the network with what came", () => {
    fc.assert(
      fc.property(fc.constantFrom(...streams), fc.double({ min: 0, max: 0.999, noNaN: true }), (entry, share) => {
        const frames = (entry.recording.response.sse ?? "").split("\n\n");
        const endsAt = frames.findIndex((frame) =>
          /"type":"(response\.(completed|incomplete|failed)|error)"/.test(frame),
        );
        const text = frames.slice(0, Math.floor(share * endsAt)).join("\n\n");
        const { end, message, events } = decodeText(text, "sse", sourceOf(entry));
        expect(end).toMatchObject({ type: "error", error: { category: "network", retryable: true } });
        expect(message.incomplete).toBe(true);
        const finished = new Set(events.flatMap((e) => (e.type === "tool_call_done" ? [e.block_index] : [])));
        message.content.forEach((block) => {
          if (block.type === "tool_call" && finished.size === 0) expect(block.invalid).toBe(true);
        });
      }),
      { numRuns: 300 },
    );
  });

  test("a stream and the response it ends with are one answer", () => {
    const differing: string[] = [];
    const compared = streams.flatMap((entry) => {
      const final = finalOf(entry);
      if (final === undefined || !Array.isArray(final["output"]) || final["output"].length === 0) return [];
      const streamed = decodeFile(entry);
      const body = decodeText(JSON.stringify(final), "json", sourceOf(entry));
      if (!isDeepStrictEqual(said(streamed), said(body))) differing.push(entry.recording.id);
      return [entry.file];
    });
    expect(differing).toEqual(Object.keys(finalDifferences));
    expect(compared.length).toBeGreaterThan(80);
  });

  test("B43 the parts sum to the provider's total", () => {
    const wrong = files.flatMap((entry) => {
      const total = (finalOf(entry)?.["usage"] as JsonObject | null | undefined)?.["total_tokens"];
      const { end } = decodeFile(entry);
      return total === undefined || end.usage?.total_tokens === total ? [] : [`${entry.file}: ${String(total)}`];
    });
    expect(wrong).toEqual([]);
  });

  test("a price in ticks is the price list's", () => {
    const quirks = { cost_field: "cost_in_usd_ticks", cost_units_per_usd: 1e10 };
    const priced = files.filter(({ recording }) => recording.provider === "xai" && recording.model === "grok-4.3");
    const figures = priced.flatMap((entry) => {
      const { end } = decodeText(textOf(entry), framingOf(entry), { ...sourceOf(entry), quirks });
      if (end.type !== "done" || end.cost_usd === undefined) return [];
      const extras = end.provider_data?.["usage"];
      const used = isJsonObject(extras) ? extras["num_server_side_tools_used"] : undefined;
      const { input_tokens, cache_read_tokens, output_tokens, thinking_tokens } = end.usage;
      const listed = (input_tokens * 1.25 + cache_read_tokens * 0.2 + (output_tokens + thinking_tokens) * 2.5) / 1e6;
      return used === 0 ? [{ cost: end.cost_usd, listed }] : [];
    });
    expect(figures.length).toBeGreaterThan(10);
    for (const { cost, listed } of figures) expect(cost).toBeCloseTo(listed, 10);
  });
});

describe.skipIf(!haveRecordings)("recorded turns, sent back", () => {
  const sessions = Map.groupBy(files, ({ recording }) => recording.session);
  const pairs = [...sessions.values()].flatMap((session) =>
    session.flatMap((entry) =>
      session
        .filter(({ recording }) => recording.source.index > entry.recording.source.index)
        .map((later) => ({ entry, later })),
    ),
  );

  test("B05 every seal, id and call id of the recorded replay stands in ours, in order", () => {
    const missing: string[] = [];
    const differing = new Set<string>();
    let compared = 0;
    for (const { entry, later } of pairs) {
      const { message } = decodeFile(entry);
      const own = new Set(marksOf(finalItems(entry)));
      const input = later.recording.request?.body?.["input"];
      const wanted = marksOf(Array.isArray(input) ? input : []).filter((mark) => own.has(mark));
      if (wanted.length === 0) continue;
      compared += wanted.length;
      const lost = notInOrder(wanted, marksOf(replayOf(entry, message)));
      if (lost.length === 0) continue;
      if (replayDifferences[entry.recording.id] === undefined) missing.push(`${entry.file}: ${lost.join(", ")}`);
      else differing.add(entry.recording.id);
    }
    expect(missing).toEqual([]);
    expect([...differing].toSorted()).toEqual(Object.keys(replayDifferences).toSorted());
    expect(compared).toBeGreaterThan(60);
  });

  test("B09 every recorded turn makes a legal history", () => {
    for (const entry of files) {
      const decoded = decodeFile(entry);
      if (decoded.end.type === "error") continue;
      const items = replayOf(entry, decoded.message);
      const ids = items.flatMap(({ id }) => (typeof id === "string" ? [id] : []));
      expect(ids, entry.file).toEqual([...new Set(ids)]);
      expect(items.at(-1)?.["type"], entry.file).not.toBe("reasoning");
      for (const item of items.filter(({ type }) => type === "reasoning")) {
        expect(item, entry.file).toMatchObject({ summary: expect.any(Array), encrypted_content: expect.any(String) });
      }
    }
  });

  test("B17 the next turn's body begins with the bytes of the one before", () => {
    for (const entry of files) {
      const model = thinkingModel({ id: entry.recording.model });
      const { message, end } = decodeFile(entry);
      if (end.type === "error") continue;
      const first = JSON.stringify(bodyOf(encodeProjected(historyWith(message), { model })));
      const next = JSON.stringify(bodyOf(encodeProjected([...historyWith(message), message, user("more")], { model })));
      expect(next.startsWith(first.slice(0, -"]}".length)), entry.file).toBe(true);
    }
  });
});

function textOf({ recording }: RecordingFile): string {
  return recording.response.sse ?? JSON.stringify(recording.response.body);
}

function framingOf({ recording }: RecordingFile): "sse" | "json" {
  return recording.response.sse === undefined ? "json" : "sse";
}

function sourceOf({ recording }: RecordingFile): { readonly model: string } {
  return { model: recording.model };
}

function decodeFile(entry: RecordingFile, options: { readonly pieces?: readonly string[] } = {}): DecodedResponse {
  return decodeText(textOf(entry), framingOf(entry), { ...sourceOf(entry), ...options });
}

/** What a reader sees: blocks without the data beside them, and how it ended. */
function said({ message, end }: DecodedResponse): unknown {
  const blocks = message.content.map((block) => {
    const { opaque, ...rest } = block;
    const item = opaque?.data["item"];
    return { ...rest, item: isJsonObject(item) ? item["type"] : undefined };
  });
  return { blocks, end: end.type === "done" ? { ...end, provider_data: undefined } : end };
}

function frames(entry: RecordingFile): readonly JsonObject[] {
  return textOf(entry)
    .split("\n")
    .filter((line) => line.startsWith("data:") && !line.includes("[DONE]"))
    .map((line): unknown => JSON.parse(line.slice("data:".length)))
    .filter(isJsonObject);
}

function finalOf(entry: RecordingFile): JsonObject | undefined {
  if (framingOf(entry) === "json") return entry.recording.response.body as JsonObject;
  const last = frames(entry).findLast(({ type }) => /^response\.(completed|incomplete)$/.test(String(type)));
  return isJsonObject(last?.["response"]) ? last["response"] : undefined;
}

function finalItems(entry: RecordingFile): readonly unknown[] {
  if (framingOf(entry) === "sse")
    return frames(entry).map(({ type, item }) => (type === "response.output_item.done" ? item : null));
  const output = finalOf(entry)?.["output"];
  return Array.isArray(output) ? output : [];
}

function historyWith(message: Message & { role: "assistant" }): readonly Message[] {
  const answers = answerTo(message);
  return [user("first"), message, ...(answers.content.length > 0 ? [answers] : []), user("last")];
}

function replayOf(entry: RecordingFile, message: Message & { role: "assistant" }): readonly JsonObject[] {
  const model = thinkingModel({ id: entry.recording.model });
  const quirks = quirksOf[entry.recording.provider] ?? {};
  const input = inputOf(encodeProjected(historyWith(message), { model, quirks }));
  return input.filter(({ role, type }) => role !== "user" && type !== "function_call_output");
}

const quirksOf: { readonly [provider: string]: Quirks | undefined } = { xai: { item_id_length_max: 256 } };

/** Everything in items that only their maker could have written, in a fixed order within each. */
function marksOf(items: readonly unknown[]): readonly string[] {
  return items.filter(isJsonObject).flatMap((item) => {
    if (typeof item["type"] === "string" && item["type"].endsWith("_output")) return [];
    return ["id", "call_id", "encrypted_content"].flatMap((key) => {
      const value = item[key];
      return typeof value === "string" && value !== "" ? [value] : [];
    });
  });
}

function notInOrder(wanted: readonly string[], found: readonly string[]): readonly string[] {
  let next = 0;
  return wanted.filter((mark) => {
    const at = found.indexOf(mark, next);
    if (at !== -1) next = at + 1;
    return at === -1;
  });
}
