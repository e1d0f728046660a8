import {
  cacheImpact,
  user,
  type CacheImpact,
  type Loss,
  type Message,
  type ModelChoice,
  type Replay,
} from "../core/index.ts";
import { cacheState, estimate, explain, nameModel, project, type Explanation } from "../llm/index.ts";
import { conversationOf, specOf, thinkingOf } from "./conversation.ts";
import { append, type Engine, type Live } from "./engine.ts";
import { dollars, plural, shortId, switchLines } from "./feedback.ts";
import type { AgentLimits } from "./world.ts";

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
  wish: { readonly thinking_budget?: number; readonly fallback?: readonly string[] } = {},
): Promise<ModelChoice> {
  const { provider, model, level } = await nameModel(spec, engine.world.llm);
  const { thinking_budget } = wish;
  const thinking_level = level ?? before?.thinking_level;
  const fallback = wish.fallback ?? before?.fallback;
  return {
    provider,
    model: model.id,
    ...(thinking_level === undefined ? {} : { thinking_level }),
    ...(thinking_budget === undefined ? {} : { thinking_budget }),
    ...(fallback === undefined ? {} : { fallback }),
  };
}

/** Takes effect at the next request. Says what will be sent, computed by what sends it. */
export async function switchModel(
  engine: Engine,
  live: Live,
  wish: { readonly model: string; readonly thinking_budget?: number; readonly fallback?: readonly string[] },
): Promise<Switched> {
  const before = live.replay.settings().model;
  const choice = await chooseModel(engine, wish.model, before, wish);
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

/** What a fork made, in words: who, from whom, on what, and what its first request will read. */
export async function forkLines(
  engine: Engine,
  parent: Live,
  { child, born, prompt }: { readonly child: Live; readonly born: Replay; readonly prompt: string | undefined },
): Promise<readonly string[]> {
  // It may be working already: what is told is how it began.
  const begun: Live = { ...child, replay: born };
  const [choice, before] = [born.settings().model, parent.replay.settings().model];
  const named = child.name === undefined ? "" : ` (${child.name})`;
  const head = `✓ Forked ${shortId(child.uuid)}${named} from ${shortId(parent.uuid)} at message ${born.messages().length}`;
  if (choice === undefined) return [head];
  const { lines } = await feedbackFor(engine, begun, choice, undefined);
  const conversation = await conversationOf(engine, begun);
  const asked = { ...conversation, messages: [...conversation.messages, said(prompt)] };
  const { input_tokens, cost_usd } = await estimate(specOf(choice), asked, engine.world.llm);
  const money = cost_usd === undefined ? "" : `, from $${cost_usd.min.toFixed(4)}`;
  return [
    head,
    ...lines.map((line) => line.replace(/^✓ Switched to/, "  On")),
    ...(before === undefined ? [] : [`  Parent: ${specOf(before)}${levelText(before)}`]),
    ...limitLines(child.limits),
    `  The first request reads ~${input_tokens.toLocaleString("en-US")} tokens${money}`,
  ];
}

function said(prompt: string | undefined): Message {
  return prompt === undefined ? somethingToSay : user(prompt);
}

function limitLines({ budget_usd, requests_max, depth_max }: AgentLimits): readonly string[] {
  const limits = [
    ...(budget_usd === undefined ? [] : [`${dollars(budget_usd)} with everything below it`]),
    ...(requests_max === undefined ? [] : [plural(requests_max, "request")]),
    ...(depth_max === undefined ? [] : [`${plural(depth_max, "generation")} of forks`]),
  ];
  return limits.length === 0 ? [] : [`  At most: ${limits.join(", ")}`];
}

function levelText({ thinking_level }: ModelChoice): string {
  return thinking_level === undefined ? "" : `/${thinking_level}`;
}

/** What a change of system, tools or pins makes the provider read again. */
export async function withImpact(engine: Engine, live: Live, change: () => Promise<unknown>): Promise<CacheImpact> {
  const tokens = live.last?.usage.total_tokens;
  const { model } = live.replay.settings();
  const state = async () => {
    if (model === undefined || tokens === undefined) return undefined;
    return cacheState(specOf(model), await conversationOf(engine, live), { ...engine.world.llm, tokens });
  };
  const before = await state();
  await change();
  const after = await state();
  return before === undefined || after === undefined ? noImpact : cacheImpact(before, after);
}

async function lossesFor(engine: Engine, live: Live, choice: ModelChoice): Promise<readonly Loss[]> {
  const conversation = await conversationOf(engine, live);
  const messages = [...conversation.messages, somethingToSay];
  const asked = { ...conversation, messages, thinking: thinkingOf(choice) };
  const { losses } = await project(asked, specOf(choice), engine.world.llm);
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

/** Stands for what is yet to be said: without it a history is no request. */
export const somethingToSay = user("…");

const noImpact: CacheImpact = { reason: "none", tokens: 0, message: "" };
