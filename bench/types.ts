import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../tools/files.mjs";
import { peersFolder } from "./entrants.ts";
import type { Row } from "./report.ts";
import { summarise } from "./stats.ts";

/** How long the compiler looks at a file with fifty tools, over the same file without any, in milliseconds. */
export function checkTimes(rounds: number): readonly Row[] {
  const programs = [
    { driver: "ikigai", folder: root, from: join(root, "dist/types/index.d.ts"), with: ourTools, without: ourEmpty },
    { driver: "ai (AI SDK), zod", folder: peersFolder, from: "", with: aiTools, without: aiEmpty },
  ];
  return programs.map(({ driver, folder, from, ...program }): Row => {
    if (from !== "" && !existsSync(from)) return { driver, failed: "has no declarations: run npm run build" };
    if (from === "" && !existsSync(join(folder, "node_modules/zod"))) return { driver, failed: "is not installed" };
    const workspace = mkdtempSync(join(folder, "node_modules/.bench-"));
    try {
      const times = Array.from({ length: rounds }, () => {
        const [full, empty] = [program.with(from), program.without(from)].map((code) => checkTime(workspace, code));
        return (full ?? 0) - (empty ?? 0);
      });
      return { driver, value: summarise(times) };
    } catch (error) {
      return { driver, failed: error instanceof Error ? error.message : String(error) };
    } finally {
      rmSync(workspace, { recursive: true, force: true });
    }
  });
}

/** The time the compiler itself says it took for checking. */
function checkTime(folder: string, code: string): number {
  const file = join(folder, "program.ts");
  writeFileSync(file, code);
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const args = [
    compiler,
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "es2024",
    "--module",
    "nodenext",
  ];
  const { stdout, status } = spawnSync(process.execPath, [...args, "--types", "", "--extendedDiagnostics", file], {
    encoding: "utf8",
    cwd: folder,
  });
  const seconds = /^Check time:\s+([\d.]+)s/m.exec(stdout)?.[1];
  if (status !== 0 || seconds === undefined) throw new Error(stdout.split("\n")[0] ?? "the compiler failed");
  return Number(seconds) * 1000;
}

const names = Array.from({ length: 50 }, (_, index) => `tool_${index}`);

function ourEmpty(from: string): string {
  return `import { ask } from ${JSON.stringify(from.replace(/\.d\.ts$/, ".js"))};
export const answer = await ask("claude-opus-5-5", { messages: [], tools: [] });\n`;
}

function ourTools(from: string): string {
  const tools = names.map(
    (name) => `{
      name: "${name}",
      description: "Does what ${name} does",
      parameters: {
        type: "object",
        properties: {
          path: { type: "string", description: "Where" },
          mode: { type: "string", enum: ["read", "write"] },
          lines: { type: "array", items: { type: "object", properties: { from: { type: "number" }, to: { type: "number" } } } },
        },
        required: ["path"],
      },
    }`,
  );
  return ourEmpty(from).replace("tools: []", `tools: [${tools.join(",\n")}]`);
}

const aiHead = `import { streamText, tool } from "ai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { z } from "zod";
export const schema = z.object({ path: z.string() });
export const example = tool({ inputSchema: schema });
`;

function aiEmpty(): string {
  return `${aiHead}export const answer = await streamText({ model: createAnthropic()("claude-opus-5-5"), prompt: "", tools: {} }).text;\n`;
}

function aiTools(): string {
  const tools = names.map(
    (name) => `${name}: tool({
      description: "Does what ${name} does",
      inputSchema: z.object({
        path: z.string().describe("Where"),
        mode: z.enum(["read", "write"]).optional(),
        lines: z.array(z.object({ from: z.number(), to: z.number() })).optional(),
      }),
    })`,
  );
  return aiEmpty().replace("tools: {}", `tools: {${tools.join(",\n")}}`);
}
