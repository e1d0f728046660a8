import type { CallOptions, StreamEvent } from "../../../src/index.ts";
import { IkigaiError } from "../../../src/index.ts";
import { createEmulator, type EmulatorOptions, type LocalEmulator } from "../../../src/testing/index.ts";

/** The emulator in the place of every provider. Keys are what each provider gets to see. */
export function world(options: EmulatorOptions = {}): { emulator: LocalEmulator; options: CallOptions } {
  const emulator = createEmulator({ bad_keys: ["bad"], ...options });
  return { emulator, options: { fetch: emulator.fetch, settings: { providers } } };
}

export const providers = {
  anthropic: { key: "good-anthropic", base_url: "http://emulator/anthropic" },
  openai: { key: "good-openai", base_url: "http://emulator/openai/v1" },
  google: { key: "good-google", base_url: "http://emulator/google/v1beta" },
  openrouter: { key: "good-openrouter", base_url: "http://emulator/openrouter/api/v1" },
  xai: { key: "good-xai", base_url: "http://emulator/xai/v1" },
};

export async function eventsOf(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

export async function failureOf(promise: PromiseLike<unknown>): Promise<IkigaiError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof IkigaiError) return error;
    throw error;
  }
  throw new Error("was expected to fail");
}

export function typesOf(events: readonly StreamEvent[]): string[] {
  return events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
}
