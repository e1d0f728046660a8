import type { Call } from "./adapter.ts";
import { invalidArgument } from "./failure.ts";
import { rowNamed } from "./listing.ts";
import { resolve, type Resolved } from "./prepare.ts";
import { fetchJson, guard, type NetworkOptions } from "./small-calls.ts";

/** `public`: the provider answers without a key as well, so that its answer says nothing about ours. */
export type KeyCheck = "accepted" | "public";

/** Asks a provider, as cheaply as it lets us, whether it takes our key. A refusal is thrown, as is a network that fails. */
export async function checkKey(provider: string, options: NetworkOptions = {}): Promise<KeyCheck> {
  return guard(async () => {
    const row = rowNamed(provider, options);
    const resolved = await resolve(`${row.name}:${row.default_model ?? "default"}`, options);
    const call = cheapestCall(resolved);
    await fetchJson(resolved, call, options);
    if (row.key_check_path !== undefined) return "accepted";
    return (await answersAnyone(resolved, call, options)) ? "public" : "accepted";
  });
}

function cheapestCall({ row, adapter, base_url }: Resolved): Call {
  const path = row.key_check_path;
  if (path !== undefined) return { method: "GET", url: `${base_url}${path}`, headers: {}, framing: "json", notes: [] };
  if (adapter.listModels === undefined) throw invalidArgument(`${row.display_name} has nothing cheap to ask it for`);
  return adapter.listModels.encode(base_url);
}

async function answersAnyone(resolved: Resolved, call: Call, options: NetworkOptions): Promise<boolean> {
  const { key: _ours, ...provider } = resolved.provider;
  const { key: _given, ...rest } = options;
  const keyless = { ...resolved, provider, row: { ...resolved.row, key_variables: [] } };
  try {
    await fetchJson(keyless, call, rest);
    return true;
  } catch {
    return false;
  }
}
