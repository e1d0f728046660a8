import {
  costOf,
  errorInfo,
  type Conversation,
  type ErrorCategory,
  type ErrorInfo,
  type FallbackEvent,
  type Hop,
  type ModelInfo,
  type Origin,
  type StreamEvent,
  type Usage,
} from "../core/index.ts";
import type { Prepared } from "./answer.ts";
import { failureInfo } from "./decode.ts";
import type { Exchange } from "./exchange.ts";
import type { Resolved } from "./prepare.ts";

/**
 * Which failures the next model of a chain is asked after. `other_provider`: not one of the same provider, where the
 * same key would meet the same fate. Whatever is not here would fail everywhere, or is what the caller wanted.
 */
export const hopsAfter: { readonly [category in ErrorCategory]?: "next" | "other_provider" } = {
  rate_limit: "next",
  overloaded: "next",
  server: "next",
  timeout: "next",
  network: "next",
  not_found: "next",
  billing: "other_provider",
  auth: "other_provider",
};

export type ChainOptions = {
  /** The model that was asked for, then the others in their order. */
  readonly chain: readonly string[];
  readonly conversation: Conversation;
  readonly resolve: (spec: string) => Promise<Resolved>;
  readonly prepare: (resolved: Resolved, conversation: Conversation) => Promise<Exchange>;
};

/** A chain of models as one exchange: each is asked once, and only as long as nothing was heard of the one before. */
export function prepareChain(options: ChainOptions): Prepared {
  const state: State = { options, position: 0, tried: new Set(), hops: [], spoken: false, aborted: false };
  return {
    facts: () => state.current?.exchange.facts,
    hops: () => state.hops,
    run: {
      next: () => nextBatch(state),
      abort(reason) {
        state.aborted = true;
        state.current?.exchange.run.abort(reason);
      },
      response: () => state.current?.exchange.run.response(),
    },
  };
}

type State = {
  readonly options: ChainOptions;
  /** Where in the chain we are. */
  position: number;
  /** `provider:model` of all that were asked. */
  readonly tried: Set<string>;
  readonly hops: Hop[];
  current?: Current | undefined;
  /** The last try failed before it could begin, or its turn has come and it is known already. */
  waiting?: Entry | undefined;
  spoken: boolean;
  aborted: boolean;
  over?: boolean;
};
type Current = {
  readonly entry: Entry & { readonly resolved: Resolved };
  readonly group: Group;
  readonly exchange: Exchange;
};
type Entry = { readonly spec: string; readonly resolved?: Resolved; readonly error?: ErrorInfo };
/** Models of one provider that it tries itself, one after the other. */
type Group = readonly (Entry & { readonly resolved: Resolved })[];

async function nextBatch(state: State): Promise<readonly StreamEvent[] | undefined> {
  if (state.over === true) return undefined;
  if (state.current === undefined) {
    const error = await begin(state);
    if (error !== undefined) return failed(state, [], { type: "error", error });
  }
  const { current } = state;
  const batch = await current?.exchange.run.next();
  if (batch === undefined || current === undefined || state.spoken) return batch;
  const last = batch.at(-1);
  if (batch.some(isContent) || last?.type === "done") {
    state.spoken = true;
    return servedBy(state, current, batch);
  }
  return last?.type === "error" ? failed(state, batch.slice(0, -1), last) : servedBy(state, current, batch);
}

/** Prepares the model whose turn it is. Gives the reason where that is not possible. */
async function begin(state: State): Promise<ErrorInfo | undefined> {
  const { options, position } = state;
  const entry = state.waiting ?? (await entryAt(options, position));
  state.waiting = undefined;
  const { spec, resolved, error } = entry;
  if (resolved === undefined) return error;
  state.tried.add(nameOf(resolved));
  try {
    const group = await groupOf(state, { spec, resolved });
    for (const member of group) state.tried.add(nameOf(member.resolved));
    const exchange = await options.prepare(resolved, withModels(options.conversation, resolved, group));
    state.current = { entry: { spec, resolved }, group, exchange };
    if (state.aborted) exchange.run.abort();
    return undefined;
  } catch (thrown) {
    state.waiting = entry;
    return failureInfo(thrown);
  }
}

async function entryAt({ chain, resolve }: ChainOptions, position: number): Promise<Entry> {
  const spec = chain[position] ?? "";
  try {
    return { spec, resolved: await resolve(spec) };
  } catch (thrown) {
    return { spec, error: failureInfo(thrown) };
  }
}

