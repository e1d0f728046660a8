import { join } from "node:path";
import { executableTools, openMcpServers, withoutClashes } from "../agent/external/index.ts";
import { decide, type PermissionContext } from "../agent/permissions/index.ts";
import { builtInTools, sandboxFor, stopAllProcesses, toolEnvironment, type Tool } from "../agent/tools/index.ts";
import type { World as CliWorld } from "./world.ts";

export type AgentTools = {
  readonly tools: readonly Tool[];
  /** What could not be used, each with its reason. */
  readonly problems: readonly string[];
  /** Ends servers and whatever commands have left running. */
  readonly close: () => Promise<void>;
};

type Place = { readonly root: string; readonly cwd: string; readonly unattended?: "allow" | "deny" };

/** Every tool of this machine, this person and this project. */
export async function openTools(cli: CliWorld, place: Place): Promise<AgentTools> {
  const { config, paths } = cli;
  const { private_hosts, timeout_ms, env: alsoAllowed } = config.get("tools");
  const env = toolEnvironment(cli.env, alsoAllowed ?? []);
  const home = cli.env["HOME"];
  const secretFolders = home === undefined ? [] : [".ssh", ".aws", ".gnupg"].map((name) => join(home, name));
  const sandbox = sandboxFor({
    mode: config.get("sandbox"),
    path: cli.env["PATH"] ?? "",
    network: true,
    hidden: [...(paths === undefined ? [] : [paths.config_folder]), ...secretFolders],
  });
  const folders = [join(place.root, ".ikigai/tools"), ...(home === undefined ? [] : [join(home, ".ikigai/tools")])];
  const [executables, servers] = await Promise.all([
    executableTools(folders, env, (file) => mayStart(file, cli, place)),
    openMcpServers(config.get("mcp_servers") ?? {}, { env, cwd: place.root, timeout_ms }),
  ]);
  const own = builtInTools({ sandbox, private_hosts: private_hosts ?? [] });
  const { tools, problems } = withoutClashes(own, [...executables.tools, ...servers.tools]);
  return {
    tools,
    problems: [...executables.problems, ...servers.problems, ...problems],
    async close() {
      await servers.close();
      await stopAllProcesses();
    },
  };
}

/**
 * Even asking a tool what it is runs it. Those in a person's own folder are theirs; those that came with a project are run
 * only where a rule allows that very file.
 */
function mayStart(file: string, { config, env }: CliWorld, { root, cwd, unattended }: Place): boolean {
  const home = env["HOME"];
  if (home !== undefined && file.startsWith(join(home, ".ikigai/tools/"))) return true;
  const context: PermissionContext = { root, cwd, ...(home === undefined ? {} : { home }) };
  const command = `'${file.replaceAll("'", "'\\''")}' --schema`;
  const verdict = decide(
    { effect: "command", command, summary: command },
    "bash",
    config.get("permissions") ?? [],
    context,
  );
  return verdict.decision === "allow" || (verdict.decision === "ask" && !verdict.insists && unattended === "allow");
}
