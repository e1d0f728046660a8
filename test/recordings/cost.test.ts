import { describe, expect, test } from "vitest";
import { ask, complete, costReport, type Answer, type Expense } from "../../src/index.ts";
import { readExchange } from "../../src/cli/wire/exchange.ts";
import { haveAllRecordings, haveRecordings, loadRecordings, recordingsMessage } from "./load.ts";

const files = loadRecordings();
console.log(recordingsMessage("cost"));

/**
 * Twenty-two recorded exchanges and what each cost, worked out by hand: tokens as the provider reported them times its
 * printed prices in dollars per million. What a provider billed itself is its own figure.
 */
const priced: readonly (readonly [file: string, model: string, usd: number, source: Answer["cost_source"]])[] = [
  // 2 × 5 + 1,590 written × 6.25 + 4 × 25
  [
    "anthropic-messages-test-inline-system-prompt-cache-prefix-is-reused-0-a1ddb030",
    "claude-opus-4-8",
    0.0100475,
    "registry",
  ],
  // 773 × 5 + 1,835 (1,167 of them thinking) × 25
  ["anthropic-messages-messages-adaptive-thinking-streaming-smoke-1-13233ae5", "claude-opus-4-7", 0.04974, "registry"],
  // 4 × 3 + 9,134 read × 0.3 + 237 written × 3.75 + 156 × 15
  [
    "anthropic-messages-execution-files-cache-prefix-stable-messages-sonnet-4-6-2-2080588d",
    "claude-sonnet-4-6",
    0.00598095,
    "registry",
  ],
  // 10 × 3 + 67 written × 3.75 + 1,603 written for an hour × 6 + 13 × 15
  [
    "anthropic-messages-static-prefix-ttl-coexists-with-extended-thinking-0-269dfd05",
    "claude-sonnet-4-6",
    0.01009425,
    "registry",
  ],
  // 6 × 2 + 20,443 read × 0.2 + 574 written × 2.5 + 489 × 10
  [
    "anthropic-messages-e-execution-files-cache-prefix-stable-automatic-sonnet-5-1-e38b7130",
    "claude-sonnet-5",
    0.0104256,
    "registry",
  ],
  // 1,096 × 10 + 58 × 50
  [
    "anthropic-messages-test-anthropic-fable-5-lazy-advertisement-live-1-9389004c",
    "claude-fable-5",
    0.01386,
    "registry",
  ],
  // 13 × 5 + 44 × 25
  ["anthropic-messages-test-anthropic-opus-5-features-0-08ffb368", "claude-opus-5", 0.001165, "registry"],
  // 4,250 × 1 + 115 × 5
  [
    "anthropic-messages-c-claude-haiku-4-5-cites-pdf-documents-with-page-numbers-0-f72e8bd1",
    "claude-haiku-4-5-20251001",
    0.004825,
    "registry",
  ],
  // (7,112 − 3,072) × 1.75 + 3,072 read × 0.175 + 463 × 14
  ["openai-responses-openai-phase-1-0-8e552f03", "gpt-5.3-codex", 0.0140896, "registry"],
  // (1,501 − 1,024) × 1.75 + 1,024 read × 0.175 + 314 × 14
  ["openai-responses-openai-shell-skills-1-0-b958e156", "gpt-5.2-2025-12-11", 0.00540995, "registry"],
  // (8,576 − 4,418) × 4 + 4,418 written × 5 + 52 × 20
  [
    "openai-responses-responses-model-web-search-tool-without-external-access-0-0bc9ed97",
    "gpt-5.6",
    0.039762,
    "registry",
  ],
  // 243 × 2 + 297 × 12
  ["openai-responses-structured-data-examples-image-0-e76fc48e", "gpt-5.6-terra", 0.00405, "registry"],
  // 1,464 × 0.05 + 64 × 0.4
  [
    "openai-responses-nano-can-handle-multiple-tool-calls-in-a-single-response-1-b0882383",
    "gpt-5-nano",
    0.0000988,
    "registry",
  ],
  // 18,417 × 1.1 + 2,842 × 4.4
  ["openai-responses-response-with-file-inputs-0-89d48218", "o4-mini-2025-04-16", 0.0327635, "registry"],
  // (12,441 − 6,144) × 2 + 6,144 read × 0.5 + 2 × 8
  ["openai-chat-github-copilot-v0-auto-cassette-0-f2689321", "gpt-4.1", 0.015682, "registry"],
  // 364 × 2.5 + 40 × 10
  ["openai-chat-test-complex-agent-run-in-workflow-0-93468f99", "gpt-4o", 0.00131, "registry"],
  // (373 − 204) × 0.3 + 204 read × 0.03 + (89 + 167 thoughts) × 2.5
  [
    "google-generatecontent-test-mixed-content-ordering-google-2-5-1-5edfd58d",
    "gemini-2.5-flash",
    0.00069682,
    "registry",
  ],
  // (85 + 149 read by its tool) × 1.5 + (122 + 87 thoughts) × 9
  [
    "google-generatecontent-ini-3-5-flash-runs-code-server-side-and-replays-the-turn-0-38bf9104",
    "gemini-3.5-flash",
    0.002232,
    "registry",
  ],
  // 26 × 2 + (23 + 132 thoughts) × 12
  [
    "google-streamgeneratecontent-google-stream-tool-call-arguments-0-b058517d",
    "gemini-3.1-pro-preview",
    0.001912,
    "registry",
  ],
  // 7,715,000 ten-billionths; by the price list 32 × 1.25 + 320 read × 0.2 + 267 × 2.5, which is the same
  ["xai-responses-parallel-tool-calls-single-turn-streaming-0-c9b4cc65", "grok-4.3", 0.0007715, "provider"],
  // As billed
  ["openrouter-chat-blocking-parallel-0-a79c5210", "anthropic/claude-haiku-4.5", 0.00179, "provider"],
  // With a key of one's own: nothing billed by the gateway, this by the maker behind it
  ["openrouter-chat-completion-openrouter-byok-0-d62e99c9", "anthropic/claude-opus-5", 0.00417, "provider"],
];

