import type { ListedModel } from "./adapter.ts";
import type { Failure } from "./failure.ts";
import { listModels } from "./listing.ts";
import { providerRows, resolve, type Resolved } from "./prepare.ts";
import { parseModelSpec } from "./resolve.ts";
import type { NetworkOptions } from "./small-calls.ts";

/** A server on one's own machine that answers right now. */
export type LocalServer = { readonly provider: string; readonly models: readonly ListedModel[] };

/** Asks every local server we know for its models; those that do not answer at once are not there. */
export async function localServers(options: NetworkOptions = {}): Promise<readonly LocalServer[]> {
  const rows = providerRows(options).filter((row) => row.local !== undefined);
  const signal = AbortSignal.any([AbortSignal.timeout(patienceMs), ...(options.signal ? [options.signal] : [])]);
  // A key that was given for one provider is not shown to others.
  const { key: _key, ...rest } = options;
  const asked = rows.map(async ({ name }) => ({ provider: name, models: await listModels(name, { ...rest, signal }) }));
  const answers = await Promise.allSettled(asked);
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
}

/** A model that is looked for on local servers; `error` is what else there is to say of it. */
export async function resolveLocally(spec: string, options: NetworkOptions, error: Failure): Promise<Resolved> {
  const { model, level } = parseModelSpec(spec, providerRows(options));
  const place = findLocally(model, await localServers(options));
  if (place === undefined) throw error;
  return resolve(`${place}${level === undefined ? "" : `/${level}`}`, options);
}

function findLocally(model: string, servers: readonly LocalServer[]): string | undefined {
  for (const { provider, models } of servers) {
    const found = models.find(({ id }) => plainName(id) === plainName(model));
    if (found !== undefined) return `${provider}:${found.id}`;
  }
  return undefined;
}

/** Servers add a tag, a folder or the ending of a file to a name, and leave dashes out. */
function plainName(id: string): string {
  const name = id.toLowerCase().replace(/^.*\//, "");
  return name.replace(/:latest$|\.gguf$/, "").replaceAll("-", "");
}

/** A server on this machine answers at once or not at all. */
const patienceMs = 1_000;
