import { checkKey, IkigaiError, localServers } from "../../llm/index.ts";
import { ConfigError } from "../../config/index.ts";
import type { Io } from "../io.ts";
import type { World } from "../world.ts";
import type { Finding } from "./finding.ts";

/** Asks every provider that has a key whether it takes it, and looks which local servers run. */
export async function checkNetwork(world: World, io: Io): Promise<readonly Finding[]> {
  let options: ReturnType<World["options"]>;
  try {
    options = world.options();
  } catch (error) {
    // Said with the files.
    if (error instanceof ConfigError) return [];
    throw error;
  }
  const calls = { ...options, ...(io.fetch === undefined ? {} : { fetch: io.fetch }) };
  const withKey = world.rows.filter(
    ({ name, local }) => local === undefined && options.settings.providers?.[name]?.key,
  );
  const asked = withKey.map(async ({ name }): Promise<Finding> => {
    try {
      const result = await checkKey(name, calls);
      const message =
        result === "accepted"
          ? `${name}: the key is accepted`
          : `${name}: answers; whether the key is good shows at first use`;
      return { area: "network", severity: "ok", message };
    } catch (error) {
      if (!(error instanceof IkigaiError)) throw error;
      const { category, message } = error;
      return {
        area: "network",
        severity: "error",
        message: `${name}: ${category}: ${message}`,
        mend: mendFor(name, category),
      };
    }
  });
  const [remote, local] = await Promise.all([Promise.all(asked), localServers(calls)]);
  return [
    ...remote,
    ...local.map(({ provider, models }): Finding => ({
      area: "network",
      severity: "ok",
      message: `${provider}: runs on this machine with ${models.length} models`,
    })),
  ];
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
