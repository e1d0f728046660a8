import type { KeptAcrossLevels, ModelInfo, ThinkingSpec } from "../core/index.ts";
import type { Adapter, Quirks } from "./adapter.ts";
import type { Fetch } from "./transport.ts";

/** What is known of a provider without loading its adapter. */
export type ProviderRow = {
  readonly name: string;
  /** Understood before a colon like the name itself. */
  readonly other_names?: readonly string[];
  readonly display_name: string;
  /** A model id that starts with one of these is this provider's. */
  readonly prefixes: readonly string[];
  /** In the order they are looked up. None: no key is needed. */
  readonly key_variables: readonly string[];
  /** Those of the variables that hold a token, which is sent as bearer whatever the protocol does with keys. */
  readonly bearer_variables?: readonly string[];
  /** Where the key goes if not where the protocol puts it. */
  readonly key_header?: string;
  /** Where a person makes a key. */
  readonly keys_page?: string;
  /** How its keys begin, to notice that another provider's was pasted. */
  readonly key_prefix?: string;
  /** What answers only to a good key, below the address; else the list of models is asked for. */
  readonly key_check_path?: string;
  /** `{NAME}` stands for the environment variable of that name: an account, a region, a host of one's own. */
  readonly base_url: string;
  readonly base_url_variable?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The headers in which this provider wants to be told which application asks. */
  readonly app_headers?: { readonly title: string; readonly url: string };
  readonly default_model?: string;
  /** The first api is the default. */
  readonly apis: readonly ApiRow[];
  readonly models: () => Promise<readonly ModelInfo[]>;
  /**
   * Whose models are served here: the part of an id before its first `/` (empty: ids without one) → that provider's
   * name. Where our own list lacks a model, what its maker's list says holds.
   */
  readonly vendors?: { readonly [prefix: string]: string };
  /** A server on one's own machine: a key is optional, and its models are what it lists. */
  readonly local?: { readonly start: string };
  /** Known by a row of data only: not spoken of unless it has a key or settings. */
  readonly preset?: true;
  /** Instead of the network, where the caller brings no fetch of its own: a provider that lives in this process. */
  readonly fetch?: () => Promise<Fetch>;
  /** Local servers load models for minutes before the first byte. */
  readonly idle_timeout_ms?: number;
};

export type ApiRow = {
  readonly name: string;
  readonly load: () => Promise<Adapter>;
  readonly quirks?: Quirks;
  /** Body field for more models, which the server tries in their order when the one asked for fails. */
  readonly fallback_field?: string;
  /** What of a prompt stays cached when the level changes, by how a model's thinking is controlled. Absent: nothing. */
  readonly level_change_keeps?: { readonly [kind in ThinkingSpec["kind"]]?: KeptAcrossLevels };
};