/** Ends the stream, or tells of the hop and goes on with the next that may be asked. */
async function failed(
  state: State,
  before: readonly StreamEvent[],
  { error, usage }: { readonly type: "error"; readonly error: ErrorInfo; readonly usage?: Usage },
): Promise<readonly StreamEvent[]> {
  const { current, options, waiting } = state;
  const from = current?.entry ?? waiting;
  const next = state.aborted ? undefined : await nextEntry(state, error, from?.resolved);
  if (next === undefined) {
    state.over = true;
    return [...before, { type: "error", error, ...(usage === undefined ? {} : { usage }) }];
  }
  const cost_usd = usage === undefined || from?.resolved === undefined ? undefined : costOf(usage, from.resolved.model);
  const hop: Hop = {
    from: from?.spec ?? options.chain[0] ?? "",
    to: next.spec,
    error,
    ...(usage === undefined ? {} : { usage }),
    ...(cost_usd === undefined ? {} : { cost_usd }),
  };
  state.hops.push(hop);
  state.current = undefined;
  state.waiting = next;
  return [...before, { type: "fallback", ...hop }];
}

async function nextEntry(state: State, error: ErrorInfo, from: Resolved | undefined): Promise<Entry | undefined> {
  const rule = hopsAfter[error.category];
  if (rule === undefined) return undefined;
  const { chain } = state.options;
  while (state.position + 1 < chain.length) {
    state.position += 1;
    const entry = await entryAt(state.options, state.position);
    const { resolved } = entry;
    if (resolved === undefined) return entry;
    const isBarred = rule === "other_provider" && resolved.row.name === from?.row.name;
    if (!isBarred && !state.tried.has(nameOf(resolved))) return entry;
  }
  return undefined;
}

/**
 * The entries after this one that the same provider can try by itself: at the same level, and only while the history
 * holds nothing that one model alone may see again.
 */
async function groupOf({ options, position, tried }: State, { resolved }: Current["entry"]): Promise<Group> {
  if (resolved.api.fallback_field === undefined || hasSealed(options.conversation, resolved.row.name)) return [];
  const group: Current["entry"][] = [];
  for (const spec of options.chain.slice(position + 1)) {
    const { resolved: other } = await entryAt({ ...options, chain: [spec] }, 0);
    if (other === undefined || other.row.name !== resolved.row.name || other.level !== resolved.level) break;
    const isKnown = tried.has(nameOf(other)) || group.some((member) => nameOf(member.resolved) === nameOf(other));
    if (!isKnown) group.push({ spec, resolved: other });
  }
  return group;
}

function hasSealed({ messages }: Conversation, provider: string): boolean {
  return messages.some(
    ({ role, content }) =>
      role === "assistant" && content.some((block) => "opaque" in block && block.opaque?.provider === provider),
  );
}

function withModels(conversation: Conversation, { row, api }: Resolved, group: Group): Conversation {
  if (group.length === 0 || api.fallback_field === undefined) return conversation;
  const { name } = row;
  const own = conversation.provider_options?.[name] ?? {};
  const models = { [api.fallback_field]: group.map((member) => member.resolved.model.id) };
  return { ...conversation, provider_options: { ...conversation.provider_options, [name]: { ...models, ...own } } };
}

/** Where the provider itself went on to another model of the chain, that is told like a hop of ours. */
function servedBy(state: State, current: Current, batch: readonly StreamEvent[]): readonly StreamEvent[] {
  const start = batch.find((event) => event.type === "start");
  const other = start === undefined ? undefined : answeredBy(start.model, current);
  if (other === undefined) return batch;
  const message = `${current.entry.resolved.row.display_name} went on to the next model of the chain`;
  const error = errorInfo({ category: "unknown", message, provider_code: "provider_fallback", retryable: false });
  const hop: FallbackEvent = { type: "fallback", from: current.entry.spec, to: other.spec, error };
  const { type: _type, ...told } = hop;
  state.hops.push(told);
  const { exchange } = current;
  const { model } = other.resolved;
  const origin: Origin = { ...exchange.facts.origin, model: model.id };
  const belongs = (event: StreamEvent): StreamEvent => claimed(event, model);
  const run = {
    ...exchange.run,
    next: async () => (await exchange.run.next())?.map(belongs),
  };
  state.current = { ...current, entry: other, exchange: { run, facts: { ...exchange.facts, origin } } };
  return [hop, ...batch.map(belongs)];
}

/** The member of the group that says it answered; undefined for the one that was asked, and for names nobody knows. */
function answeredBy(said: string, { entry, group }: Current): Group[number] | undefined {
  const isCalled = ({ resolved: { model } }: Group[number]): boolean =>
    [model.id, ...model.aliases].some((name) => said === name || said.startsWith(`${name}-`));
  return isCalled(entry) ? undefined : group.find(isCalled);
}

/** Data and prices are those of the model that answered. */
function claimed(event: StreamEvent, model: ModelInfo): StreamEvent {
  if (event.type === "opaque") return { ...event, opaque: { ...event.opaque, model: model.id } };
  if (event.type !== "done" || event.cost_source !== "registry") return event;
  const { cost_usd: _cost, cost_source, ...rest } = event;
  const cost_usd = costOf(event.usage, model);
  return cost_usd === undefined ? rest : { ...rest, cost_usd, cost_source };
}

function nameOf({ row, model }: Resolved): string {
  return `${row.name}:${model.id}`;
}

function isContent({ type }: StreamEvent): boolean {
  return type !== "start" && type !== "fallback" && type !== "done" && type !== "error";
}
