import { isTextDocument } from "./documents.ts";
import { fingerprint } from "./hash.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolMessage,
  ToolResultBlock,
  UserBlock,
} from "./messages.ts";
import { toolResult } from "./messages.ts";
import type { Loss } from "./notes.ts";

/** What a target demands of a history; declared by its adapter as data. */
export type ProjectionRules = {
  readonly provider: string;
  /** All names of the target model: opaque data made under any of them is its own. */
  readonly models: readonly string[];
  readonly tool_call_id: {
    /** A regular expression for one legal character. */
    readonly character: string;
    readonly length_max: number;
    /** Ids of exactly this length, where the target insists. */
    readonly length_exact?: number;
  };
  /** Thinking without the maker's data (an aborted stream) cannot be sent back. */
  readonly thinking_needs_opaque: boolean;
  /** Text may not stand after the tool calls of a turn. */
  readonly tool_calls_last: boolean;
  readonly images: boolean;
  /** PDF and the like can be read; texts always can. Absent: they cannot. */
  readonly documents?: boolean;
  readonly foreign_thinking: "omit" | "text";
};

export type Projection = { readonly messages: readonly Message[]; readonly losses: readonly Loss[] };

/**
 * The history as one target may see it, and what that leaves out. Pure: the same history always gives the same bytes,
 * and appending to it never changes what was given before (prompt caches depend on that).
 */
export function project(history: readonly Message[], rules: ProjectionRules): Projection {
  const losses: Loss[] = [];
  const answers = answersByCall(history, losses);
  const rename = idRenamer(rules, losses);
  const messages: Message[] = [];
  history.forEach((message, message_index) => {
    const place: Place = { message_index, rules, losses };
    if (message.role === "user") {
      const content = message.content.map((block, index) => projectUserBlock(block, place, index)).filter(hasContent);
      if (content.length > 0) messages.push({ role: "user", content });
      else losses.push({ code: "empty_message", message: "An empty user message was left out", message_index });
    }
    if (message.role === "assistant") {
      const projected = projectAssistant(message, place, answers.get(message_index) ?? new Map());
      messages.push(...withResults(projected, message, place, rename));
    }
  });
  return { messages, losses };
}

type Place = { readonly message_index: number; readonly rules: ProjectionRules; readonly losses: Loss[] };
type Answers = ReadonlyMap<string, ToolResultBlock>;

/** Finds for each assistant message the results that answer its calls, wherever they stand after it. */
function answersByCall(history: readonly Message[], losses: Loss[]): Map<number, Map<string, ToolResultBlock>> {
  const answers = new Map<number, Map<string, ToolResultBlock>>();
  const asker = new Map<string, number>();
  history.forEach((message, message_index) => {
    if (message.role === "assistant") {
      for (const block of message.content) if (block.type === "tool_call") asker.set(block.id, message_index);
    }
    if (message.role === "tool") {
      message.content.forEach((result, block_index) => {
        const asked = asker.get(result.tool_call_id);
        if (asked === undefined) {
          const text = `A tool result without its call (${result.tool_call_id}) was left out`;
          losses.push({ code: "orphan_tool_result", message: text, message_index, block_index });
          return;
        }
        asker.delete(result.tool_call_id);
        const found = answers.get(asked) ?? new Map<string, ToolResultBlock>();
        found.set(result.tool_call_id, result);
        answers.set(asked, found);
      });
    }
  });
  return answers;
}

type Answered = { readonly call: ToolCallBlock; readonly result: ToolResultBlock };
type ProjectedTurn = { readonly content: readonly AssistantBlock[]; readonly answered: readonly Answered[] };

function projectAssistant(message: AssistantMessage, place: Place, answers: Answers): ProjectedTurn {
  const own = isOwn(message.origin, place.rules);
  const content: AssistantBlock[] = [];
  const answered: Answered[] = [];
  message.content.forEach((block, block_index) => {
    const kept = projectAssistantBlock(block, { ...place, block_index, own });
    if (kept === undefined) return;
    if (kept.type === "tool_call") {
      const result = resultFor(kept, message, answers, { ...place, block_index });
      if (result === undefined) return;
      answered.push({ call: kept, result });
    }
    content.push(kept);
  });
  return { content: !own && place.rules.tool_calls_last ? callsLast(content) : content, answered };
}

