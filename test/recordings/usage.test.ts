import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, type Usage } from "../../src/core/index.ts";
import { decodeRecorded } from "../../src/cli/wire/decode.ts";
import { readExchange } from "../../src/cli/wire/exchange.ts";
import { wireApi } from "../../src/cli/wire/labels.ts";
import { haveAllRecordings, haveRecordings, loadRecordings, recordingsMessage, type RecordingFile } from "./load.ts";

const files = loadRecordings().filter(
  ({ recording }) => recording.response.status < 400 && ["chat", "responses"].includes(wireApi(recording.api) ?? ""),
);
console.log(recordingsMessage("usage"));

/** Who reports what an answer used, in the many ways there are of doing so. */
const reporters = ["xai", "openrouter", "groq", "deepseek", "mistral", "llama.cpp", "ollama"];

describe.skipIf(!haveRecordings)("B43 what the provider counted", () => {
  test.each(reporters)("%s: our parts sum to its total", async (provider) => {
    const wrong: string[] = [];
    let compared = 0;
    for (const entry of files.filter(({ recording }) => recording.provider === provider)) {
      const total = lastUsage(entry)?.["total_tokens"];
      if (typeof total !== "number") continue;
      compared += 1;
      const { usage } = await endOf(entry);
      if (usage === undefined || sumOf(usage) !== total)
        wrong.push(`${entry.file}: ${total} is ${JSON.stringify(usage)}`);
    }
    expect(wrong).toEqual([]);
    expect(compared > 0 || !haveAllRecordings).toBe(true);
  });

  test.each([
    ["xai", "cost_in_usd_ticks", 1e10],
    ["openrouter", "cost", 1],
    ["vercel-gateway", "cost", 1],
  ])("%s: what it cost is what it says (%s)", async (provider, field, unitsPerDollar) => {
    const wrong: string[] = [];
    let compared = 0;
    for (const entry of files.filter(({ recording }) => recording.provider === provider)) {
      const raw = lastUsage(entry);
      const cost = raw?.[field];
      const { type, cost_usd } = await endOf(entry);
      // An answer that ends in an error is told without its price.
      if (typeof cost !== "number" || raw?.["is_byok"] === true || type === "error") continue;
      compared += 1;
      if (cost_usd !== cost / unitsPerDollar) wrong.push(`${entry.file}: ${cost} is ${cost_usd}`);
    }
    expect(wrong).toEqual([]);
    expect(compared > 0 || !haveAllRecordings).toBe(true);
  });

  test("xai: reasoning stands beside the completion on Chat and inside the output on Responses", async () => {
    for (const entry of files.filter(({ recording }) => recording.provider === "xai")) {
      const raw = lastUsage(entry);
      const { usage } = await endOf(entry);
      if (raw === undefined || usage === undefined) continue;
      if (entry.recording.api === "chat") expect(usage.output_tokens, entry.file).toBe(raw["completion_tokens"]);
      else expect(usage.output_tokens + usage.thinking_tokens, entry.file).toBe(raw["output_tokens"]);
    }
  });
});

type End = { readonly type: "done" | "error"; readonly usage?: Usage; readonly cost_usd?: number };

async function endOf({ file, recording }: RecordingFile): Promise<End> {
  const exchange = readExchange(recording);
  if ("problem" in exchange) throw new Error(`${file}: ${exchange.problem}`);
  const decoded = await decodeRecorded(exchange);
  if (decoded === undefined) throw new Error(`${file}: not an API we speak`);
  return decoded.end;
}

function sumOf(usage: Usage): number {
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens } = usage;
  return input_tokens + cache_read_tokens + cache_write_tokens + output_tokens + thinking_tokens;
}

/** The last usage that an answer holds anywhere, read without our decoders. */
function lastUsage({ recording }: RecordingFile): JsonObject | undefined {
  const { sse, body } = recording.response;
  const frames: unknown[] =
    sse === undefined
      ? [body]
      : sse
          .split(/\r?\n/)
          .filter((line) => line.startsWith("data:") && line.trim() !== "data: [DONE]")
          .map((line): unknown => JSON.parse(line.slice(5)));
  const found = frames
    .filter(isJsonObject)
    .flatMap((frame) => [frame["usage"], within(frame, "response"), within(frame, "x_groq")]);
  return found.filter(isJsonObject).at(-1);
}

function within(frame: JsonObject, field: string): unknown {
  const inner = frame[field];
  return isJsonObject(inner) ? inner["usage"] : undefined;
}
