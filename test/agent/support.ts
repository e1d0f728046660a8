import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/core/index.ts";
import {
  defaultLimits,
  openAgents,
  type AgentEvent,
  type Agents,
  type Limits,
  type OpenOptions,
  type World,
} from "../../src/agent/index.ts";
import type { Tool, ToolEffect } from "../../src/agent/tools/types.ts";
import type { Store } from "../../src/store/index.ts";
import { createEmulator, type EmulatorOptions, type LocalEmulator } from "../../src/testing/index.ts";

/** Agents whose providers are the emulator, with everything they said on the way. */
export type Stage = {
  readonly agents: Agents;
  readonly root: string;
  readonly emulator: LocalEmulator;
  readonly store: Store;
  readonly events: AgentEvent[];
  readonly world: World;
  /** Says it and waits until the agent has nothing to do. */
  readonly say: (content: string, agent_uuid?: string) => Promise<void>;
  /** The events of one type, of one agent or of all. */
  readonly of: <Type extends AgentEvent["type"]>(
    type: Type,
    agent_uuid?: string,
  ) => readonly Extract<AgentEvent, { readonly type: Type }>[];
  readonly until: (what: string, check: () => boolean | Promise<boolean>) => Promise<void>;
};

export type StageOptions = {
  readonly emulator?: EmulatorOptions;
  readonly limits?: Partial<Limits>;
  readonly world?: Partial<World>;
  readonly open?: OpenOptions;
  /** Instead of a new one. */
  readonly use?: LocalEmulator;
};

export async function stage(store: Store, options: StageOptions = {}): Promise<Stage> {
  const emulator = options.use ?? createEmulator({ noise: false, ...options.emulator });
  const world: World = {
    store,
    llm: { settings: settingsFor(), fetch: emulator.fetch },
    model: claude,
    limits: { ...defaultLimits, ...options.limits },
    tools: [],
    permissions: { decide: () => ({ verdict: "allow" }), remember: () => undefined },
    tool_env: {},
    cwd: "/somewhere",
    root: "/somewhere",
    now: Date.now,
    prompt: async () => [{ type: "text", text: "Be brief." }],
    readPin: async (path) => `pinned ${path}`,
    sleep: async () => undefined,
    ...options.world,
  };
  const agents = await openAgents(world, options.open);
  const events: AgentEvent[] = [];
  agents.subscribe((event) => void events.push(event));
  const root = agents.root_uuid;
  return {
    agents,
    root,
    emulator,
    store,
    events,
    world,
    async say(content, agent_uuid = root) {
      await agents.command({ type: "say", agent_uuid, content });
      await agents.settled(agent_uuid);
    },
    of: (type, agent_uuid) =>
      events.filter(
        (event): event is Extract<AgentEvent, { readonly type: typeof type }> =>
          event.type === type && (agent_uuid === undefined || event.agent_uuid === agent_uuid),
      ),
    async until(what, check) {
      for (let looks = 0; looks < 2_000; looks++) {
        if (await check()) return;
        await sleep(5);
      }
      throw new Error(`never happened: ${what}`);
    },
  };
}

export const claude = "claude-opus-5-5/low";
export const gpt = "gpt-6.1-sol/low";
export const gemini = "gemini-4-argon/low";

function settingsFor() {
  const at = (path: string) => ({ base_url: `http://emulator${path}`, key: "good-key" });
  return {
    providers: { anthropic: at("/anthropic"), openai: at("/openai/v1"), google: at("/google/v1beta") },
  };
}

/** A call of one of the tools below, as a model makes it. */
export function call(name: string, value: string) {
  return { name, arguments: { value } };
}

/** A tool for tests: what it does is a function of its arguments. */
export function tool(
  name: string,
  run: (args: JsonObject, signal: AbortSignal) => Promise<string> | string,
  effect: ToolEffect = "read",
): Tool {
  return {
    definition: {
      name,
      description: `The tool ${name}`,
      parameters: {
        type: "object",
        properties: { value: { type: "string" } },
        required: ["value"],
        additionalProperties: false,
      },
    },
    intent: (args) => ({ effect, summary: `${name} ${String(args["value"])}` }),
    run: async (args, { signal }) => ({
      content: [{ type: "text", text: await run(args, signal) }],
      is_error: false,
    }),
  };
}

/** Texts of what the model was shown and has said. */
export function said({ agents }: Stage, agent_uuid: string): readonly string[] {
  return agents
    .view(agent_uuid)
    .messages.map(
      (message) =>
        `${message.role}: ${message.content.map((block) => ("text" in block && block.type === "text" ? block.text : `<${block.type}>`)).join(" ")}`,
    );
}
