import type {
  Conversation,
  Message,
  ModelChoice,
  TextBlock,
  ThinkingConfig,
  ToolResultBlock,
  UserBlock,
} from "../core/index.ts";
import { CommandError, type Engine, type Live } from "./engine.ts";
import type { Tool } from "./tools/types.ts";

/** What an agent would send now: its system prompt, what is in force of its log, its tools. */
export async function conversationOf(engine: Engine, live: Live): Promise<Conversation> {
  const { limits } = engine.world;
  const choice = choiceOf(live);
  const system = await systemOf(engine, live, choice);
  const tools = toolsOf(engine, live).map(({ definition }) => definition);
  return {
    ...(system.length > 0 ? { system } : {}),
    messages: live.replay.messages().map((message) => cutResults(message, limits.shown_bytes)),
    ...(tools.length > 0 ? { tools } : {}),
    thinking: thinkingOf(choice),
    max_output_tokens: limits.max_output_tokens,
    // All agents of a session begin alike.
    cache_key: `ikigai-${engine.session_uuid}`,
  };
}

export function choiceOf(live: Live): ModelChoice {
  const { model } = live.replay.settings();
  if (model === undefined) throw new CommandError("no model is chosen; name one, for example sim-echo");
  return model;
}

/** As the library wants it; the level goes separately. */
export function specOf({ provider, model }: Pick<ModelChoice, "provider" | "model">): string {
  return `${provider}:${model}`;
}

export function thinkingOf({ thinking_level, thinking_budget }: ModelChoice): ThinkingConfig {
  return {
    ...(thinking_level === undefined ? {} : { level: thinking_level }),
    ...(thinking_budget === undefined ? {} : { budget_tokens: thinking_budget }),
  };
}

/** All tools, or those its toolset names; never one that an agent above it may not use. */
export function toolsOf(engine: Engine, live: Live): readonly Tool[] {
  const above = live.parent_uuid === undefined ? undefined : engine.agents.get(live.parent_uuid);
  const offered = above === undefined ? engine.tools : toolsOf(engine, above);
  const { tools } = live.replay.settings();
  if (tools === undefined) return offered;
  return offered.filter(({ definition }) => tools.includes(definition.name));
}

async function systemOf(engine: Engine, live: Live, choice: ModelChoice): Promise<readonly TextBlock[]> {
  const { world } = engine;
  const { system, pins } = live.replay.settings();
  const pinned = await Promise.all(pins.map((path) => pinText(engine, path)));
  const more = world.providerPrompt?.(choice.provider);
  return [
    ...(await world.prompt(world.cwd)),
    ...pinned,
    ...system,
    ...(more === undefined || more === "" ? [] : [{ type: "text", text: more } as const]),
  ];
}

async function pinText({ world }: Engine, path: string): Promise<TextBlock> {
  const text = await world.readPin(path);
  const says = text === undefined ? "(cannot be read at the moment)" : text;
  return { type: "text", text: `<pinned path=${JSON.stringify(path)}>\n${says}\n</pinned>` };
}

/** The log keeps more of a long result than a model is shown. Always cut in the same way: caches depend on it. */
function cutResults(message: Message, bytes: number): Message {
  if (message.role !== "tool") return message;
  return { ...message, content: message.content.map((result) => cutResult(result, bytes)) };
}

function cutResult(result: ToolResultBlock, bytes: number): ToolResultBlock {
  return { ...result, content: result.content.map((block) => cutBlock(block, bytes)) };
}

export function cutBlock<Block extends UserBlock>(block: Block, bytes: number): Block {
  if (block.type !== "text" || block.text.length * 3 <= bytes) return block;
  const encoded = Buffer.from(block.text);
  if (encoded.length <= bytes) return block;
  const half = Math.floor(bytes / 2);
  const head = whole(encoded.subarray(0, half));
  const tail = whole(encoded.subarray(encoded.length - half));
  const missing = encoded.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  const note = `\n\n[${missing} of ${encoded.length} bytes left out here; ask for a part of it to read more]\n\n`;
  return { ...block, text: `${head}${note}${tail}` };
}

/** Without the halves of characters at its ends. */
function whole(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/^\uFFFD+|\uFFFD+$/g, "");
}
