import fc from "fast-check";
import type { EntryBody, LogEntry } from "../../../src/core/index.ts";

/**
 * What is in force, the slow and obvious way: every log is a whole list of its own, copied at a fork, and every question is
 * answered by reading it from the start.
 */
export function inForce(log: readonly LogEntry[]): readonly LogEntry[] {
  let state: readonly LogEntry[] = [];
  log.forEach((entry, index) => {
    if (entry.kind === "clear") state = [entry];
    else if (entry.kind === "rewind") {
      const place = log.findIndex((other) => other.uuid === entry.data.target_uuid);
      state = [...(place < 0 || place >= index ? state : inForce(log.slice(0, place + 1))), entry];
    } else if (entry.kind === "compact") {
      const kept = state.findIndex((other) => other.uuid === entry.data.target_uuid);
      if (entry.data.target_uuid === undefined) state = [entry];
      else state = [entry, ...(kept < 0 ? state : state.slice(kept))];
    } else state = [...state, entry];
  });
  return state;
}

export function systemOf(log: readonly LogEntry[]): string {
  return log.findLast((entry) => entry.kind === "system")?.content ?? "";
}

export function pinsOf(log: readonly LogEntry[]): ReadonlySet<string> {
  const pins = new Set<string>();
  for (const entry of log) {
    if (entry.kind === "pin") pins.add(entry.content);
    if (entry.kind === "unpin" && entry.content === undefined) pins.clear();
    if (entry.kind === "unpin" && entry.content !== undefined) pins.delete(entry.content);
  }
  return pins;
}

/** One thing that happens to one of the agents there are; numbers pick among what there is at that moment. */
export type Step = {
  readonly agent: number;
  readonly pick: number;
  readonly what: (typeof whats)[number];
  readonly text: string;
};

const whats = [
  "user",
  "user",
  "user",
  "answer",
  "answer",
  "result",
  "mail",
  "mark",
  "mark",
  "rewind",
  "rewind",
  "clear",
  "compact_all",
  "compact",
  "compact",
  "fork",
  "fork_at",
  "system",
  "pin",
  "unpin",
  "unpin_all",
] as const;

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    agent: fc.nat(3),
    pick: fc.nat(1_000),
    what: fc.constantFrom(...whats),
    text: fc.oneof(fc.constantFrom("a", "b"), fc.string({ unit: "binary", maxLength: 8 })),
  }),
  { maxLength: 40 },
);

/** The entry a step adds to a log, unless it is a fork or there is nothing it could point to. */
export function bodyOf({ what, pick, text }: Step, log: readonly LogEntry[]): EntryBody | undefined {
  const some = log[pick % Math.max(1, log.length)];
  switch (what) {
    case "user":
    case "system":
    case "pin":
    case "unpin":
      return { kind: what, content: text };
    case "answer":
      return answer(text, pick);
    case "result":
      return { kind: "tool_result", content: text, data: { tool_call_id: `call_${pick}`, is_error: pick % 2 === 0 } };
    case "mail":
      return { kind: "mail", content: text, data: { mail_uuid: `mail_${pick}` } };
    case "mark":
      return { kind: "mark", ...(pick % 3 === 0 ? {} : { content: text }) };
    case "rewind":
      return some === undefined ? undefined : { kind: "rewind", data: { target_uuid: some.uuid } };
    case "clear":
      return { kind: "clear" };
    case "compact_all":
      return { kind: "compact", content: text, data: {} };
    case "compact": {
      // Mostly something that is in force, now and then something that is not.
      const kept = pick % 5 === 0 ? some : inForce(log)[pick % Math.max(1, inForce(log).length)];
      return kept === undefined ? undefined : { kind: "compact", content: text, data: { target_uuid: kept.uuid } };
    }
    case "unpin_all":
      return { kind: "unpin" };
    case "fork":
    case "fork_at":
      return undefined;
  }
}

function answer(text: string, pick: number): EntryBody {
  return {
    kind: "assistant",
    content: text,
    data: {
      provider: "somebody",
      api: "wire",
      model: "model",
      blocks: [{ type: "text", text }],
      ...(pick % 4 === 0 ? { incomplete: true } : {}),
    },
  };
}
