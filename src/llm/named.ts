import type { ModelInfo, ThinkingLevel } from "../core/index.ts";
import { Failure } from "./failure.ts";
import { resolveLocally } from "./local-servers.ts";
import { resolve, type Resolved } from "./prepare.ts";
import { guard, type NetworkOptions } from "./small-calls.ts";

/** A name a person typed, understood: whose model it is, and the level where one was said. */
export type NamedModel = {
  readonly provider: string;
  /** The provider as people write it. */
  readonly display_name: string;
  readonly api: string;
  readonly model: ModelInfo;
  readonly level?: ThinkingLevel;
};

/** Takes `[PROVIDER:]MODEL[/LEVEL]` or an alias apart, as every call does. No key; at most local servers are asked. */
export async function nameModel(spec: string, options: NetworkOptions = {}): Promise<NamedModel> {
  return guard(async () => {
    const { row, api, model, level } = await anywhere(spec, options);
    const { name: provider, display_name } = row;
    return { provider, display_name, api: api.name, model, ...(level === undefined ? {} : { level }) };
  });
}

async function anywhere(spec: string, options: NetworkOptions): Promise<Resolved> {
  try {
    return await resolve(spec, options);
  } catch (error) {
    if (!(error instanceof Failure) || error.info.provider_code !== "retired_provider") throw error;
    return resolveLocally(spec, options, error);
  }
}
