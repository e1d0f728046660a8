import type { ModelInfo } from "../core/index.ts";
import { IkigaiError, listModels, localServers, modelInfo, type ListedModel } from "../llm/index.ts";
import type { Io } from "./io.ts";
import { rowsWithKey, type World } from "./world.ts";

export type LiveList = {
  /** What the providers list, with what the registry knows or assumes (`unknown`) of each. */
  readonly models: readonly ModelInfo[];
  /** Who was asked and answered. */
  readonly answered: readonly string[];
  readonly failures: readonly Failed[];
};

type Failed = { readonly provider: string; readonly error: IkigaiError };
type Listed = { readonly provider: string; readonly models: readonly ListedModel[] };

/** Asks every provider that has a key, and every local server that runs, all at the same time. */
export async function liveModels(world: World, io: Io): Promise<LiveList> {
  const options = { ...world.options(), ...(io.fetch === undefined ? {} : { fetch: io.fetch }) };
  const own = rowsWithKey(world);
  const withKey = world.rows.filter((row) => {
    const unreadable = options.settings.providers?.[row.name]?.key_problem !== undefined;
    return row.local === undefined && (unreadable || own.includes(row));
  });
  const asked = withKey.map(async ({ name }): Promise<Listed | Failed> => {
    try {
      return { provider: name, models: await listModels(name, options) };
    } catch (error) {
      if (error instanceof IkigaiError) return { provider: name, error };
      throw error;
    }
  });
  const [remote, local] = await Promise.all([Promise.all(asked), localServers(options)]);
  const lists = [...remote.flatMap((answer) => ("models" in answer ? [answer] : [])), ...local];
  const models = lists.flatMap(({ provider, models }) => models.map((model) => withFacts(provider, model, world)));
  return {
    models: await Promise.all(models),
    answered: lists.map(({ provider }) => provider),
    failures: remote.flatMap((answer) => ("error" in answer ? [answer] : [])),
  };
}

/** What the provider says of a model holds where it says something. */
async function withFacts(provider: string, listed: ListedModel, world: World): Promise<ModelInfo> {
  const info = await modelInfo(`${provider}:${listed.id}`, world.options());
  const { context_tokens, output_tokens_max, ...rest } = listed;
  return {
    ...info,
    ...rest,
    context_tokens: context_tokens ?? info.context_tokens,
    output_tokens_max: output_tokens_max ?? info.output_tokens_max,
  };
}
