import type { ProviderRow } from "./provider.ts";
import { anthropic } from "./providers/anthropic.ts";
import { google } from "./providers/google.ts";
import { llamacpp } from "./providers/llamacpp.ts";
import { lmstudio } from "./providers/lmstudio.ts";
import { meta } from "./providers/meta.ts";
import { ollama } from "./providers/ollama.ts";
import { openai } from "./providers/openai.ts";
import { openrouter } from "./providers/openrouter.ts";
import { presets } from "./providers/presets.ts";
import { vllm } from "./providers/vllm.ts";
import { xai } from "./providers/xai.ts";

/** Every provider that is built in, in the order in which a default is looked for. Rows only: adapters load on first use. */
export const builtinProviders: readonly ProviderRow[] = [
  anthropic,
  openai,
  google,
  xai,
  meta,
  openrouter,
  ollama,
  llamacpp,
  lmstudio,
  vllm,
  ...presets,
];
