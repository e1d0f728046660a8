import { cacheImpact, type CacheImpact, type Loss, type Message, type ModelChoice } from "../core/index.ts";
import { cacheState, explain, nameModel, project, type Explanation } from "../llm/index.ts";
import { conversationOf, specOf, thinkingOf } from "./conversation.ts";
import { append, type Engine, type Live } from "./engine.ts";
import { switchLines } from "./feedback.ts";

export type Switched = {
  readonly choice: ModelChoice;
  readonly explanation: Explanation;
  readonly losses: readonly Loss[];
  readonly cache: CacheImpact;
  /** The same in words, a line each. */
  readonly lines: readonly string[];
};

/** What a person typed; the level stays where none was said. */
export async function chooseModel(
  engine: Engine,
  spec: string,
  before: ModelChoice | undefined,
  thinking_budget?: number,
): Promise<ModelChoice> {
  const { provider, model, level } = await nameModel(spec, engine.world.llm);
  const thinking_level = level ?? before?.thinking_level;
  return {
    provider,
    model: model.id,
    ...(thinking_level === undefined ? {} : { thinking_level }),
    ...(thinking_budget === undefined ? {} : { thinking_budget }),
  };
}

/** Takes effect at the next request. Says what will be sent, computed by what sends it. */
export async function switchModel(
  engine: Engine,
  live: Live,
  wish: { readonly model: string; readonly thinking_budget?: number },
): Promise<Switched> {
  const before = live.replay.settings().model;
  const choice = await chooseModel(engine, wish.model, before, wish.thinking_budget);
  const feedback = await feedbackFor(engine, live, choice, before);
  await append(engine, live, [{ kind: "model", data: choice }]);
  live.warned.clear();
  return feedback;
}

/** What a model would be sent and would not see, without switching to it. */
export async function feedbackFor(
  engine: Engine,
  live: Live,
  choice: ModelChoice,
  before: ModelChoice | undefined,
): Promise<Switched> {
  const { llm, limits } = engine.world;
  const spec = specOf(choice);
  const named = await nameModel(spec, llm);
  const { thinking_level, thinking_budget } = choice;
  const tokens = live.last?.usage.total_tokens;
  const explanation = await explain(thinking_level === undefined ? spec : `${spec}/${thinking_level}`, {
    ...llm,
    max_output_tokens: limits.max_output_tokens,
    ...(thinking_budget === undefined ? {} : { thinking_budget }),
    ...(tokens === undefined ? {} : { context_tokens: tokens }),
  });
  const messages = live.replay.messages();
  const losses = messages.length === 0 ? [] : await lossesFor(engine, live, choice);
  const cache = before === undefined ? noImpact : await impact(engine, live, before, choice);
  const makers = await makersOf(engine, messages);
  const lines = switchLines({ explanation, provider: named.display_name, losses, messages, makers, cache });
  return { choice, explanation, losses, cache, lines };
}

async function lossesFor(engine: Engine, live: Live, choice: ModelChoice): Promise<readonly Loss[]> {
  // With a message to come, so that a history that ends with an answer is a request as well.
  const conversation = await conversationOf(engine, live);
  const { losses } = await project({ ...conversation, thinking: thinkingOf(choice) }, specOf(choice), engine.world.llm);
  return losses;
}

async function impact(engine: Engine, live: Live, before: ModelChoice, after: ModelChoice): Promise<CacheImpact> {
  const conversation = await conversationOf(engine, live);
  const tokens = live.last?.usage.total_tokens;
  // Before the first answer nothing is cached.
  if (tokens === undefined) return noImpact;
  const state = (choice: ModelChoice) =>
    cacheState(specOf(choice), { ...conversation, thinking: thinkingOf(choice) }, { ...engine.world.llm, tokens });
  return cacheImpact(await state(before), await state(after));
}

/** How the providers that wrote parts of the history are called. */
async function makersOf(engine: Engine, messages: readonly Message[]): Promise<ReadonlyMap<string, string>> {
  const origins = new Map(
    messages.flatMap((message) =>
      message.role === "assistant" ? [[message.origin.provider, message.origin] as const] : [],
    ),
  );
  const names = [...origins].map(async ([provider, origin]) => {
    const named = await nameModel(specOf(origin), engine.world.llm).catch(() => undefined);
    return [provider, named?.display_name ?? provider] as const;
  });
  return new Map(await Promise.all(names));
}

const noImpact: CacheImpact = { reason: "none", tokens: 0, message: "" };
