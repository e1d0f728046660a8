import type { ModelInfo } from "../core/index.ts";
import type { Adapter, Quirks } from "./adapter.ts";

/** What is known of a provider without loading its adapter. */
export type ProviderRow = {
  readonly name: string;
  readonly display_name: string;
  /** A model id that starts with one of these is this provider's. */
  readonly prefixes: readonly string[];
  /** In the order they are looked up. None: no key is needed. */
  readonly key_variables: readonly string[];
  /** Where a person makes a key. */
  readonly keys_page?: string;
  readonly base_url: string;
  readonly base_url_variable?: string;
  readonly default_model?: string;
  /** The first api is the default. */
  readonly apis: readonly ApiRow[];
  readonly models: () => Promise<readonly ModelInfo[]>;
  /** Local servers load models for minutes before the first byte. */
  readonly idle_timeout_ms?: number;
};

export type ApiRow = { readonly name: string; readonly load: () => Promise<Adapter>; readonly quirks?: Quirks };
