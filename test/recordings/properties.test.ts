import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  errorCategories,
  finishReasons,
  isJsonObject,
  textOf,
  usageParts,
  type AssistantMessage,
  type ErrorInfo,
  type ToolCallBlock,
} from "../../src/core/index.ts";
import { adapterFor } from "../../src/cli/wire/decode.ts";
import { wireApi, type WireApi } from "../../src/cli/wire/labels.ts";
import { bytesOf, hear, type Heard } from "./live.ts";
import { haveRecordings, loadRecordings, recordingsMessage, type Recording, type RecordingFile } from "./load.ts";
import { sseData } from "./plain/reading.ts";

const wires: readonly WireApi[] = ["messages", "responses", "chat", "generateContent"];
const settings = { seed: 20_261_115, numRuns: 200 };
const charactersMax = 30_000;

/** Answers short enough to be decoded hundreds of times: streams, and bodies that came whole. */
const samples = loadRecordings().filter(({ recording: { response } }) => {
  const size = response.sse?.length ?? JSON.stringify(response.body ?? "").length;
  return response.status === 200 && size < charactersMax;
});
console.log(`${recordingsMessage("properties")}; ${samples.length} short enough`);

const refusals = loadRecordings().filter(({ recording }) => recording.response.status >= 400);
/** Among them words that every JavaScript object knows: a trap for tables looked up by what a provider sends. */
const strangeValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    "constructor",
    "__proto__",
    "toString",
    "valueOf",
    { toString: 0 },
    [{ toString: 0 }],
    -1,
    1e308,
  ),
);
const spoken = wires.filter((wire) =>
  samples.some(({ recording: { api, response } }) => wireApi(api) === wire && response.sse !== undefined),
);

