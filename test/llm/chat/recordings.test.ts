import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/core/index.ts";
import { recordedErrors } from "../../recordings/errors.ts";
import { haveRecordings, recordingsMessage, type Recording } from "../../recordings/load.ts";
import {
  blocksOf,
  chatRecordings,
  decodeRecording,
  doneOf,
  errorOf,
  recordingBy,
  textOfRecording,
  type Source,
} from "./helpers.ts";

function decoded(hash: string, source?: Source): ReturnType<typeof decodeRecording> {
  return decodeRecording(recordingBy(hash), source);
}

/** Everything a stream or body says, as objects, in order. */
function objectsIn({ response }: Recording): readonly JsonObject[] {
  if (response.sse === undefined) return isJsonObject(response.body) ? [response.body] : [];
  return response.sse.split(/\r\n|\n|\r/).flatMap((line) => {
    const data = line.startsWith("data:") ? line.slice(5).trim() : "";
    if (data === "" || data === "[DONE]") return [];
    const parsed: unknown = JSON.parse(data);
    return isJsonObject(parsed) ? [parsed] : [];
  });
}

/** The total that the server itself put last, wherever it stood. */
function reportedTotal(recording: Recording): number | undefined {
  let total: number | undefined;
  for (const json of objectsIn(recording)) {
    for (const place of [json["usage"], isJsonObject(json["x_groq"]) ? json["x_groq"]["usage"] : undefined]) {
      if (isJsonObject(place) && typeof place["total_tokens"] === "number") total = place["total_tokens"];
    }
  }
  return total;
}