function projectAssistantBlock(
  block: AssistantBlock,
  place: Place & { readonly block_index: number; readonly own: boolean },
): AssistantBlock | undefined {
  const { rules, losses, message_index, block_index } = place;
  const readable = "opaque" in block && block.opaque !== undefined && isOwn(block.opaque, rules);
  if (block.type === "provider") {
    if (readable) return block;
    losses.push({
      code: "foreign_data",
      message: `Data only ${block.opaque.provider} can read was left out`,
      message_index,
      block_index,
    });
    return undefined;
  }
  if (block.type === "thinking") return projectThinking(block, readable, place);
  if (readable) return block;
  const { opaque, ...bare } = block;
  if (opaque !== undefined && !isOwn(opaque, rules)) {
    losses.push({
      code: "foreign_data",
      message: `Data only ${opaque.provider} ${opaque.model} can read was left off`,
      message_index,
      block_index,
    });
  }
  if (bare.type === "text") return hasContent(bare) ? { ...bare, text: wellFormed(bare.text) } : undefined;
  return place.own ? bare : wellFormedCall(bare);
}

function projectThinking(
  block: ThinkingBlock,
  readable: boolean,
  place: Place & { readonly block_index: number; readonly own: boolean },
): ThinkingBlock | TextBlock | undefined {
  const { rules, losses, message_index, block_index } = place;
  if (readable) return block;
  const own = place.own && block.opaque === undefined;
  if (own && !rules.thinking_needs_opaque) return block;
  if (!own && rules.foreign_thinking === "text" && block.text !== "") {
    return { type: "text", text: `<thinking>\n${wellFormed(block.text)}\n</thinking>` };
  }
  losses.push(
    own
      ? {
          code: "unsigned_thinking",
          message: "Thinking without its signature was left out",
          message_index,
          block_index,
        }
      : { code: "foreign_thinking", message: "Thinking of another model was left out", message_index, block_index },
  );
  return undefined;
}

/** The call's result; a neutral one where there is none; nothing for a call that was cut off before it could be run. */
function resultFor(
  call: ToolCallBlock,
  message: AssistantMessage,
  answers: Answers,
  place: Place & { readonly block_index: number },
): ToolResultBlock | undefined {
  const { losses, message_index, block_index } = place;
  const result = answers.get(call.id);
  if (result !== undefined)
    return { ...result, content: result.content.map((block, index) => projectUserBlock(block, place, index)) };
  if (call.invalid === true && message.incomplete === true) {
    losses.push({
      code: "half_tool_call",
      message: `An unfinished call of ${call.name} was left out`,
      message_index,
      block_index,
    });
    return undefined;
  }
  const text = call.invalid === true ? invalidArgumentsText : missingResultText;
  losses.push({
    code: "synthetic_tool_result",
    message: `${call.name} (${call.id}) had no result; an error result was put in its place`,
    message_index,
    block_index,
  });
  return toolResult(call.id, text, true);
}

function withResults(
  turn: ProjectedTurn,
  message: AssistantMessage,
  place: Place,
  rename: IdRenamer,
): readonly Message[] {
  const { message_index, losses } = place;
  if (turn.content.length === 0) {
    if (message.content.length > 0) {
      losses.push({
        code: "empty_message",
        message: "A turn with nothing left for this model was left out",
        message_index,
      });
    }
    return [];
  }
  const names = rename(
    turn.answered.map(({ call }) => call.id),
    place,
    isOwn(message.origin, place.rules),
  );
  const nameOf = (id: string): string => names.get(id) ?? id;
  const content = turn.content.map((block) =>
    block.type === "tool_call" ? { ...block, id: nameOf(block.id) } : block,
  );
  const assistant: AssistantMessage = { ...message, content };
  if (turn.answered.length === 0) return [assistant];
  const tool: ToolMessage = {
    role: "tool",
    content: turn.answered.map(({ result }) => ({ ...result, tool_call_id: nameOf(result.tool_call_id) })),
  };
  return [assistant, tool];
}

type IdRenamer = (ids: readonly string[], place: Place, own: boolean) => ReadonlyMap<string, string>;