describe.skipIf(!haveRecordings).each(haveRecordings ? spoken : wires)("%s, disturbed", (wire) => {
  const all = samples.filter(({ recording }) => wireApi(recording.api) === wire);
  const streams = all.filter(({ recording }) => recording.response.sse !== undefined);
  const anyOf = (files: readonly RecordingFile[]): fc.Arbitrary<Sample> =>
    fc.constantFrom(...files.map(({ file, recording }) => new Sample(file, recording)));

  test("B20 any cut of the bytes gives the same events", async () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(anyOf(all), cuts, async ({ recording }, places) => {
        const bytes = bytesOf(recording);
        const whole = await hear(recording, [bytes]);
        expect(await hear(recording, cutAt(bytes, places))).toEqual(whole);
      }),
      settings,
    );
  });

  test("B20 so does a cut after every byte", async () => {
    const bytesMax = 4000;
    for (const { recording } of streams.filter(({ recording }) => bytesOf(recording).length < bytesMax).slice(0, 8)) {
      const bytes = bytesOf(recording);
      const single = Array.from(bytes, (_byte, index) => bytes.subarray(index, index + 1));
      expect(await hear(recording, single)).toEqual(await hear(recording, [bytes]));
    }
  });

  test("B21 an answer cut off anywhere ends once, in an error unless the wire allows an end there", async () => {
    const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    await fc.assert(
      fc.asyncProperty(anyOf(all), place, async ({ recording }, part) => {
        const bytes = bytesOf(recording);
        const cut = bytes.subarray(0, Math.floor(part * bytes.length));
        const heard = await hear(recording, [cut]);
        checkEnding(heard);
        checkPartial(heard, await hear(recording, [bytes]));
        const over = recording.response.sse !== undefined && mayEnd(wire, new TextDecoder().decode(cut));
        if (!over) expect(heard.end).toMatchObject({ type: "error", error: { category: "network", retryable: true } });
        else if (heard.end?.type === "error") expect(heard.end.error.provider_code).not.toBe("stream_cut_off");
      }),
      settings,
    );
  });

  test("any garbage among the bytes ends once, and nothing is thrown", async () => {
    const garbage = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      fc.string({ unit: "binary", minLength: 1, maxLength: 64 }).map((text) => new TextEncoder().encode(text)),
      fc.json().map((json) => new TextEncoder().encode(`\n\ndata: ${json}\n\n`)),
    );
    const place = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(anyOf(all), place, garbage, async ({ recording }, part, strange) => {
        const [before, after] = cutAt(bytesOf(recording), [part]);
        checkEnding(await hear(recording, [before ?? strange, strange, after ?? strange]));
      }),
      settings,
    );
  });

  test("any value in a frame may be of another kind", async () => {
    await fc.assert(
      fc.asyncProperty(anyOf(all), fc.nat(), strangeValue, async ({ recording }, nth, value) => {
        const { sse, body } = recording.response;
        const changed: Recording =
          sse === undefined
            ? { ...recording, response: { ...recording.response, body: replaceNth(body, nth, value) } }
            : { ...recording, response: { ...recording.response, sse: disturbFrame(sse, nth, value) } };
        checkEnding(await hear(changed, [bytesOf(changed)]));
      }),
      { ...settings, numRuns: 500 },
    );
  });

  test("any value in the body of a refusal may be of another kind", async () => {
    const { decodeError } = await adapterFor(wire);
    const ofWire = refusals.filter(({ recording }) => wireApi(recording.api) === wire);
    fc.assert(
      fc.property(anyOf(ofWire), fc.nat(), strangeValue, ({ recording }, nth, value) => {
        const { status, headers, body } = recording.response;
        const text = JSON.stringify(replaceNth(body, nth, value)) ?? "";
        checkError(decodeError({ status, headers: new Headers({ ...headers }), text, now: 0 }));
      }),
      settings,
    );
  });

  test("B26 comments, unknown events and blank lines between frames change nothing", async () => {
    // Where frames have no names there is no unknown event: every key of every frame may matter.
    const hasNames = wire === "messages" || wire === "responses";
    const strange = hasNames ? ['event: strange\ndata: {"type":"strange"}\n\n'] : [];
    const noise = fc.constantFrom(": keep-alive\n\n", "\n\n", "id: 7\n\n", "retry: 10\n\n", ...strange);
    await fc.assert(
      fc.asyncProperty(anyOf(streams), fc.array(noise, { minLength: 1, maxLength: 5 }), async (entry, lines) => {
        const { recording } = entry;
        const frames = framesIn(recording);
        const noisy = frames.map((frame, index) => `${lines[index % lines.length]}${frame}`).join("");
        const bytes = new TextEncoder().encode(noisy);
        expect(await hear(recording, [bytes])).toEqual(await hear(recording, [bytesOf(recording)]));
      }),
      settings,
    );
  });
});

/** A recording that a counterexample shows by its name, not by its bytes. */
class Sample {
  readonly file: string;
  readonly recording: Recording;
  constructor(file: string, recording: Recording) {
    this.file = file;
    this.recording = recording;
  }
  [fc.toStringMethod](): string {
    return this.file;
  }
}

/** Exactly one end, at the end, in words and figures of ours, and never the confession that our own code failed. */
function checkEnding({ events, end }: Heard): void {
  const ends = events.filter((event) => event.type === "done" || event.type === "error");
  expect(ends).toEqual([events.at(-1)]);
  if (end?.type === "error") checkError(end.error);
  else {
    expect(finishReasons).toContain(end?.finish_reason);
    expect(end?.raw_finish_reason).toBeTypeOf("string");
  }
  if (end?.usage === undefined) return;
  const figures = usageParts.map((part) => end.usage?.[part] ?? Number.NaN);
  expect(figures.filter((figure) => !(Number.isFinite(figure) && figure >= 0))).toEqual([]);
  expect(figures.reduce((sum, figure) => sum + figure, 0)).toBe(end.usage.total_tokens);
}

