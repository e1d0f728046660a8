import { statSync } from "node:fs";
import { nearestWord } from "../core/index.ts";
import {
  ConfigError,
  findPaths,
  findStoredKey,
  loadConfig,
  loadCredentials,
  problemText,
  settingsFrom,
  splitLevel,
  type Candidate,
  type Config,
  type Credentials,
  type Environment,
  type FoundKey,
  type Paths,
  type Problem,
} from "../config/index.ts";
import {
  builtinProviders,
  defineProvider,
  providerFromConfig,
  quirkProblems,
  type LocalServer,
  type PrepareOptions,
  type ProviderRow,
  type Settings,
} from "../llm/index.ts";
import { simProvider } from "../testing/sim/index.ts";
import type { Io } from "./io.ts";

/** What this machine and this person have set, put together for a command. */
export type World = {
  readonly env: Environment;
  readonly paths: Paths | undefined;
  readonly config: Config;
  /** As they are now: a key may be added or changed from another terminal while the program runs. */
  readonly credentials: Credentials;
  /** Every provider: built in, in the order in which a default is looked for, simulated, and the person's own. */
  readonly rows: readonly ProviderRow[];
  /** Everything wrong or strange in the files. */
  readonly problems: readonly Problem[];
  /** For calls of the library. Throws a `ConfigError` where what every call needs is wrong. */
  readonly options: () => PrepareOptions & { readonly settings: Settings };
};

export async function openWorld(io: Io): Promise<World> {
  const env = io.env ?? {};
  const paths = io.env === undefined ? undefined : findPaths(io.env);
  const config = loadConfig(paths?.config_file, env);
  const current = currentCredentials(paths?.credentials_file);
  const credentials = current();
  const own = await Promise.all(config.provider_names.map((name) => ownProvider(config, name)));
  const ownRows = own.flatMap(({ row }) => (row === undefined ? [] : [row]));
  const given = [...builtinProviders.map((row) => withDefaultModel(config, row)), simProvider()];
  const rows = [...given.filter(({ name }) => !ownRows.some((row) => row.name === name)), ...ownRows];
  const ownProblems = own.flatMap(({ problems }) => problems);
  // Where two claim the same names of models, the person's own wins.
  const providers = [...ownRows, ...rows.filter((row) => !ownRows.includes(row))];
  let made: { readonly of: Credentials; readonly options: ReturnType<World["options"]> } | undefined;
  return {
    env,
    paths,
    config,
    get credentials() {
      return current();
    },
    rows,
    problems: [...config.problems, ...ownProblems, ...credentials.problems, ...strangers(credentials, rows)],
    options: () => {
      const now = current();
      if (made?.of !== now) {
        const settings = withProblems(settingsFrom({ config, credentials: now, env }, rows), ownProblems);
        made = { of: now, options: { settings, providers } };
      }
      return made.options;
    },
  };
}

/** The same object as long as the file is the same. */
function currentCredentials(file: string | undefined): () => Credentials {
  const stamp = (): string => {
    try {
      const { mtimeMs = 0, size = 0, ino = 0 } = statSync(file ?? "", { throwIfNoEntry: false }) ?? {};
      return `${mtimeMs} ${size} ${ino}`;
    } catch {
      // A folder that cannot be looked into: what is wrong with it was said when the file was read.
      return "";
    }
  };
  let known = { credentials: loadCredentials(file), stamp: stamp() };
  return () => {
    const now = stamp();
    if (now !== known.stamp) known = { credentials: loadCredentials(file), stamp: now };
    return known.credentials;
  };
}

/**
 * Who a default is looked for with, in order: providers that have a key, and local servers of which it is known that they
 * run, with the first model they list.
 */
export function candidates(world: World, running: readonly LocalServer[] = []): readonly Candidate[] {
  return world.rows.map((row) => {
    const server = running.find(({ provider }) => provider === row.name);
    const default_model = row.default_model ?? server?.models[0]?.id;
    return {
      name: row.name,
      ...(default_model === undefined ? {} : { default_model }),
      usable: server !== undefined || keyFor(world, row) !== undefined,
    };
  });
}

