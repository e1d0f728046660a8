import type { ProviderRow } from "./provider.ts";
import { anthropic } from "./providers/anthropic.ts";
import { google } from "./providers/google.ts";
import { openai } from "./providers/openai.ts";

/** Every provider that is built in, in the order in which a default is looked for. Rows only: adapters load on first use. */
export const builtinProviders: readonly ProviderRow[] = [anthropic, openai, google];
