import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { defaultLimits, readPinned, readPrompt, type Limits, type Permissions, type World } from "../agent/index.ts";
import { sessionPermissions } from "../agent/permissions/index.ts";
import { toolEnvironment } from "../agent/tools/index.ts";
import { addConfigItems, configuredModel } from "../config/index.ts";
import { errorInfo } from "../core/index.ts";
import { IkigaiError, localServers } from "../llm/index.ts";
import type { Store } from "../store/index.ts";
import { privateFolders } from "./agent-tools.ts";
import type { Io } from "./io.ts";
import { candidates, type World as CliWorld } from "./world.ts";

/** What agents of this program may touch, as this machine and this person have set it. */
export function agentWorld(
  cli: CliWorld,
  io: Io,
  own: {
    readonly store: Store;
    readonly cwd: string;
    readonly model?: string;
    readonly limits?: Partial<Limits>;
    readonly unattended?: World["unattended"];
    /** Those there are by now, and when there will be all of them. */
    readonly tools: { readonly now: () => World["tools"]; readonly ready?: () => Promise<void> };
  },
): World {
  const { store, cwd, model, unattended, tools } = own;
  const root = projectRoot(cwd);
  return {
    store,
    /** Asked for at each request: keys may have changed. */
    get llm() {
      return { ...cli.options(), ...(io.fetch === undefined ? {} : { fetch: io.fetch }) };
    },
    ...(model === undefined ? {} : { model }),
    limits: { ...limitsFrom(cli), ...own.limits },
    get tools() {
      return tools.now();
    },
    ...(tools.ready === undefined ? {} : { toolsReady: tools.ready }),
    permissions: permissionsOf(cli, { root, cwd, unattended }),
    tool_env: toolEnvironment(cli.env, cli.config.get("tools").env ?? []),
    cwd,
    root,
    now: Date.now,
    prompt: (folder) => readPrompt(folder, cli.env["HOME"] === undefined ? {} : { home: cli.env["HOME"] }),
    readPin: (path) => readPinned(cwd, path),
    providerPrompt: (provider) => cli.config.provider(provider).system,
    ...(unattended === undefined ? {} : { unattended }),
    sleep: (delay_ms, signal) => wait(delay_ms, undefined, { signal }).catch(() => undefined),
  };
}

/** The model for new agents: as set, else of the first provider with a key, else of a local server. Never simulated. */
export async function defaultModel(cli: CliWorld): Promise<string> {
  const real = (running: Parameters<typeof candidates>[1]) =>
    candidates(cli, running).filter(
      ({ name }) => name !== simulated || cli.config.get("default_provider") === simulated,
    );
  const chosen =
    configuredModel(cli.config, real([])) ?? configuredModel(cli.config, real(await localServers(cli.options())));
  if (chosen !== undefined) {
    const level = chosen.thinking_level === undefined ? "" : `/${chosen.thinking_level}`;
    return `${chosen.provider === undefined ? "" : `${chosen.provider}:`}${chosen.model}${level}`;
  }
  const variables = cli.rows
    .filter(({ preset }) => preset !== true)
    .flatMap(({ key_variables }) => key_variables.slice(0, 1));
  const message =
    `No key for any provider: set one of ${variables.join(", ")}, run \`ikigai login\`, or start a local server. ` +
    "Without a key, `--model sim-echo` answers by rule.";
  throw new IkigaiError(errorInfo({ category: "auth", message, provider_code: "missing_key" }));
}

function limitsFrom({ config }: CliWorld): Limits {
  const { session_usd, day_usd } = config.get("budget");
  const { running_max, depth_max, total_max } = config.get("agents");
  const { timeout_ms, shown_bytes } = config.get("tools");
  return {
    ...defaultLimits,
    max_tool_turns: config.get("max_tool_turns"),
    compact_auto: config.get("compact").auto,
    max_output_tokens: config.get("max_output_tokens"),
    stored_bytes: config.get("max_output_size"),
    running_max,
    depth_max,
    agents_max: total_max,
    tool_timeout_ms: timeout_ms,
    shown_bytes,
    session_usd,
    ...(day_usd === undefined ? {} : { day_usd }),
  };
}

/** The nearest folder with a repository in it, or this one. */
export function projectRoot(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return cwd;
  }
}

type Place = { readonly root: string; readonly cwd: string; readonly unattended: World["unattended"] };

/** The rules of the configuration, and what a person answers; an "always" is written beside them. */
function permissionsOf(cli: CliWorld, { root, cwd, unattended }: Place): Permissions {
  const { config, paths, env } = cli;
  return sessionPermissions({
    rules: config.get("permissions") ?? [],
    context: {
      root,
      cwd,
      ...(env["HOME"] === undefined ? {} : { home: env["HOME"] }),
      private_folders: privateFolders(cli),
    },
    keep(rules) {
      if (paths === undefined) return;
      const items = rules.map((rule) => ({ ...rule }));
      addConfigItems(paths.config_file, "permissions", items);
    },
    ...(unattended === undefined ? {} : { unattended }),
  });
}

const simulated = "sim";