function checkError(error: ErrorInfo): void {
  expect(errorCategories).toContain(error.category);
  expect(error.message).toBeTypeOf("string");
  expect(error.retryable).toBeTypeOf("boolean");
  expect(["string", "undefined"]).toContain(typeof error.provider_code);
  expect(["number", "undefined"]).toContain(typeof error.http_status);
  expect(error.retry_after_ms ?? 0).toBeGreaterThanOrEqual(0);
  if (error.category === "unknown") expect(error.message).not.toMatch(/could not be read|ended without an end/);
}

/** What arrived is kept and is a beginning of the whole; a call is complete only if the whole has it so. */
function checkPartial(part: Heard, whole: Heard): void {
  expect(textOf(whole.message).startsWith(textOf(part.message))).toBe(true);
  expect(part.message.incomplete === true).toBe(part.end?.type === "error");
  const complete = completeCalls(whole.message);
  for (const call of completeCalls(part.message)) {
    expect(
      complete.some((other) => isDeepStrictEqual(other.arguments, call.arguments) && other.name === call.name),
    ).toBe(true);
  }
}

function completeCalls(message: AssistantMessage): readonly ToolCallBlock[] {
  return message.content.filter((block) => block.type === "tool_call" && block.invalid !== true) as ToolCallBlock[];
}

/** Whether the provider's last word is among the frames that arrived whole. Read from the wire documents. */
function mayEnd(wire: WireApi, text: string): boolean {
  const frames = sseData(text);
  if (wire === "chat" && frames.includes("[DONE]")) return true;
  return frames.map(parsed).some((frame) => isJsonObject(frame) && isLastWord(wire, frame));
}

function isLastWord(wire: WireApi, frame: { readonly [key: string]: unknown }): boolean {
  if ("error" in frame || frame["type"] === "error") return true;
  if (wire === "messages") return frame["type"] === "message_stop";
  if (wire === "responses") return /^response\.(completed|incomplete|failed)$/.test(String(frame["type"]));
  const [first] = Array.isArray(frame["choices"])
    ? frame["choices"]
    : Array.isArray(frame["candidates"])
      ? frame["candidates"]
      : [];
  return isJsonObject(first) && Boolean(first["finish_reason"] ?? first["finishReason"]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function cutAt(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const cuts = [...places.map((place) => Math.floor(place * bytes.length)), 0, bytes.length].sort((a, b) => a - b);
  return cuts.slice(1).map((end, index) => bytes.slice(cuts[index], end));
}

function framesIn({ response }: RecordingFile["recording"]): readonly string[] {
  return (response.sse ?? "").split(/(?<=\r?\n\r?\n)(?!\r?\n)/);
}

/** The nth value of all frames becomes another. */
function disturbFrame(sse: string, nth: number, value: unknown): string {
  const lines = sse.split(/(?<=\n)/);
  const candidates = lines.flatMap((line, index) => (/^data:\s*\{/.test(line) ? [index] : []));
  const chosen = candidates[nth % Math.max(1, candidates.length)];
  return lines
    .map((line, index) => {
      if (index !== chosen) return line;
      const json = replaceNth(parsed(line.slice("data:".length)), Math.floor(nth / candidates.length), value);
      return `data: ${JSON.stringify(json)}\n`;
    })
    .join("");
}

/** A copy in which the nth value, counted from the inside out, is another. */
function replaceNth(json: unknown, nth: number, value: unknown): unknown {
  const size = countValues(json);
  let left = nth % size;
  const copy = (inner: unknown): unknown => {
    const here = left-- === 0;
    if (here) return value;
    if (Array.isArray(inner)) return inner.map(copy);
    return isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, copy(item)]))
      : inner;
  };
  return copy(json);
}

function countValues(json: unknown): number {
  if (Array.isArray(json)) return json.reduce((sum: number, item) => sum + countValues(item), 1);
  return isJsonObject(json) ? Object.values(json).reduce((sum: number, item) => sum + countValues(item), 1) : 1;
}
