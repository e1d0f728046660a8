import { checkKey, IkigaiError, localServers, type CallOptions, type LocalServer } from "../../llm/index.ts";
import { ConfigError } from "../../config/index.ts";
import type { Io } from "../io.ts";
import { rowsWithKey, type World } from "../world.ts";
import type { Finding } from "./finding.ts";

export type NetworkFindings = { readonly findings: readonly Finding[]; readonly running: readonly LocalServer[] };

/** Asks every provider that has a key whether it takes it, and looks which local servers run. */
export async function checkNetwork(world: World, io: Io): Promise<NetworkFindings> {
  const options = callOptions(world, io);
  if (options === undefined) return { findings: [], running: [] };
  const withKey = rowsWithKey(world).filter(({ local }) => local === undefined);
  const [remote, running] = await Promise.all([
    Promise.all(withKey.map(({ name }) => askProvider(name, options))),
    localServers(options),
  ]);
  const local = running.map(({ provider, models }): Finding => {
    const message = `${provider}: runs on this machine; models: ${models.length}`;
    return { area: "network", severity: "ok", message };
  });
  return { findings: [...remote, ...local], running };
}

/** Undefined: what is wrong was said with the files. */
function callOptions(world: World, io: Io): CallOptions | undefined {
  try {
    return { ...world.options(), ...(io.fetch === undefined ? {} : { fetch: io.fetch }) };
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

async function askProvider(name: string, options: CallOptions): Promise<Finding> {
  try {
    const result = await checkKey(name, options);
    const said = result === "accepted" ? "the key is accepted" : "answers; whether the key is good shows at first use";
    return { area: "network", severity: "ok", message: `${name}: ${said}` };
  } catch (error) {
    if (!(error instanceof IkigaiError)) throw error;
    const { category, message } = error;
    const mend = mendFor(name, category);
    return { area: "network", severity: "error", message: `${name}: ${category}: ${message}`, mend };
  }
}

function mendFor(provider: string, category: IkigaiError["category"]): string {
  switch (category) {
    case "auth":
      return `ikigai login ${provider} --check; a variable of the environment comes before the stored key`;
    case "billing":
      return "look at the account: the key is right, the money is not";
    case "network":
    case "timeout":
      return "look at the connection, HTTPS_PROXY, and base_url of the provider";
    case "not_found":
      return `look at base_url of ${provider}`;
    case "rate_limit":
    case "overloaded":
    case "server":
      return "try again later: the provider is busy";
    case "invalid_request":
    case "context_length":
    case "content_filter":
    case "aborted":
    case "invalid_argument":
    case "unknown":
      return `look at the settings of ${provider}`;
  }
}
