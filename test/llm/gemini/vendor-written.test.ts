import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gemini } from "../../../src/llm/protocols/gemini/index.ts";
import { decodeText, haveVendorFiles, vendorFile, vendorFolder } from "./support.ts";

if (!haveVendorFiles) console.log(`gemini: skipped, no vendor-written answers at ${vendorFolder}`);

const firebase = (file: string): string => vendorFile(`google-firebase/${file}`);
const decode = (file: string): ReturnType<typeof decodeText> =>
  decodeText(firebase(file), file.endsWith(".txt") ? "sse" : "json");

/** Shapes nobody has recorded, from the vendor's own mock answers. */
describe.skipIf(!haveVendorFiles)("vendor-written answers", () => {
  test.each([
    ["googleai/streaming-failure-prompt-blocked-safety.txt", "content_filter", "SAFETY"],
    ["vertexai/streaming-failure-prompt-blocked-safety-with-message.txt", "content_filter", "SAFETY"],
    ["vertexai/unary-failure-prompt-blocked-safety.json", "content_filter", "SAFETY"],
    ["vertexai/unary-failure-unknown-enum-prompt-blocked.json", "content_filter", "FAKE_NEW_BLOCK_REASON"],
    ["googleai/unary-failure-only-prompt-feedback.json", "content_filter", ""],
    ["googleai/streaming-failure-recitation-no-content.txt", "content_filter", "RECITATION"],
    ["vertexai/streaming-failure-finish-reason-safety.txt", "content_filter", "SAFETY"],
    ["vertexai/unary-failure-finish-reason-safety-no-content.json", "content_filter", "SAFETY"],
    ["vertexai/streaming-failure-unknown-finish-enum.txt", "unknown", "FAKE_ENUM"],
    ["googleai/unary-failure-with-message-no-content.json", "unknown", "OTHER"],
    ["vertexai/streaming-success-unknown-safety-enum.txt", "stop", "STOP"],
    ["vertexai/streaming-success-utf8.txt", "stop", "STOP"],
    ["vertexai/unary-success-function-call-no-arguments.json", "tool_use", "STOP"],
    ["vertexai/unary-success-function-call-null.json", "tool_use", "STOP"],
    ["vertexai/unary-success-missing-safety-ratings.json", "unknown", ""],
  ])("B30 %s is done: %s", (file, finish_reason, raw_finish_reason) => {
    expect(decode(file).end).toMatchObject({ type: "done", finish_reason, raw_finish_reason });
  });

  test.each([
    ["googleai/unary-failure-api-key.json", 400, "auth"],
    ["googleai/unary-failure-generativelanguage-api-not-enabled.json", 403, "auth"],
    ["googleai/unary-failure-unknown-model.json", 404, "not_found"],
    ["vertexai/unary-failure-iam-permission-denied.json", 403, "auth"],
    ["vertexai/unary-failure-image-rejected.json", 400, "invalid_request"],
    ["vertexai/unary-failure-context-cache-not-found.json", 404, "not_found"],
    ["vertexai/unary-failure-quota-exceeded.json", 429, "billing"],
    ["vertexai/unary-failure-unsupported-user-location.json", 400, "billing"],
    ["vertexai/unary-failure-invalid-location-url-not-found.html", 404, "not_found"],
  ])("B40 B24 %s: %i is %s, inside a 200 as well", (file, status, category) => {
    const text = firebase(file);
    const byStatus = gemini.decodeError({ status, headers: new Headers(), text, now: 0 });
    expect(byStatus).toMatchObject({ category, http_status: status });
    if (!file.endsWith(".html")) expect(decode(file).end).toEqual({ type: "error", error: byStatus });
  });

  test("B24 an error in the middle of a stream, as bare JSON after frames that said STOP", () => {
    const { end, message } = decode("vertexai/streaming-failure-error-mid-stream.txt");
    expect(end).toMatchObject({ error: { http_status: 499, provider_code: "CANCELLED", retryable: true } });
    expect(message).toMatchObject({ incomplete: true, content: [{ text: "First Second " }] });
  });

  test("B21 frames that never say how it ended", () => {
    for (const file of ["streaming-failure-empty-content.txt", "streaming-failure-malformed-content.txt"]) {
      expect(decode(`vertexai/${file}`).end).toMatchObject({ error: { category: "network", retryable: true } });
    }
  });

  test("citations of a stream are collected", () => {
    const { end } = decode("vertexai/streaming-success-citations.txt");
    const { citationMetadata } = (end.type === "done" ? end.provider_data : undefined) ?? {};
    expect(citationMetadata).toMatchObject({ citations: expect.any(Array) });
    const frames = firebase("vertexai/streaming-success-citations.txt").match(/"endIndex"/g) ?? [];
    const found = JSON.stringify(citationMetadata).match(/"endIndex"/g) ?? [];
    expect(found.length).toBe(frames.length);
    expect(found.length).toBeGreaterThan(1);
  });

  test("the delay a quota message asks for", () => {
    const text = vendorFile("vercel-ai/google-429-retry-info.json");
    expect(gemini.decodeError({ status: 429, headers: new Headers(), text, now: 0 })).toMatchObject({
      category: "rate_limit",
      retryable: true,
      retry_after_ms: 34_400,
    });
  });

  test("B30 a list streamed by path, without a terminator", () => {
    const file = "vercel-ai/google-stream-tool-call-array-arguments-missing-terminal-function-call.chunks.txt";
    const frames = vendorFile(file)
      .split("\n")
      .map((line) => `data: ${line}\r\n\r\n`)
      .join("");
    expect(decodeText(frames)).toMatchObject({
      message: {
        content: [
          {
            name: "writeItems",
            arguments: {
              operations: [
                { action: "add", description: "Fresh red apple", itemid: "apple_001", price: 0.5 },
                { action: "add", description: "Ripe yellow banana", itemid: "banana_001", price: 0.3 },
              ],
            },
          },
        ],
      },
      end: { finish_reason: "tool_use", usage: { total_tokens: 249 } },
    });
  });

  test("all of them end once, whatever they hold", () => {
    for (const folder of ["googleai", "vertexai"]) {
      for (const file of readdirSync(join(vendorFolder, "google-firebase", folder))) {
        const { events, end } = decode(`${folder}/${file}`);
        const endings = events.filter(({ type }) => type === "done" || type === "error");
        expect(endings, file).toEqual([end]);
      }
    }
  });
});
