import type { StreamEvent } from "../core/index.ts";

/** The same events with fewer words: neighbouring pieces of one block become one. */
export function joinDeltas(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const joined: StreamEvent[] = [];
  let first: StreamEvent | undefined;
  let texts: string[] = [];
  const close = (): void => {
    if (first !== undefined) joined.push(withText(first, texts.join("")));
    first = undefined;
    texts = [];
  };
  for (const event of events) {
    const text = textOfDelta(event);
    if (first !== undefined && (text === undefined || !isSameBlock(first, event))) close();
    if (text === undefined) joined.push(event);
    else {
      first ??= event;
      texts.push(text);
    }
  }
  close();
  return joined;
}

function isSameBlock(left: StreamEvent, right: StreamEvent): boolean {
  if (left.type !== right.type || !("block_index" in left) || !("block_index" in right)) return false;
  return left.block_index === right.block_index;
}

function textOfDelta(event: StreamEvent): string | undefined {
  if (event.type === "text_delta" || event.type === "thinking_delta") return event.text;
  return event.type === "tool_call_delta" ? event.json_fragment : undefined;
}

function withText(event: StreamEvent, text: string): StreamEvent {
  if (event.type === "text_delta" || event.type === "thinking_delta") return { ...event, text };
  return event.type === "tool_call_delta" ? { ...event, json_fragment: text } : event;
}
