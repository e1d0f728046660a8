import fc from "fast-check";
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  Opaque,
  Origin,
  ToolMessage,
  ToolResultBlock,
} from "../../src/core/index.ts";

/**
 * Arbitrary histories: turns of several makers, with thinking signed and unsigned, data only its maker reads, calls with
 * any ids, answered or not, results nobody asked for, turns cut short. Every piece carries its own mark, so that a test
 * can tell what became of it.
 */
export function histories(makers: readonly Origin[]): fc.Arbitrary<readonly Message[]> {
  return fc
    .array(fc.oneof({ weight: 2, arbitrary: userTurn }, { weight: 5, arbitrary: assistantTurn(makers) }), {
      minLength: 1,
      maxLength: 8,
    })
    .map((turns) => turns.flatMap((turn, index) => turn(index)));
}

type Turn = (index: number) => readonly Message[];

const userTurn: fc.Arbitrary<Turn> = fc
  .record({ text: words(), image: fc.boolean() })
  .map(({ text, image }): Turn => (index) => [
    {
      role: "user",
      content: [
        { type: "text", text: text === "" ? "" : `${text} [user ${index}]` },
        ...(image ? [{ type: "image", media_type: "image/png", data: "iVBORw0KGgo=" } as const] : []),
      ],
    },
  ]);

type Draft = {
  readonly kind: "text" | "thinking" | "call" | "provider";
  readonly text: string;
  readonly id: string;
  readonly marked: boolean;
  readonly answer: "result" | "error" | "none";
  readonly invalid: boolean;
};

function assistantTurn(makers: readonly Origin[]): fc.Arbitrary<Turn> {
  const drafts: fc.Arbitrary<Draft> = fc.record({
    kind: fc.constantFrom("text", "thinking", "call", "call", "provider"),
    text: words(),
    id: callIds,
    marked: fc.boolean(),
    answer: fc.constantFrom("result", "result", "error", "none"),
    invalid: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  });
  return fc
    .record({
      origin: fc.constantFrom(...makers),
      drafts: fc.uniqueArray(drafts, { maxLength: 6, selector: ({ kind, id }) => (kind === "call" ? id : Symbol(id)) }),
      incomplete: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      orphan: fc.option(callIds, { freq: 4 }),
    })
    .map(({ origin, drafts: blocks, incomplete, orphan }): Turn => {
      return (index) => {
        const message: AssistantMessage = {
          role: "assistant",
          content: blocks.map((draft, block) => blockOf(draft, origin, `${index}.${block}`)),
          origin,
          ...(incomplete ? { incomplete: true } : {}),
        };
        const results = blocks.flatMap((draft, block) => resultsOf(draft, `${index}.${block}`));
        const stray = orphan === null ? [] : [result(`orphan-${orphan}`, `${index}.orphan`, false)];
        // Results come in any order.
        const tool: ToolMessage = { role: "tool", content: [...stray, ...results.toReversed()] };
        return tool.content.length === 0 ? [message] : [message, tool];
      };
    });
}

function blockOf(draft: Draft, origin: Origin, mark: string): AssistantBlock {
  const opaque: Opaque = {
    provider: origin.provider,
    model: origin.model,
    data: { secret: secretOf(origin, mark) },
  };
  const own = draft.marked ? { opaque } : {};
  switch (draft.kind) {
    case "text":
      return { type: "text", text: draft.text === "" ? "" : `${draft.text} [text ${mark}]`, ...own };
    case "thinking":
      return { type: "thinking", text: draft.text === "" ? "" : `${draft.text} [thinking ${mark}]`, ...own };
    case "provider":
      return { type: "provider", opaque };
    case "call":
      return {
        type: "tool_call",
        id: draft.id,
        name: "look",
        arguments: draft.invalid ? {} : { mark, text: draft.text },
        ...(draft.invalid ? { arguments_text: `{"mark": "${mark}`, invalid: true } : {}),
        ...own,
      };
  }
}

function resultsOf(draft: Draft, mark: string): readonly ToolResultBlock[] {
  if (draft.kind !== "call" || draft.answer === "none") return [];
  return [result(draft.id, mark, draft.answer === "error")];
}

function result(tool_call_id: string, mark: string, is_error: boolean): ToolResultBlock {
  return { type: "tool_result", tool_call_id, content: [{ type: "text", text: `[result ${mark}]` }], is_error };
}

export function secretOf({ provider, model }: Pick<Origin, "provider" | "model">, mark: string): string {
  return `secret<${provider}|${model}|${mark}>`;
}

/** Ids as servers make them: with prefixes, counted from zero, too long, with characters others refuse. */
const callIds: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: 0, max: 3 }).map((count) => `call_${count}`),
  fc.integer({ min: 0, max: 3 }).map(String),
  fc.string({ minLength: 1, maxLength: 8 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
  fc.stringMatching(/^functions\.look:[0-9]$/),
  fc.stringMatching(/^[a-z|/]{60,90}$/),
);

function words(): fc.Arbitrary<string> {
  return fc.oneof(fc.constant(""), fc.string({ maxLength: 12 }), fc.constantFrom("half \ud83d of a pair", "naïve 🙂"));
}