/** A generator of numbers that is the same every time. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function cutInPieces(text: string, roll: () => number): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const size = 1 + Math.floor(roll() * (roll() < 0.3 ? 4 : 400));
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

describe.skipIf(!haveRecordings)(recordingsMessage("chat"), () => {
  test("all of them decode, each to exactly one end", () => {
    expect(chatRecordings.length).toBeGreaterThan(300);
    for (const { file, recording } of chatRecordings) {
      const { events } = decodeRecording(recording);
      const ends = events.filter(({ type }) => type === "done" || type === "error");
      expect(ends, file).toHaveLength(1);
      expect(events.at(-1), file).toBe(ends[0]);
    }
  });

  test("an answer by success fails only where the server says so", () => {
    const failed = chatRecordings
      .filter(({ recording }) => recording.response.status === 200)
      .filter(({ recording }) => decodeRecording(recording).end.type === "error")
      .map(({ file }) => file.slice(-13, -5));
    expect(failed.sort()).toEqual(["1dc02309", "66015db4", "66ca04a9", "7c23e134"]);
  });

  test("B43 usage parts are disjoint and sum to the server's total", () => {
    let checked = 0;
    for (const { file, recording } of chatRecordings) {
      const { end } = decodeRecording(recording);
      const total = reportedTotal(recording);
      if (total === undefined || end.usage === undefined) continue;
      checked += 1;
      const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens } = end.usage;
      const parts = [input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens];
      expect(Math.min(...parts), file).toBeGreaterThanOrEqual(0);
      expect(
        parts.reduce((sum, part) => sum + part),
        file,
      ).toBe(end.usage.total_tokens);
      expect(end.usage.total_tokens, file).toBe(total);
    }
    expect(checked).toBeGreaterThan(240);
  });

  test("B43 where a total is more than its parts the rest is named", () => {
    // A compatibility endpoint that counts thoughts in the total only.
    expect(doneOf(decoded("95232c4f")).usage).toMatchObject({
      input_tokens: 66,
      output_tokens: 6,
      thinking_tokens: 28,
    });
    // Audio beside the prompt: 11 + 375 read, 9 of them from the cache.
    expect(doneOf(decoded("bd3a930d")).usage).toMatchObject({ input_tokens: 377, cache_read_tokens: 9 });
  });

  test("B43 reasoning beside the completion is seen from the sum; more reasoning than completion is held to it", () => {
    for (const quirks of [{}, { usage_excludes_reasoning: true }]) {
      const { usage } = doneOf(decoded("82a707dd", { quirks }));
      expect(usage).toMatchObject({ output_tokens: 10, thinking_tokens: 285, total_tokens: 305 });
    }
    const clamped = ["666ed32b", "fb796f2e", "cc334c0e", "08f286d8", "0f075e55", "7a9cdcde"];
    for (const hash of clamped) expect(doneOf(decoded(hash)).usage.output_tokens, hash).toBe(0);
  });

  test("B43 usage from wherever it stands: last chunk, finish chunk, a field of the server's own, growing", () => {
    expect(doneOf(decoded("fd06b0b9")).usage.total_tokens).toBe(1520);
    expect(doneOf(decoded("66a40a2b")).usage.total_tokens).toBe(259);
    expect(doneOf(decoded("469047e4")).usage.total_tokens).toBe(456);
    expect(doneOf(decoded("3ce2b5b2")).usage.total_tokens).toBe(4387);
    expect(doneOf(decoded("de5c21cb")).usage).toMatchObject({ total_tokens: 0, unreported: expect.any(Array) });
  });

  test("cost as the server bills it", () => {
    expect(doneOf(decoded("dc168359")).cost_usd).toBe(0.000971);
    // A key of one's own: what the server behind the gateway charged.
    expect(doneOf(decoded("d62e99c9")).cost_usd).toBe(0.00417);
    const ticks = { cost_field: "cost_in_usd_ticks", cost_units_per_usd: 10_000_000_000 };
    expect(doneOf(decoded("b0446644", { quirks: ticks })).cost_usd).toBeCloseTo(0.000273325, 12);
    expect(doneOf(decoded("3ce2b5b2", { quirks: { cost_field: "cost.total_cost" } })).cost_usd).toBeGreaterThan(0);
    expect(doneOf(decoded("fd06b0b9")).cost_usd).toBeUndefined();
  });

  test("B40 every recorded refusal has its category", () => {
    const known = new Map(recordedErrors.map(([hash, , category]) => [hash, category]));
    const refused = chatRecordings.filter(({ recording }) => recording.response.status >= 400);
    expect(refused.length).toBeGreaterThan(45);
    for (const { file, recording } of refused) {
      const { error } = errorOf(decodeRecording(recording));
      expect(error.category, file).toBe(known.get(file.slice(-13, -5)));
      expect(error.http_status, file).toBe(recording.response.status);
      expect(error.message.length, file).toBeGreaterThan(5);
    }
  });

  test("B20 any cut of the text gives the same events", () => {
    const roll = dice(20_261_115);
    for (const { file, recording } of chatRecordings) {
      if (recording.response.sse === undefined) continue;
      const whole = decodeRecording(recording);
      const pieces = cutInPieces(textOfRecording(recording), roll);
      expect(decodeRecording(recording, { pieces }).events, file).toEqual(whole.events);
    }
  });

  test("B21 cut before its end: one network error, the partial answer, no half call complete", () => {
    const roll = dice(7);
    let cuts = 0;
    for (const { file, recording } of chatRecordings) {
      const { sse } = recording.response;
      if (sse === undefined) continue;
      const finish = sse.search(/"finish_reason"\s*:\s*"|"error"\s*:\s*\{|\[DONE\]/);
      const end = sse.lastIndexOf("\n", finish);
      if (end < 40) continue;
      cuts += 1;
      const partial = decodeRecording(recording, { pieces: [sse.slice(0, Math.floor(roll() * end))] });
      expect(errorOf(partial).error, file).toMatchObject({ category: "network", retryable: true });
      expect(partial.message.incomplete, file).toBe(true);
      for (const block of partial.message.content) {
        if (block.type === "tool_call") expect(block.invalid, file).toBe(true);
      }
    }
    expect(cuts).toBeGreaterThan(100);
  });

  test("B21 the end of the bytes after a finish reason is enough", () => {
    for (const hash of ["5efec231", "7dc67229", "f84d615e", "d8686e8d", "b1820b87"]) {
      expect(textOfRecording(recordingBy(hash))).not.toContain("[DONE]");
      expect(decoded(hash).end.type, hash).toBe("done");
    }
  });

  test("B21 [DONE] without a finish reason is unknown", () => {
    for (const hash of ["77d0cdc3", "f4692dea"]) expect(doneOf(decoded(hash)).finish_reason, hash).toBe("unknown");
    expect(decoded("f4692dea").message.content).toEqual([]);
    expect(doneOf(decoded("1d081e30"))).toMatchObject({ finish_reason: "unknown", raw_finish_reason: "" });
  });

  test("B24 an error event in a stream that was accepted", () => {
    const { end, message } = decoded("66015db4");
    expect(end).toMatchObject({
      type: "error",
      error: { category: "invalid_request", provider_code: "tool_use_failed", http_status: 400, retryable: false },
    });
    expect(end.type === "error" && end.error.message).toContain("the model wrote:");
    expect(message.content).toHaveLength(1);
    const { request_id: _id, ...byStatus } = errorOf(decoded("f917c24c")).error;
    expect(errorOf(decoded("1dc02309")).error).toMatchObject(byStatus);
  });

  test("B24 an error beside a choice keeps the calls before it and the bill after it", () => {
    const stream = decoded("7c23e134");
    expect(errorOf(stream)).toMatchObject({
      error: { category: "server", http_status: 502 },
      usage: { total_tokens: 284 },
    });
    expect(stream.message.content.filter(({ type }) => type === "tool_call")).toHaveLength(15);
    expect(stream.message.content.every((block) => block.type !== "tool_call" || block.invalid === undefined)).toBe(
      true,
    );
    const body = decoded("66ca04a9");
    expect(errorOf(body).error).toEqual(errorOf(stream).error);
  });

  test("B25 one index for all calls, each with its own id", () => {
    const ids = decoded("7c23e134").message.content.flatMap((block) => (block.type === "tool_call" ? block.id : []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("B25 continuations without an id, with an empty one, with null, with a type", () => {
    for (const hash of ["d8686e8d", "c7049d6c", "2c74e588", "76a27771"]) {
      const calls = decoded(hash).message.content.filter((block) => block.type === "tool_call");
      expect(calls, hash).toHaveLength(1);
      expect(calls[0]?.invalid, hash).toBeUndefined();
      expect(Object.keys(calls[0]?.arguments ?? {}).length, hash).toBeGreaterThan(0);
    }
  });

  test("B25 calls over several indexes, whole calls in one chunk, calls without arguments", () => {
    expect(blocksOf(decoded("66a40a2b").message).slice(1)).toEqual([
      { call: "add", id: expect.any(String), arguments: { a: 2, b: 3 } },
      { call: "multiply", id: expect.any(String), arguments: { a: 2, b: 3 } },
    ]);
    expect(decoded("529e5b7a").message.content.filter(({ type }) => type === "tool_call")).toHaveLength(2);
    expect(blocksOf(decoded("469047e4").message)[1]).toMatchObject({ call: "get_date", arguments: {} });
    expect(doneOf(decoded("469047e4")).finish_reason).toBe("tool_use");
  });

  test("B25 stop over a call that is named by tool_choice", () => {
    for (const hash of ["6eee7d2c", "881c1e27", "085d1184"]) {
      expect(doneOf(decoded(hash)), hash).toMatchObject({ finish_reason: "tool_use", raw_finish_reason: "stop" });
    }
  });

  test("B25 arguments cut by the length limit are invalid, their siblings are not", () => {
    const cut = ["1f702022", "8044261f", "a2547483", "2a36ad4c", "5fe23dc7", "cc9961ab", "17909b7f"];
    for (const hash of cut) {
      const { message, end } = decoded(hash);
      expect(end, hash).toMatchObject({ finish_reason: "length" });
      expect(message.content.at(-1), hash).toMatchObject({ type: "tool_call", invalid: true });
    }
    const [first, second] = decoded("40eef9e7").message.content;
    expect(first).toMatchObject({ type: "tool_call", name: "page_oncall" });
    expect(first).not.toHaveProperty("invalid");
    expect(second).toMatchObject({ type: "tool_call", name: "file_report", invalid: true });
  });

  test("B25 tool_calls over a native length: the arguments are torn and the reason is length", () => {
    for (const hash of ["660c57aa", "9f7d3b1c"]) {
      const { message, end } = decoded(hash);
      expect(end, hash).toMatchObject({ finish_reason: "length", raw_finish_reason: "tool_calls" });
      expect(message.content.at(-1), hash).toMatchObject({ type: "tool_call", invalid: true });
    }
  });

  test("the forms before tools: function_call, finish_details; an empty function_call is none", () => {
    expect(blocksOf(decoded("12a17d55").message)).toEqual([
      { call: "get_current_weather", id: "generated-0", arguments: expect.any(Object) },
    ]);
    expect(doneOf(decoded("91a365b8"))).toMatchObject({ finish_reason: "length", raw_finish_reason: "max_tokens" });
    expect(blocksOf(decoded("1d081e30").message)).toEqual([{ text: expect.stringContaining("sunny") }]);
  });

  test("a custom tool's call holds its text and goes back as it came", () => {
    const [call] = decoded("b14ed9c4").message.content;
    expect(call).toMatchObject({ name: "math_exp", arguments: { input: expect.any(String) } });
    expect(call).toMatchObject({ opaque: { data: { type: "custom" } } });
  });

  test("refusals are text, and the finish reason says why", () => {
    for (const hash of ["6cde6db7", "70ccf39c", "8219a6ce", "474c6026"]) {
      expect(doneOf(decoded(hash)).finish_reason, hash).toBe("content_filter");
      expect(decoded(hash).message.content, hash).toMatchObject([{ type: "text" }]);
    }
  });

  test("two choices: only the first is read", () => {
    expect(decoded("bc3491a4").message.content).toHaveLength(1);
    expect(blocksOf(decoded("59ea5518").message)).toEqual([{ text: expect.any(String) }]);
    expect(blocksOf(decoded("b64f9909").message)).toHaveLength(1);
  });

  test("thinking in every field it comes in, once", () => {
    const plain = ["529e5b7a", "60f1a4eb", "04b3a379", "42a493f5", "388a43e5", "3c24f95f", "0a4999a7", "7a145d72"];
    for (const hash of plain) expect(decoded(hash).message.content[0], hash).toMatchObject({ type: "thinking" });
    const { content } = decoded("09fc846b").message;
    expect(content.map(({ type }) => type)).toEqual(["thinking", "text"]);
    const reasoning = objectsIn(recordingBy("09fc846b"))
      .flatMap((json) => (Array.isArray(json["choices"]) ? json["choices"] : []))
      .map((choice: unknown) => (isJsonObject(choice) && isJsonObject(choice["delta"]) ? choice["delta"] : {}))
      .map((delta) => delta["reasoning_content"] ?? "")
      .join("");
    expect(content[0]).toMatchObject({ text: reasoning });
  });

  test("a text that repeats a syllable is not taken for a repeated delta", () => {
    // The stream sends ".R" twice in a row.
    expect(decoded("13906aa8").message.content[0]).toMatchObject({ text: expect.stringContaining("J.R.R. Tolkien") });
  });

  test("thinking as parts of the content, then plain strings", () => {
    for (const hash of ["756c781c", "eae9f4ea", "0f3d5757"]) {
      expect(
        decoded(hash).message.content.map(({ type }) => type),
        hash,
      ).toEqual(["thinking", "text"]);
    }
  });

  test("details: fragments merged, the signature added, encrypted entries by themselves", () => {
    const signed = decoded("8784b7cd").message.content[0];
    expect(signed).toMatchObject({
      type: "thinking",
      opaque: { data: { reasoning_detail: { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 } } },
    });
    expect(signed?.type === "thinking" && signed.opaque?.data["reasoning_detail"]).toMatchObject({
      text: signed?.type === "thinking" ? signed.text : "",
      signature: "signature_REDACTED_1",
    });
    const types = decoded("de4fff26").message.content.map((block) => [block.type, "opaque" in block]);
    expect(types).toEqual([
      ["thinking", true],
      ["thinking", true],
      ["tool_call", false],
    ]);
    expect(decoded("b756285b").message.content[0]).toMatchObject({ type: "thinking", text: "" });
  });

  test("delta and whole message beside each other: the text comes once", () => {
    expect(blocksOf(decoded("f84d615e").message)).toEqual([{ text: expect.any(String) }]);
    const last = objectsIn(recordingBy("3ce2b5b2")).at(-1) ?? {};
    const [choice] = Array.isArray(last["choices"]) ? last["choices"] : [];
    const said = isJsonObject(choice) && isJsonObject(choice["message"]) ? choice["message"]["content"] : undefined;
    expect(blocksOf(decoded("3ce2b5b2").message)).toEqual([{ text: said }]);
    expect(blocksOf(decoded("70d6cf25").message)).toEqual([{ text: expect.stringMatching(/./) }]);
  });

  test("an empty first chunk, ids that change, chunks without an object, padding: nothing of it shows", () => {
    const azure = decoded("3c24f95f");
    expect(azure.events[0]).toMatchObject({ type: "start", model: expect.stringMatching(/deepseek/i) });
    for (const hash of ["09fc846b", "e75cda82", "54146804", "c6b1a99c", "eae9f4ea", "94dec582"]) {
      const { message, end } = decoded(hash);
      expect(end.type, hash).toBe("done");
      expect(
        message.content.some((block) => block.type === "text" && block.text === ""),
        hash,
      ).toBe(false);
    }
  });

  test("no empty text block where there never was text", () => {
    for (const { file, recording } of chatRecordings) {
      const { content } = decodeRecording(recording).message;
      expect(
        content.some((block) => block.type === "text" && block.text === ""),
        file,
      ).toBe(false);
    }
  });

  test("what else an answer says is kept", () => {
    expect(doneOf(decoded("b00e85d7")).provider_data).toMatchObject({ provider: expect.any(String) });
    expect(doneOf(decoded("b00e85d7")).provider_data?.["annotations"]).toHaveLength(5);
    expect(doneOf(decoded("3ce2b5b2")).provider_data).toMatchObject({ citations: expect.any(Array) });
    expect(doneOf(decoded("3ce2b5b2")).provider_data).toMatchObject({ search_results: expect.any(Array) });
    expect(doneOf(decoded("211d6439")).provider_data).toMatchObject({ logprobs: { content: expect.any(Array) } });
    expect(doneOf(decoded("0d26d466")).provider_data).toMatchObject({ executed_tools: expect.any(Array) });
    expect(doneOf(decoded("660c57aa")).provider_data).toMatchObject({ native_finish_reason: "max_output_tokens" });
  });

  test("text deltas arrive as they came, not held back", () => {
    const { events } = decoded("b1820b87");
    expect(events.filter(({ type }) => type === "text_delta").length).toBeGreaterThan(100);
  });
});