/** A provider's key and where it is from. One that cannot be read is none here; the problem is told with its file. */
export function keyFor({ env, credentials }: World, row: ProviderRow): FoundKey | undefined {
  try {
    return findStoredKey(row, env, credentials);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/**
 * Who has a key of their own. A preset that would take another provider's key is another way to the same account: it can
 * be named, and is not asked or listed beside it.
 */
export function rowsWithKey(world: World): readonly ProviderRow[] {
  const keys = new Map(world.rows.map((row) => [row, keyFor(world, row)?.key]));
  const taken = new Set(world.rows.flatMap((row) => (row.preset === true ? [] : [keys.get(row)])));
  return world.rows.filter((row) => {
    const key = keys.get(row);
    return key !== undefined && (row.preset !== true || !taken.has(key));
  });
}

/** Says once what is strange; what is wrong is said by whoever needs it. */
export function announce(world: World, io: Io): void {
  for (const problem of world.problems) {
    if (problem.severity === "warning") io.stderr(`ikigai: warning: ${problemText(problem)}\n`);
  }
}

type OwnProvider = { readonly row?: ProviderRow; readonly problems: readonly Problem[] };

/** A row for an entry that describes a new provider. A wrong one has a row, too: its models must not seem unknown. */
async function ownProvider(config: Config, name: string): Promise<OwnProvider> {
  const isBuiltIn = builtinProviders.some((row) => row.name === name);
  const problem = (severity: Problem["severity"], message: string, key = ""): Problem => {
    const path = ["providers", name, ...(key === "" ? [] : key.split("."))];
    const place = config.placeOf(path) ?? config.placeOf(path.slice(0, 2));
    return { severity, source: config.file, ...(place === undefined ? {} : { place }), path, message };
  };
  try {
    const provider = config.provider(name);
    if (provider.protocol === undefined) {
      return isBuiltIn ? { problems: [] } : { problems: [problem("warning", unknownProvider(name))] };
    }
    const row = providerFromConfig(name, provider);
    if ("problems" in row) {
      return {
        row: placeholder(name),
        problems: row.problems.map(({ key, message }) => problem("error", message, key)),
      };
    }
    const quirks = Object.fromEntries(Object.entries(provider.quirks ?? {}));
    const doubts = await quirkProblems(provider.protocol, quirks);
    return { row, problems: doubts.map(({ key, message }) => problem("warning", message, key)) };
  } catch (error) {
    // What is wrong in it is among the problems of the file.
    if (error instanceof ConfigError) return isBuiltIn ? { problems: [] } : { row: placeholder(name), problems: [] };
    throw error;
  }
}

function placeholder(name: string): ProviderRow {
  return defineProvider({ name, protocol: "chat", base_url: "http://invalid.invalid" });
}

function unknownProvider(name: string): string {
  const nearest = nearestWord(
    name,
    builtinProviders.map((row) => row.name),
  );
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return `no provider has this name${hint} A provider of your own needs "protocol" and "base_url"`;
}

/** `PROVIDER:` alone stands for the model the person has chosen for it. */
function withDefaultModel(config: Config, row: ProviderRow): ProviderRow {
  try {
    const { default_model } = config.provider(row.name);
    return default_model === undefined ? row : { ...row, default_model: splitLevel(row.name, default_model).model };
  } catch (error) {
    if (error instanceof ConfigError) return row;
    throw error;
  }
}

function strangers(credentials: Credentials, rows: readonly ProviderRow[]): readonly Problem[] {
  const known = rows.map(({ name }) => name);
  return credentials.names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = nearestWord(name, known);
      const message = `no provider has this name${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
      return { severity: "warning", source: credentials.file, path: [name], message };
    });
}

function withProblems(settings: Settings, problems: readonly Problem[]): Settings {
  const errors = problems.filter(({ severity }) => severity === "error");
  const entries = errors.map((problem) => [String(problem.path[1]), { problem: problemText(problem) }] as const);
  return { ...settings, providers: { ...settings.providers, ...Object.fromEntries(entries) } };
}
