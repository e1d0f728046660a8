import type { ModelInfo } from "../../core/index.ts";
import type { ProviderRow } from "../../llm/provider.ts";

export type SimOptions = {
  /** Time between frames; a pace like a real model's when left out, or what IKIGAI_SIM_DELAY_MS says. */
  readonly delay_ms?: number;
};

/**
 * The provider that needs nothing: three models that answer by rule, through the same wire code as everyone else,
 * from an emulator in this process. It is passed in by whoever wants it and never a default of the library.
 */
export function simProvider(options: SimOptions = {}): ProviderRow {
  let emulator: Promise<typeof globalThis.fetch> | undefined;
  return {
    name: "sim",
    display_name: "Simulation",
    prefixes: ["sim-"],
    key_variables: [],
    base_url: "http://sim.invalid/anthropic",
    default_model: "sim-echo",
    apis: [
      {
        name: "messages",
        load: () => import("../../llm/protocols/messages/index.ts").then(({ messages }) => messages),
      },
    ],
    models: () => Promise.resolve(models),
    fetch: () => (emulator ??= startSim(options)),
  };
}

async function startSim(options: SimOptions): Promise<typeof globalThis.fetch> {
  const [{ createEmulator }, { simRule }] = await Promise.all([import("../emulator/emulator.ts"), import("./rule.ts")]);
  const { fetch } = createEmulator({
    rule: simRule,
    delay_ms: options.delay_ms ?? paceFromEnvironment(),
    noise: false,
    models: models.map(({ id }) => ({ id, like: lookalike })),
  });
  // The emulator wants to be greeted like the provider it stands in for.
  return (input, init) => fetch(input, { ...init, headers: { ...headersOf(init), "x-api-key": "sim" } });
}

function headersOf(init: RequestInit | undefined): Record<string, string> {
  return Object.fromEntries(new Headers(init?.headers).entries());
}

function paceFromEnvironment(): number {
  const given = Number(process.env["IKIGAI_SIM_DELAY_MS"] ?? "");
  return process.env["IKIGAI_SIM_DELAY_MS"] !== undefined && given >= 0 ? given : usualPaceMs;
}

const usualPaceMs = 12;

/** Whose rules the emulator holds them to: budgets, tools, images, signatures. */
const lookalike = "claude-haiku-4-5";

const common = {
  provider: "sim",
  aliases: [],
  context_tokens: 200_000,
  output_tokens_max: 64_000,
  thinking: { kind: "budget", min: 1_024, max: 32_000, can_disable: true, omitted: "off" },
  capabilities: {
    tools: true,
    vision: true,
    streaming: true,
    sampling: "without_thinking",
    forced_tools: "without_thinking",
    stop_sequences: true,
  },
  prices: { input: 0, output: 0 },
} as const;

const models: readonly ModelInfo[] = [
  { ...common, id: "sim-echo", display_name: "Simulated echo" },
  { ...common, id: "sim-think", display_name: "Simulated thinker" },
  { ...common, id: "sim-tools", display_name: "Simulated tool user" },
];
