import { isJsonObject, type JsonObject } from "../core/index.ts";
import { checkFile } from "./checked-file.ts";
import { editJsonFile, isPrivate, modeOf, readJsonFile } from "./files.ts";
import { credentialsShape, type CredentialsData } from "./keys.ts";
import type { Environment } from "./paths.ts";
import type { Problem } from "./problem.ts";

/** What `credentials.json` holds. Loading never fails; what is wrong is thrown when that key is asked for. */
export type Credentials = {
  readonly file: string;
  readonly exists: boolean;
  readonly problems: readonly Problem[];
  /** The stored key of a provider. Throws a `ConfigError` where the entry is wrong. */
  readonly key: (provider: string) => string | undefined;
  /** Providers with an entry, also a wrong one. */
  readonly names: readonly string[];
};

/** Without a file there are no keys. */
export function loadCredentials(path: string | undefined): Credentials {
  const file = path ?? "credentials.json";
  const read = readJsonFile(path);
  const checked = checkFile<CredentialsData>(credentialsShape, read, { file });
  return {
    file,
    exists: read.state !== "absent",
    problems: [...(read.state === "absent" ? [] : tooOpen(file)), ...checked.problems],
    key(provider) {
      const data = checked.demand([provider]);
      return Object.hasOwn(data, provider) ? data[provider]?.api_key : undefined;
    },
    names: read.state === "read" && isJsonObject(read.json.value) ? Object.keys(read.json.value) : [],
  };
}

/** Who has a key, and from where. The environment comes before the file. */
export type FoundKey = { readonly key: string; readonly source: string };

export function findStoredKey(
  provider: { readonly name: string; readonly key_variables: readonly string[] },
  env: Environment,
  credentials: Credentials,
): FoundKey | undefined {
  for (const variable of provider.key_variables) {
    const key = env[variable]?.trim();
    if (key !== undefined && key !== "") return { key, source: variable };
  }
  const key = credentials.key(provider.name);
  return key === undefined ? undefined : { key, source: credentials.file };
}

/** Keeps everything else in the file, also what is not ours. */
export function storeKey(file: string, provider: string, key: string): void {
  const edit = (value: JsonObject): JsonObject => {
    const entry = value[provider];
    return { ...value, [provider]: { ...(isJsonObject(entry) ? entry : {}), api_key: key } };
  };
  editJsonFile(file, edit, secretMode);
}

/** False: there was none. */
export function removeKey(file: string, provider: string): boolean {
  const edit = (value: JsonObject): JsonObject | undefined => {
    if (!Object.hasOwn(value, provider)) return undefined;
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== provider));
  };
  return editJsonFile(file, edit, secretMode);
}

/** Enough to recognise a key by, and nothing to use. */
export function maskKey(key: string): string {
  return key.length < 20 ? "…" : `…${key.slice(-4)}`;
}

function tooOpen(file: string): readonly Problem[] {
  const mode = modeOf(file);
  if (mode === undefined || isPrivate(file)) return [];
  const message = `others may read it (mode ${mode.toString(8).padStart(4, "0")}, should be 0600); run \`ikigai doctor --fix\``;
  return [{ severity: "warning", source: file, path: [], message }];
}

const secretMode = 0o600;
