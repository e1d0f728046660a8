import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  faultKinds,
  startEmulator,
  type Emulator,
  type FaultKind,
  type RecordedRequest,
  type ScriptEntry,
  type ServerOptions,
} from "../testing/index.ts";
import { UsageError } from "./io.ts";

export const defaultMockPort = 1985;

export type MockIo = { readonly stdout: (text: string) => void; readonly stderr: (text: string) => void };

export async function runMock(args: readonly string[], io: MockIo, signal?: AbortSignal): Promise<number> {
  let emulator: Emulator;
  let json: boolean;
  try {
    const { values } = parseArgs({ args: [...args], options: flags, allowPositionals: false });
    json = values.json === true;
    emulator = await startEmulator(optionsFrom(values, io));
  } catch (error) {
    return explain(error, io);
  }
  io.stdout(json ? `${JSON.stringify({ url: emulator.url, base_urls: emulator.base_urls })}\n` : banner(emulator));
  await interrupted(signal);
  await emulator.close();
  return 0;
}

const flags = {
  port: { type: "string" },
  script: { type: "string" },
  seed: { type: "string" },
  fault: { type: "string" },
  "fault-rate": { type: "string" },
  delay: { type: "string" },
  key: { type: "string", multiple: true },
  "any-model": { type: "boolean" },
  "any-signature": { type: "boolean" },
  quiet: { type: "boolean" },
  json: { type: "boolean" },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof flags }>>["values"];

function optionsFrom(values: Values, io: MockIo): ServerOptions {
  const seed = numberFrom("--seed", values.seed, { min: 0, max: Number.MAX_SAFE_INTEGER });
  const delay = numberFrom("--delay", values.delay, { min: 0, max: 600_000 });
  const rate = numberFrom("--fault-rate", values["fault-rate"], { min: 0, max: 1 });
  const anyModel = values["any-model"] === true;
  return {
    port: numberFrom("--port", values.port, { min: 0, max: 65_535 }) ?? defaultMockPort,
    ...(seed === undefined ? {} : { seed }),
    ...(delay === undefined ? {} : { delay_ms: delay }),
    ...(values.script === undefined ? {} : { script: readScript(values.script) }),
    ...(values.key === undefined ? {} : { keys: values.key }),
    ...(anyModel ? { unknown_models: "serve", retired_models: "serve" } : {}),
    ...(values["any-signature"] === true ? { signatures: "any" } : {}),
    ...(values.fault === undefined ? {} : { faults: { rate: rate ?? 1, kinds: kindsFrom(values.fault) } }),
    ...(values.quiet === true ? {} : { onRequest: (request) => io.stdout(line(request, values.json === true)) }),
  };
}

function numberFrom(flag: string, text: string | undefined, range: { min: number; max: number }): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && value >= range.min && value <= range.max) return value;
  throw new UsageError(`${flag} wants a number from ${range.min} to ${range.max}, not "${text}"`);
}

function kindsFrom(text: string): readonly FaultKind[] {
  return text.split(",").map((word) => {
    const kind = faultKinds.find((known) => known === word.trim());
    if (kind === undefined) throw new UsageError(`no fault is called "${word}"; known: ${faultKinds.join(", ")}`);
    return kind;
  });
}

/** The entries are checked by the emulator, which also says what is wrong with them. */
function readScript(path: string): readonly ScriptEntry[] {
  const text = readText(path);
  const lines = text.trimStart().startsWith("[") ? [text] : text.split("\n").filter((row) => row.trim() !== "");
  try {
    return lines.flatMap((row) => JSON.parse(row));
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`${path} cannot be read`);
  }
}

function line(request: RecordedRequest, json: boolean): string {
  if (json) return `${JSON.stringify(request)}\n`;
  const why = request.rule ?? (request.fault === undefined ? "" : `fault ${request.fault}`);
  const words = [String(request.status), request.method, request.path, request.model ?? "", why];
  return `${words.filter(Boolean).join("  ")}\n`;
}

function banner(emulator: Emulator): string {
  const { url, base_urls } = emulator;
  return [
    `ikigai mock listens on ${url}; every answer is simulated. Ctrl-C ends it.`,
    "",
    ...Object.entries(base_urls).map(([name, address]) => `  ${name.padEnd(12)}${address}`),
    "",
    "These go in the place of a provider's base URL. Any key will do unless --key was given.",
    "Controls: POST /_mock/script, GET /_mock/requests, POST /_mock/reset",
    "",
    "",
  ].join("\n");
}

function explain(error: unknown, io: MockIo): number {
  const message = error instanceof Error ? error.message : String(error);
  const taken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  io.stderr(`ikigai mock: ${taken ? `${message} (another port: --port 0)` : message}\n`);
  return taken ? 1 : 2;
}

async function interrupted(signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    function done(): void {
      process.off("SIGINT", done);
      process.off("SIGTERM", done);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    process.once("SIGINT", done);
    process.once("SIGTERM", done);
    signal?.addEventListener("abort", done, { once: true });
  });
}
