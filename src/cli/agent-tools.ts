import { join } from "node:path";
import { executableTools, openMcpServers, withoutClashes } from "../agent/external/index.ts";
import { decide, privateFoldersFor, type PermissionContext } from "../agent/permissions/index.ts";
import {
  builtInTools,
  findBubblewrap,
  sandboxFor,
  stopAllProcesses,
  toolEnvironment,
  type Tool,
} from "../agent/tools/index.ts";
import type { World as CliWorld } from "./world.ts";

export type AgentTools = {
  readonly tools: readonly Tool[];
  /** What could not be used, each with its reason. */
  readonly problems: readonly string[];
  /** What a person should know before commands are run. */
  readonly warnings: readonly string[];
  /** Ends servers and whatever commands have left running. */
  readonly close: () => Promise<void>;
};

type Place = {
  readonly root: string;
  readonly cwd: string;
  readonly unattended?: "allow" | "deny";
  /** Nobody waits for servers any more. */
  readonly signal?: AbortSignal;
};

/** Every tool of this machine, this person and this project. */
export async function openTools(cli: CliWorld, place: Place): Promise<AgentTools> {
  const { config } = cli;
  const { private_hosts, timeout_ms, env: alsoAllowed } = config.get("tools");
  const env = toolEnvironment(cli.env, alsoAllowed ?? []);
  const home = cli.env["HOME"];
  const sandbox = openSandbox(cli, place);
  const folders = [join(place.root, ".ikigai/tools"), ...(home === undefined ? [] : [join(home, ".ikigai/tools")])];
  const [executables, servers] = await Promise.all([
    executableTools(folders, env, {
      mayStart: (file) => mayStart(file, cli, place),
      sandboxOf: (file) => (isOwn(file, cli) ? undefined : sandbox.run),
    }),
    openMcpServers(config.get("mcp_servers") ?? {}, {
      env,
      cwd: place.root,
      timeout_ms,
      ...(place.signal === undefined ? {} : { signal: place.signal }),
    }),
  ]);
  const private_folders = privateFoldersFor({ root: place.root, private_folders: privateFolders(cli) });
  const own = builtInTools({ sandbox: sandbox.run, private_hosts: private_hosts ?? [], private_folders });
  const { tools, problems } = withoutClashes(own, [...executables.tools, ...servers.tools]);
  return {
    tools,
    problems: [...executables.problems, ...servers.problems, ...problems],
    warnings: sandbox.warnings,
    async close() {
      await servers.close();
      await stopAllProcesses();
    },
  };
}

/** Where settings, keys and histories of ours are. */
export function privateFolders({ paths }: CliWorld): readonly string[] {
  return paths === undefined ? [] : [...new Set([paths.config_folder, paths.data_folder])];
}

/** Where nobody looks at commands before they run, they are kept apart from what is not theirs, if that is possible. */
function openSandbox(
  cli: CliWorld,
  { unattended }: Place,
): { readonly run: ReturnType<typeof sandboxFor>; readonly warnings: readonly string[] } {
  const isFree = unattended === "allow";
  const mode = cli.config.get("sandbox") ?? (isFree ? "auto" : "off");
  const path = cli.env["PATH"] ?? "";
  const home = cli.env["HOME"];
  const below = (names: readonly string[]): readonly string[] =>
    home === undefined ? [] : names.map((name) => join(home, name));
  const hidden = [...privateFolders(cli), ...below(secretPlaces)];
  const run = sandboxFor({ mode, path, network: true, hidden, scratch: below(scratchPlaces) });
  const isBare = mode === "auto" && isFree && findBubblewrap(path) === undefined;
  return { run, warnings: isBare ? [bareWarning] : [] };
}

const bareWarning =
  "bubblewrap does not work here, so commands can read whatever you can, keys included; install it, or set sandbox to " +
  "require (no commands without it) or off (no such warning)";

const secretPlaces = [
  ".ssh",
  ".aws",
  ".azure",
  ".gnupg",
  ".kube",
  ".docker",
  ".password-store",
  ".config/gh",
  ".config/gcloud",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".git-credentials",
];

/** Without these many a build fails; what they hold is fetched or made again. */
const scratchPlaces = [".cache", ".npm"];

/**
 * Even asking a tool what it is runs it. Those in a person's own folder are theirs; those that came with a project are run
 * only where a rule allows that very file.
 */
function mayStart(file: string, { config, env }: CliWorld, { root, cwd, unattended }: Place): boolean {
  const home = env["HOME"];
  if (isOwn(file, { env })) return true;
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

/** A person's own tools run as the person does; those of a project where its commands run: whoever wrote them is not known. */
function isOwn(file: string, { env }: Pick<CliWorld, "env">): boolean {
  const home = env["HOME"];
  return home !== undefined && file.startsWith(join(home, ".ikigai/tools/"));
}