describe.skipIf(!haveRecordings)("what recorded exchanges cost", () => {
  test.skipIf(!haveAllRecordings).each(priced)("%s (%s)", async (id, model, usd, source) => {
    const answer = await replayed(id, model);
    expect(answer?.cost_usd).toBeCloseTo(usd, 12);
    expect(answer?.cost_source).toBe(source);
  });

  test.skipIf(!haveAllRecordings)("adds up, by provider too", async () => {
    const answers = await Promise.all(priced.map(([id, model]) => replayed(id, model)));
    const expenses = answers.map(({ message, usage, cost_usd, cost_source }): Expense => ({
      provider: message.origin.provider,
      model: message.origin.model,
      usage,
      ...(cost_usd === undefined ? {} : { cost_usd }),
      ...(cost_source === undefined ? {} : { cost_source }),
    }));
    const { total, providers } = costReport(expenses);
    expect(total.exchanges).toBe(22);
    expect(total.unpriced).toBe(0);
    expect(total.cost_usd).toBeCloseTo(
      priced.reduce((sum, [, , usd]) => sum + usd, 0),
      12,
    );
    expect(total.billed_usd).toBeCloseTo(0.0007715 + 0.00179 + 0.00417, 12);
    expect(providers.map(({ provider, exchanges }) => [provider, exchanges])).toEqual([
      ["openai", 8],
      ["anthropic", 8],
      ["openrouter", 2],
      ["google", 3],
      ["xai", 1],
    ]);
  });
});

/** The recorded bytes through the library as if they had just arrived. */
async function replayed(id: string, model: string): Promise<Answer> {
  const recording = files.find((entry) => entry.recording.id === id)?.recording;
  const exchange = recording === undefined ? undefined : readExchange(recording);
  if (recording === undefined || exchange === undefined || "problem" in exchange) throw new Error(`no recording ${id}`);
  const { provider, api } = recording;
  const settings = { providers: { [provider]: { key: "none", ...(api === "chat" ? { api } : {}) } } };
  const fetch = (): Promise<Response> => Promise.resolve(new Response(exchange.text, { headers: exchange.headers }));
  const call = exchange.framing === "sse" ? ask : complete;
  return call(`${provider}:${model}`, "hi", { fetch, settings });
}
