import { bashTool, type Sandbox } from "./bash.ts";
import { fileEdit } from "./file-edit.ts";
import { fileRead } from "./file-read.ts";
import { fileWrite } from "./file-write.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { webFetchTool, type WebOptions } from "./web-fetch.ts";
import type { Tool } from "./types.ts";

export { toolEnvironment } from "./environment.ts";
export { findBubblewrap, sandboxFor } from "./sandbox.ts";
export { stopAllProcesses } from "./processes.ts";
export type * from "./types.ts";

export type ToolOptions = WebOptions & {
  readonly sandbox?: Sandbox;
  /** Folders of ours, which no search shows anything of. */
  readonly private_folders?: readonly string[];
};

/** The tools that come with us, without those that need the agents themselves. */
export function builtInTools(options: ToolOptions = {}): readonly Tool[] {
  const { sandbox, private_folders } = options;
  const searching = [globTool(private_folders), grepTool(private_folders)];
  return [bashTool(sandbox), fileRead, fileWrite, fileEdit, ...searching, webFetchTool(options)];
}

/** The tools of these names, in the order of `tools`; `unknown` are names that nobody has. */
export function toolset(
  tools: readonly Tool[],
  names: readonly string[],
): { readonly tools: readonly Tool[]; readonly unknown: readonly string[] } {
  const known = new Set(tools.map(({ definition }) => definition.name));
  return {
    tools: tools.filter(({ definition }) => names.includes(definition.name)),
    unknown: names.filter((name) => !known.has(name)),
  };
}
