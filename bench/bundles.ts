import { build, type Metafile, type OutputFile } from "esbuild";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../tools/files.mjs";
import { peersFolder } from "./entrants.ts";
import type { Row } from "./report.ts";
import { snippets } from "./snippets.ts";
import { summarise } from "./stats.ts";

/** What a page that asks one vendor downloads, minified and compressed, in KB (1,000 bytes). */
export async function anthropicBundles(): Promise<readonly Row[]> {
  const rows: Row[] = [{ driver: "ikigai", ...(await ourRow(["anthropic"])) }];
  for (const { driver, package: name, imports } of snippets) {
    if (name === undefined || driver === "openai" || driver === "@google/genai") continue;
    rows.push({ driver, ...(await peerRow(name, [imports])) });
  }
  return rows;
}

/** The same for Anthropic, OpenAI and Google together. */
export async function threeVendorBundles(): Promise<readonly Row[]> {
  const rows: Row[] = [{ driver: "ikigai", ...(await ourRow(["anthropic", "openai", "google"])) }];
  for (const { driver, name, imports } of threeVendors) rows.push({ driver, ...(await peerRow(name, imports)) });
  return rows;
}

type Vendor = "anthropic" | "openai" | "google";

/** Wires and model data load on first use, so a page loads the entry and, for each vendor it asks, these. */
const loadedFor: { readonly [vendor in Vendor]: readonly string[] } = {
  anthropic: ["src/llm/protocols/messages/index.ts", "src/llm/models/anthropic.json"],
  openai: ["src/llm/protocols/responses/index.ts", "src/llm/models/openai.json"],
  google: ["src/llm/protocols/gemini/index.ts", "src/llm/models/google.json"],
};

async function ourRow(vendors: readonly Vendor[]): Promise<Omit<Row, "driver">> {
  const { metafile, outputFiles } = await build({
    ...options,
    absWorkingDir: root,
    stdin: { contents: `export { ask } from "./src/index.ts";`, resolveDir: root, sourcefile: "page.js" },
    platform: "browser",
    splitting: true,
    outdir: join(root, "out"),
  });
  const early = closure(metafile, outputOf(metafile, "page.js"));
  const late = vendors
    .flatMap((vendor) => loadedFor[vendor])
    .flatMap((entry) => closure(metafile, outputOf(metafile, entry)));
  const compressed = (paths: readonly string[]): number =>
    [...new Set(paths)].reduce((sum, path) => sum + sizeOf(outputFiles, path), 0);
  const all = compressed([...early, ...late]);
  return {
    value: summarise([all / 1000]),
    note: `${(compressed(early) / 1000).toFixed(1)} KB before the first question`,
  };
}

function outputOf(metafile: Metafile, entry: string): string {
  const found = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint?.endsWith(entry));
  if (found === undefined) throw new Error(`no output begins at ${entry}`);
  return found[0];
}

/** A file and everything it imports at once. */
function closure(metafile: Metafile, path: string): readonly string[] {
  const now = (metafile.outputs[path]?.imports ?? []).filter(({ kind }) => kind === "import-statement");
  return [path, ...now.flatMap((link) => closure(metafile, link.path))];
}

function sizeOf(files: readonly OutputFile[], path: string): number {
  const file = files.find((candidate) => candidate.path.endsWith(path.replace(/^.*\//, "/")));
  if (file === undefined) throw new Error(`${path} was not made`);
  return gzipSync(file.contents, { level: 9 }).length;
}

/** One file with all it can reach: most of them load nothing later. */
async function peerRow(name: string, imports: readonly string[]): Promise<Omit<Row, "driver">> {
  if (!existsSync(join(peersFolder, "node_modules", name))) return { failed: "is not installed" };
  const contents = imports.map((line) => line.replaceAll(/import \{/g, "export {")).join("\n");
  const entry = contents.replace(/import (\w+) from/, "export { default as $1 } from");
  for (const platform of ["browser", "node"] as const) {
    try {
      const stdin = { contents: entry, resolveDir: peersFolder };
      const { outputFiles } = await build({ ...options, stdin, platform });
      const size = outputFiles.reduce((sum, file) => sum + gzipSync(file.contents, { level: 9 }).length, 0);
      return {
        value: summarise([size / 1000]),
        ...(platform === "node" ? { note: "for Node: cannot be bundled for a browser" } : {}),
      };
    } catch {
      // The next platform.
    }
  }
  return { failed: "cannot be bundled" };
}

const options = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  write: false,
  metafile: true,
  logLevel: "silent",
  outdir: "out",
} as const;

const threeVendors = [
  {
    driver: "the three vendors' own",
    name: "@anthropic-ai/sdk",
    imports: [
      `import Anthropic from "@anthropic-ai/sdk";`,
      `import { OpenAI } from "openai";`,
      `import { GoogleGenAI } from "@google/genai";`,
    ],
  },
  {
    driver: "ai (AI SDK)",
    name: "ai",
    imports: [
      `import { streamText } from "ai";`,
      `import { createAnthropic } from "@ai-sdk/anthropic";`,
      `import { createOpenAI } from "@ai-sdk/openai";`,
      `import { createGoogle } from "@ai-sdk/google";`,
    ],
  },
  {
    driver: "pi-ai",
    name: "@earendil-works/pi-ai",
    imports: [
      `import { createModels } from "@earendil-works/pi-ai";`,
      `import { anthropicProvider } from "@earendil-works/pi-ai/providers/anthropic";`,
      `import { openaiProvider } from "@earendil-works/pi-ai/providers/openai";`,
      `import { googleProvider } from "@earendil-works/pi-ai/providers/google";`,
    ],
  },
  {
    driver: "LangChain",
    name: "@langchain/anthropic",
    imports: [
      `import { ChatAnthropic } from "@langchain/anthropic";`,
      `import { ChatOpenAI } from "@langchain/openai";`,
      `import { ChatGoogle } from "@langchain/google";`,
    ],
  },
  {
    driver: "TanStack AI",
    name: "@tanstack/ai",
    imports: [
      `import { chat } from "@tanstack/ai";`,
      `import { createAnthropicChat } from "@tanstack/ai-anthropic";`,
      `import { createOpenaiChat } from "@tanstack/ai-openai";`,
      `import { createGeminiChat } from "@tanstack/ai-gemini";`,
    ],
  },
];