/** Two different ids never become one: what breaks the target's pattern is rebuilt around a fingerprint of the whole id. */
function idRenamer(rules: ProjectionRules, losses: Loss[]): IdRenamer {
  const { character, length_max, length_exact } = rules.tool_call_id;
  const legal = new RegExp(`^(?:${character}){1,${length_max}}$`, "u");
  const isLegal = (id: string): boolean => legal.test(id) && (length_exact === undefined || id.length === length_exact);
  const rebuilt = idBuilder(rules.tool_call_id);
  /** Whose id a name stands for. */
  const holders = new Map<string, string>();
  return (ids, { message_index }, own) => {
    const names = new Map<string, string>();
    for (const id of new Set(ids)) {
      // Servers that count their calls from zero repeat ids in every turn; their own maker does not mind, others do.
      const isFree = (name: string): boolean => !holders.has(name) || (own && name === id && holders.get(name) === id);
      let name = id;
      for (let attempt = 0; attempt < renamingsMax && !(isLegal(name) && isFree(name)); attempt++) {
        name = rebuilt(id, attempt);
      }
      holders.set(name, id);
      names.set(id, name);
      if (name !== id) {
        losses.push({ code: "renamed_tool_call_id", message: `Tool call id ${id} is sent as ${name}`, message_index });
      }
    }
    return names;
  };
}

/** Builds ids of legal characters: as much of the old id as fits, then its fingerprint. */
function idBuilder(rule: ProjectionRules["tool_call_id"]): (id: string, attempt: number) => string {
  const { character, length_max, length_exact } = rule;
  const one = new RegExp(`^(?:${character})$`, "u");
  const alphabet = Array.from("0123456789abcdefghijklmnopqrstuvwxyz").filter((letter) => one.test(letter));
  const joint = one.test("_") ? "_" : "";
  return (id, attempt) => {
    const mark = inAlphabet(BigInt(`0x${fingerprint(id, attempt)}`), alphabet);
    if (length_exact !== undefined) return mark.slice(-length_exact).padStart(length_exact, alphabet[0]);
    const kept = Array.from(id)
      .map((letter) => (one.test(letter) ? letter : joint))
      .join("");
    return `${kept.slice(0, Math.max(0, length_max - mark.length - 1))}${joint}${mark}`.slice(-length_max);
  };
}

function inAlphabet(value: bigint, alphabet: readonly string[]): string {
  const base = BigInt(Math.max(2, alphabet.length));
  let digits = "";
  for (let rest = value; rest > 0n; rest /= base) digits = `${alphabet[Number(rest % base)] ?? ""}${digits}`;
  return digits;
}

function projectUserBlock(block: UserBlock, place: Place, block_index: number): UserBlock {
  if (block.type === "text") {
    const { opaque: _opaque, ...bare } = block;
    return { ...bare, text: wellFormed(block.text) };
  }
  const { losses, message_index, rules } = place;
  const leaveOut = (message: string, text: string): TextBlock => {
    losses.push({ code: "unsupported_block", message, message_index, block_index });
    return { type: "text", text };
  };
  if (block.type === "image") {
    if (rules.images) return block;
    return leaveOut("An image was left out: this model cannot see", "[image left out: this model cannot read images]");
  }
  if (rules.documents === true || isTextDocument(block)) return block;
  const name = block.title ?? ("url" in block ? block.url : block.media_type);
  return leaveOut(
    `A document was left out: this model cannot read it (${name})`,
    `[document left out: this model cannot read ${name}]`,
  );
}

function callsLast(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  return [
    ...content.filter((block) => block.type !== "tool_call"),
    ...content.filter((block) => block.type === "tool_call"),
  ];
}

function isOwn(made: { readonly provider: string; readonly model: string }, rules: ProjectionRules): boolean {
  return made.provider === rules.provider && rules.models.includes(made.model);
}

function hasContent(block: UserBlock): boolean {
  return block.type !== "text" || block.text !== "";
}

/** Half of a surrogate pair is legal in a string and refused by every provider's JSON parser. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** A call that its maker wrote is replayed to it as it was; others get it mended. */
function wellFormedCall(call: ToolCallBlock): ToolCallBlock {
  const { arguments_text, ...rest } = call;
  const mended = mendedObject(call.arguments);
  if (arguments_text === undefined) return { ...rest, arguments: mended };
  return { ...rest, arguments: mended, arguments_text: wellFormed(arguments_text) };
}

function mendedObject(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [wellFormed(key), value === undefined ? value : mended(value)]),
  );
}

function mended(value: JsonValue): JsonValue {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(mended);
  return isJsonObject(value) ? mendedObject(value) : value;
}

/** With a legal alphabet the first attempt is enough; this only keeps an impossible rule from running forever. */
const renamingsMax = 100;

const missingResultText = "No result: the call was interrupted before it finished.";
const invalidArgumentsText =
  "Not run: the arguments were not a complete JSON object. Send the call again with valid JSON.";
