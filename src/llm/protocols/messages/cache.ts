import type { CacheHint, Note, Request } from "../../../core/index.ts";
import type { CacheControl, WireBlock, WireHead, WireMessage, WireRedacted, WireText, WireThinking } from "./wire.ts";

/** The API takes at most this many markers. */
const breakpointsMax = 4;

export type CacheParts = {
  readonly tools: NonNullable<WireHead["tools"]>;
  readonly system: readonly WireText[];
  readonly messages: readonly WireMessage[];
  readonly hints: ReadonlyMap<WireBlock, CacheHint>;
};

type Marked = { cache_control?: CacheControl };

/**
 * Puts markers where the next turn will want to read from: first where the caller asked, then at the end of the
 * messages, the system and the tools, and where the previous turn ended (a marker finds entries 20 blocks back at most).
 */
export function placeBreakpoints(parts: CacheParts, mode: NonNullable<Request["cache"]>): readonly Note[] {
  if (mode === "off") return [];
  const inOrder: readonly Marked[] = [
    ...parts.tools,
    ...parts.system,
    ...parts.messages.flatMap(({ content }) => content.filter(isMarkable)),
  ];
  const places: ReadonlySet<object> = new Set(inOrder);
  const asked = [...parts.hints].filter(([block]) => places.has(block));
  const chosen = new Map<object, CacheHint>(asked.slice(-breakpointsMax));
  for (const candidate of candidates(parts)) {
    if (chosen.size >= breakpointsMax) break;
    if (candidate !== undefined && !chosen.has(candidate)) chosen.set(candidate, mode === "long" ? "long" : "short");
  }
  let longFollows = false;
  for (const part of inOrder.toReversed()) {
    const hint = chosen.get(part);
    if (hint === undefined) continue;
    // Entries for an hour must come before those for minutes.
    longFollows ||= hint === "long";
    part.cache_control = longFollows ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
  }
  if (asked.length <= breakpointsMax) return [];
  const message = `${asked.length} blocks ask to be cached, ${breakpointsMax} can be: the last ones were marked`;
  return [{ code: "cache_hints_left_out", message }];
}

function candidates({ messages, system, tools }: CacheParts): readonly (Marked | undefined)[] {
  const lastTurn = messages.findLastIndex(({ role }) => role === "assistant");
  const before = messages.slice(0, Math.max(0, lastTurn)).findLastIndex(({ role }) => role === "user");
  return [
    lastMarkable(messages),
    system.at(-1),
    tools.at(-1),
    before === -1 ? undefined : lastMarkable(messages.slice(0, before + 1)),
  ];
}

function lastMarkable(messages: readonly WireMessage[]): Marked | undefined {
  for (const message of messages.toReversed()) {
    const block = message.content.findLast(isMarkable);
    if (block !== undefined) return block;
  }
  return undefined;
}

type Markable = Exclude<WireBlock, WireThinking | WireRedacted | { type: "raw" }>;

/** Thinking cannot carry a marker, and what goes back raw is not touched. */
function isMarkable(block: WireBlock): block is Markable {
  return block.type !== "thinking" && block.type !== "redacted_thinking" && block.type !== "raw";
}
