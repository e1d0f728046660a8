import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Entrant } from "./streams.ts";
import type { Wire } from "./traffic.ts";

/** A library people use. */
export type Peer = {
  readonly driver: string;
  readonly file: string;
  /** Which wires it speaks; none given: all of them. */
  readonly wires?: readonly Wire[];
  /** The package whose version is shown. */
  readonly package: string;
};

export const peers: readonly Peer[] = [
  { driver: "@anthropic-ai/sdk", file: "anthropic-sdk.mjs", wires: ["messages"], package: "@anthropic-ai/sdk" },
  { driver: "openai", file: "openai-sdk.mjs", wires: ["responses", "chat"], package: "openai" },
  { driver: "@google/genai", file: "google-genai.mjs", wires: ["gemini"], package: "@google/genai" },
  { driver: "ai (AI SDK)", file: "ai-sdk.mjs", package: "ai" },
  { driver: "pi-ai", file: "pi-ai.mjs", package: "@earendil-works/pi-ai" },
  { driver: "LangChain", file: "langchain.mjs", package: "@langchain/core" },
  { driver: "TanStack AI", file: "tanstack-ai.mjs", package: "@tanstack/ai" },
];

export const floorAndOurs: readonly Entrant[] = [
  { driver: "floor", file: path("./drivers/floor.ts") },
  { driver: "ikigai", file: path("./drivers/ikigai.ts") },
];

export function installedPeers(): readonly Entrant[] {
  return peers
    .filter((peer) => versionOf(peer) !== undefined)
    .map(({ file, ...peer }) => ({ ...peer, file: path(`./peers/${file}`), every: 10 }));
}

export function versionOf(peer: Peer): string | undefined {
  try {
    const manifest = path(`./peers/node_modules/${peer.package}/package.json`);
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    return version;
  } catch {
    return undefined;
  }
}

export const peersFolder = path("./peers/");

function path(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
