import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "../tools/files.mjs";
import { peersFolder } from "./entrants.ts";
import type { Row } from "./report.ts";
import { summarise } from "./stats.ts";

/** How many packages have to be installed to ask Anthropic, OpenAI and Google, and how much that is on the disk. */
export function installedPackages(drivers: readonly string[]): readonly Row[] {
  const ours = readManifest(root);
  const needed = Object.keys(ours.dependencies ?? {}).length;
  const bytes = ["dist", "bin", "docs", "examples"].reduce((sum, folder) => sum + sizeOf(join(root, folder)), 0);
  const note = `${megabytes(bytes)}; ripgrep apart, which is optional`;
  const own: Row = { driver: "ikigai", value: summarise([1 + needed]), note };
  const lock: Lock = JSON.parse(readFileSync(join(peersFolder, "package-lock.json"), "utf8"));
  const names = ["the three vendors' own", ...drivers.filter((driver) => packagesOf[driver] !== undefined)];
  return [own, ...names.map((driver) => rowOf(driver, lock))];
}

function rowOf(driver: string, lock: Lock): Row {
  const paths = new Set<string>();
  for (const name of packagesOf[driver] ?? []) collect(name, "", { lock, paths });
  const bytes = [...paths].reduce((sum, path) => sum + sizeOf(join(peersFolder, path)), 0);
  return { driver, value: summarise([paths.size]), note: megabytes(bytes) };
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

/** As Node finds it: beside the package that wants it, or further up. */
function collect(name: string, from: string, found: { readonly lock: Lock; readonly paths: Set<string> }): void {
  const folders = from
    .split("/node_modules/")
    .map((_, index, all) => all.slice(0, all.length - index).join("/node_modules/"));
  const path = [...folders.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`].find(
    (place) => found.lock.packages[place] !== undefined,
  );
  if (path === undefined || found.paths.has(path)) return;
  found.paths.add(path);
  const { dependencies, peerDependencies, peerDependenciesMeta } = found.lock.packages[path] ?? {};
  for (const wanted of Object.keys(dependencies ?? {})) collect(wanted, path, found);
  for (const wanted of Object.keys(peerDependencies ?? {})) {
    if (peerDependenciesMeta?.[wanted]?.optional !== true) collect(wanted, path, found);
  }
}

/** Without the packages inside it, which are counted by themselves. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? sum : sum + sizeOf(path);
    return entry.isFile() ? sum + statSync(path).size : sum;
  }, 0);
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

type Names = { readonly [name: string]: string };
type Manifest = {
  readonly dependencies?: Names;
  readonly peerDependencies?: Names;
  readonly peerDependenciesMeta?: { readonly [name: string]: { readonly optional?: boolean } };
};
type Lock = { readonly packages: { readonly [path: string]: Manifest | undefined } };

const packagesOf: { readonly [driver: string]: readonly string[] | undefined } = {
  "the three vendors' own": ["@anthropic-ai/sdk", "openai", "@google/genai"],
  "ai (AI SDK)": ["ai", "@ai-sdk/anthropic", "@ai-sdk/openai", "@ai-sdk/google"],
  "pi-ai": ["@earendil-works/pi-ai"],
  LangChain: ["@langchain/core", "@langchain/anthropic", "@langchain/openai", "@langchain/google"],
  "TanStack AI": ["@tanstack/ai", "@tanstack/ai-anthropic", "@tanstack/ai-openai", "@tanstack/ai-gemini"],
};
