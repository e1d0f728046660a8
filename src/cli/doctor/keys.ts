import { ConfigError, configuredModel, maskKey, problemText } from "../../config/index.ts";
import { validateConfig, type LocalServer, type ProviderRow, type Settings } from "../../llm/index.ts";
import { candidates, keyFor, rowsWithKey, type World } from "../world.ts";
import type { Finding, Fixable } from "./finding.ts";

/** Who has a key and from where, masked; and what the library says of the settings. */
export function checkKeys(world: World): readonly Fixable[] {
  const settings = settingsOf(world);
  if (settings === undefined) return [];
  const withKey = rowsWithKey(world).flatMap((row) => keyOf(world, row));
  const missing = world.rows.filter(
    (row) => row.preset !== true && row.key_variables.length > 0 && !withKey.some(({ name }) => name === row.name),
  );
  return [
    ...withKey.map(({ message }): Finding => ({ area: "keys", severity: "ok", message })),
    ...(withKey.length === 0 ? [noKeys] : [withoutKey(missing)].flat()),
    ...checkSettings(settings, { rows: world.rows, withKey: withKey.map(({ name }) => name) }),
  ];
}

/** Which model a new agent would get, and why. */
export function checkDefaultModel(world: World, running: readonly LocalServer[]): readonly Finding[] {
  try {
    const chosen = configuredModel(world.config, candidates(world, running));
    if (chosen === undefined) return [];
    const level = chosen.thinking_level === undefined ? "" : `/${chosen.thinking_level}`;
    const why = world.config.get("default_provider") === undefined ? "the first that can be used" : "default_provider";
    return [
      { area: "model", severity: "ok", message: `new agents use ${chosen.provider}:${chosen.model}${level} (${why})` },
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // What is wrong in the files was said above; what is wrong with the choice was not.
    const told = new Set(world.problems.map(problemText));
    const news = error.problems.filter((problem) => !told.has(problemText(problem)));
    return news.map((problem): Finding => ({
      area: "model",
      severity: "error",
      message: problemText(problem),
      mend: `edit ${problem.source}`,
    }));
  }
}

function settingsOf(world: World): Settings | undefined {
  try {
    return world.options().settings;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

function keyOf(world: World, row: ProviderRow): readonly { readonly name: string; readonly message: string }[] {
  const found = keyFor(world, row);
  if (found === undefined) return [];
  return [{ name: row.name, message: `${row.name}: ${maskKey(found.key)} from ${found.source}` }];
}

function withoutKey(rows: readonly ProviderRow[]): readonly Finding[] {
  if (rows.length === 0) return [];
  const names = rows.map(({ name }) => name).join(", ");
  return [{ area: "keys", severity: "info", message: `none for ${names}`, mend: "ikigai login PROVIDER" }];
}

/** A provider without a key may still be set up wrongly; what is wrong in the files was said with the files. */
function checkSettings(
  settings: Settings,
  { rows, withKey }: { readonly rows: readonly ProviderRow[]; readonly withKey: readonly string[] },
): readonly Finding[] {
  const told = Object.entries(settings.providers ?? {}).filter(([, one]) => one?.problem ?? one?.key_problem);
  return validateConfig(settings, { providers: rows })
    .filter(({ provider }) => !told.some(([name]) => name === provider))
    .filter(({ provider, severity }) => severity === "error" || (severity === "warning" && withKey.includes(provider)))
    .map(({ provider, severity, message }) =>
      provider === ""
        ? { area: "config", severity, message, mend: "edit config.json" }
        : { area: "keys", severity, message: `${provider}: ${message}` },
    );
}

const noKeys: Finding = {
  area: "keys",
  severity: "warning",
  message: "no provider has a key",
  mend: "ikigai login PROVIDER, or set a variable such as those `ikigai login` names; sim-echo needs none",
};
