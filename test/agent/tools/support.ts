import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { toolEnvironment } from "../../../src/agent/tools/index.ts";
import type { Tool, ToolContext, ToolOutcome } from "../../../src/agent/tools/types.ts";
import type { JsonObject } from "../../../src/core/index.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is gone after the test, as its real path. */
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ikigai-tools-")));
  folders.push(folder);
  return folder;
}

export type Bench = {
  readonly root: string;
  readonly context: ToolContext;
  readonly pre_images: [string, string | null][];
  readonly heard: string[];
  readonly run: (tool: Tool, args: JsonObject, changes?: Partial<ToolContext>) => Promise<ToolOutcome>;
};

/** A project folder and an agent in it. */
export function newBench(changes: Partial<ToolContext> = {}): Bench {
  const root = newFolder();
  const seen = new Map<string, string>();
  const pre_images: [string, string | null][] = [];
  const heard: string[] = [];
  const context: ToolContext = {
    agent_uuid: "agent-1",
    tool_call_id: "call-1",
    cwd: root,
    root,
    signal: new AbortController().signal,
    env: toolEnvironment(process.env),
    timeout_ms: 20_000,
    onOutput: (text) => heard.push(text),
    keepPreImage: (path, bytes) => {
      pre_images.push([path, bytes === null ? null : Buffer.from(bytes).toString("utf8")]);
      return Promise.resolve();
    },
    files: {
      seen: (path) => {
        const digest = seen.get(path);
        return digest === undefined ? undefined : { digest };
      },
      remember: (path, digest) => void seen.set(path, digest),
    },
    ...changes,
  };
  return {
    root,
    context,
    pre_images,
    heard,
    run: (tool, args, more = {}) => tool.run(args, { ...context, ...more }),
  };
}

export function textOf({ content }: ToolOutcome): string {
  return content.map((block) => (block.type === "text" ? block.text : `<${block.type}>`)).join("\n");
}
