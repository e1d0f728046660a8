/** What can go wrong on the way, as a change to the steps of a reply. The same seed breaks the same place. */
import { dataFrame } from "./frames.ts";
import type { Random } from "./random.ts";
import type { Fault, FaultKind, Reply, Step } from "./types.ts";

export const faultKinds: readonly FaultKind[] = [
  "cut",
  "stall",
  "slow",
  "keep_alives_only",
  "split",
  "garbage",
  "reset",
  "late_error",
  "wrong_content_type",
  "error_in_200",
  "never_ending",
  "stay_open",
  "thinking_eats_limit",
];

export type Delivery = {
  readonly reply: Omit<Reply, "steps">;
  /** Frames of a stream, or one whole body. */
  readonly frames: Iterable<string>;
  readonly delay_ms: number;
  readonly keepAlive: () => string;
  readonly lateError: () => readonly string[];
  readonly random: Random;
};

const encoder = new TextEncoder();
const slowDelayMs = 20;
const keepAliveDelayMs = 25;
const framesBeforeMax = 6;

export function deliver(delivery: Delivery, fault: Fault | undefined): Reply {
  if (fault === undefined) return { ...delivery.reply, steps: paced(delivery.frames, delivery.delay_ms) };
  const reply = fault.kind === "wrong_content_type" ? mislabelled(delivery, fault) : delivery.reply;
  return { ...reply, steps: broken(delivery, fault), apart: fault.kind === "split" };
}

function mislabelled(delivery: Delivery, fault: Fault): Omit<Reply, "steps"> {
  const type = fault.content_type ?? "text/html; charset=utf-8";
  return { ...delivery.reply, headers: { ...delivery.reply.headers, "content-type": type } };
}

function* paced(frames: Iterable<string>, delay: number): Iterable<Step> {
  let first = true;
  for (const frame of frames) {
    if (!first && delay > 0) yield { do: "wait", ms: delay };
    first = false;
    yield { do: "send", bytes: encoder.encode(frame) };
  }
}

function* broken(delivery: Delivery, fault: Fault): Iterable<Step> {
  const { frames, delay_ms, random } = delivery;
  switch (fault.kind) {
    case "slow":
      yield* paced(frames, fault.delay_ms ?? slowDelayMs);
      return;
    case "never_ending":
      yield* paced(frames, fault.delay_ms ?? delay_ms);
      return;
    case "stay_open":
      yield* paced(frames, delay_ms);
      yield { do: "hang" };
      return;
    case "keep_alives_only":
      yield* keepAlives(delivery, fault);
      return;
    case "split":
      yield* split(paced(frames, delay_ms), fault, random);
      return;
    case "garbage":
      yield* between(delivery, fault, [fault.text ?? garbage(random)], "go_on");
      return;
    case "late_error":
      yield* between(delivery, fault, delivery.lateError(), "end");
      return;
    case "cut":
      yield* between(delivery, fault, [], "end");
      return;
    case "stall":
      yield* between(delivery, fault, [], "hang");
      return;
    case "reset":
      yield* between(delivery, fault, [], "reset");
      return;
    case "wrong_content_type":
      yield* paced(fault.text === undefined ? frames : [fault.text], delay_ms);
      return;
    case "error_in_200":
    case "thinking_eats_limit":
      yield* paced(frames, delay_ms);
  }
}

function* keepAlives(delivery: Delivery, fault: Fault): Iterable<Step> {
  for (;;) {
    yield { do: "send", bytes: encoder.encode(delivery.keepAlive()) };
    yield { do: "wait", ms: fault.delay_ms ?? keepAliveDelayMs };
  }
}

/** The stream up to a place, something else there, and then on, an end, silence or a broken connection. */
function* between(
  delivery: Delivery,
  fault: Fault,
  extra: readonly string[],
  then: "go_on" | "end" | "hang" | "reset",
): Iterable<Step> {
  const frameLimit =
    fault.after_frames ?? (fault.after_bytes === undefined ? delivery.random.between(0, framesBeforeMax) : Infinity);
  let bytesLeft = fault.after_bytes ?? Infinity;
  let count = 0;
  let reached = false;
  for (const step of paced(delivery.frames, delivery.delay_ms)) {
    if (!reached && (count >= frameLimit || bytesLeft <= 0)) {
      reached = true;
      for (const frame of extra) yield { do: "send", bytes: encoder.encode(frame) };
      if (then !== "go_on") break;
    }
    if (step.do !== "send") {
      yield step;
      continue;
    }
    const bytes = step.bytes.length > bytesLeft ? step.bytes.slice(0, bytesLeft) : step.bytes;
    yield { do: "send", bytes };
    bytesLeft -= bytes.length;
    count++;
  }
  // The answer was shorter than the place: an error that was asked for still comes.
  if (!reached) for (const frame of extra) yield { do: "send", bytes: encoder.encode(frame) };
  if (then === "hang" || then === "reset") yield { do: then };
}

function* split(steps: Iterable<Step>, fault: Fault, random: Random): Iterable<Step> {
  for (const step of steps) {
    if (step.do !== "send") {
      yield step;
      continue;
    }
    for (let start = 0; start < step.bytes.length;) {
      const end = start + (fault.size ?? random.between(1, 7));
      yield { do: "send", bytes: step.bytes.slice(start, end) };
      start = end;
    }
  }
}

function garbage(random: Random): string {
  return random.pick([
    dataFrame(`{"type": "${random.letters(6)}", "broken": [1, 2`),
    `${random.letters(40)}\n\n`,
    dataFrame(random.letters(24)),
    `event: ${random.letters(5)}\ndata\n\n`,
    "\u0000\u0001\u0002\ufffd\n\n",
  ]);
}
