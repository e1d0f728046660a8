import { messagesOf, textOf, user, type LogEntry, type Message } from "../core/index.ts";
import { ask, modelForPurpose, modelInfo, type Answer } from "../llm/index.ts";
import { choiceOf, specOf } from "./conversation.ts";
import { append, setState, spend, type Engine, type Live } from "./engine.ts";
import { errorOf } from "./exchange.ts";
import { nextRetry } from "./retry.ts";

export type Compaction =
  | { readonly compacted: true; readonly summary: string; readonly model: string; readonly cost_usd?: number }
  | { readonly compacted: false; readonly reason: string };

export type CompactOptions = {
  readonly signal: AbortSignal;
  /** What is left as it was: what belongs to the last thing that was said, or nothing. */
  readonly keep: "last_turn" | "nothing";
  /** What the summary should not forget. */
  readonly instructions?: string;
};

/** Puts a summary in the place of what was said. The log keeps everything. */
export async function compact(engine: Engine, live: Live, options: CompactOptions): Promise<Compaction> {
  const entries = live.replay.entries();
  const target = options.keep === "nothing" ? undefined : keptFrom(entries);
  const old = messagesOf(target === undefined ? entries : entries.slice(0, entries.indexOf(target)));
  if (old.length === 0) return { compacted: false, reason: "there is nothing to summarise" };
  const { llm } = engine.world;
  const model = modelForPurpose("summaries", llm.settings, `${specOf(choiceOf(live))}/none`);
  setState(engine, live, "streaming");
  try {
    const answer = await summarise(engine, live, { model, old, options });
    const summary = textOf(answer.message).trim();
    if (summary === "") return { compacted: false, reason: `${model} gave no summary` };
    const { usage, cost_usd } = answer;
    const { provider, model: id } = answer.message.origin;
    await append(engine, live, [
      {
        kind: "compact",
        content: `[A summary of the conversation so far]\n\n${summary}`,
        data: {
          ...(target === undefined ? {} : { target_uuid: target.uuid }),
          provider,
          model: id,
          usage,
          ...(cost_usd === undefined ? {} : { cost_usd }),
        },
      },
    ]);
    spend(engine, live, { usage, ...(cost_usd === undefined ? {} : { cost_usd }) });
    delete live.last;
    return { compacted: true, summary, model, ...(cost_usd === undefined ? {} : { cost_usd }) };
  } catch (thrown) {
    return { compacted: false, reason: errorOf(thrown).message };
  }
}

/** Where what stays begins: at the last thing that was said, or within one long turn at its last answer. */
function keptFrom(entries: readonly LogEntry[]): LogEntry | undefined {
  const said = entries.findLast(({ kind }) => kind === "user" || kind === "mail");
  const before = said === undefined ? [] : messagesOf(entries.slice(0, entries.indexOf(said)));
  return before.length > 0 ? said : entries.findLast(({ kind }) => kind === "assistant");
}

async function summarise(
  engine: Engine,
  live: Live,
  work: { readonly model: string; readonly old: readonly Message[]; readonly options: CompactOptions },
): Promise<Answer> {
  const { llm, now, sleep } = engine.world;
  const { signal, instructions } = work.options;
  const { context_tokens } = await modelInfo(work.model, llm);
  const told = fitted(transcript(work.old), context_tokens * charactersPerToken);
  const wish = instructions === undefined ? "" : `\n\nThe user adds: ${instructions}`;
  const conversation = { system: `${task}${wish}`, messages: [user(`<transcript>\n${told}\n</transcript>`)] };
  const started = now();
  for (let made = 1; ; made++) {
    try {
      return await ask(work.model, conversation, { ...llm, signal });
    } catch (thrown) {
      const error = errorOf(thrown);
      const retry = signal.aborted ? undefined : nextRetry(error, { made, elapsed_ms: now() - started });
      if (retry === undefined) throw thrown;
      engine.emit({ type: "retrying", agent_uuid: live.uuid, ...retry, error, discards: false });
      await sleep(retry.delay_ms, signal);
    }
  }
}

/** As plain text: any model can read it, whoever made it. */
function transcript(messages: readonly Message[]): string {
  return messages.map((message) => `${roles[message.role]}:\n${blocksText(message)}`).join("\n\n");
}

function blocksText(message: Message): string {
  const parts = message.content.map((block): string => {
    if (block.type === "text") return block.text;
    if (block.type === "tool_call") return `[calls ${block.name} ${JSON.stringify(block.arguments)}]`;
    if (block.type === "tool_result") {
      const text = block.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
      return `[${block.is_error ? "error" : "result"}] ${fitted(text, resultCharactersMax)}`;
    }
    return block.type === "image" || block.type === "document" ? `[${block.type}]` : "";
  });
  return parts.filter((part) => part !== "").join("\n");
}

/** The beginning says what it is about, the end where it stands; the middle can be missed best. */
function fitted(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const head = Math.floor(charactersMax * 0.3);
  const tail = Math.floor(charactersMax) - head;
  return `${text.slice(0, head)}\n[… ${text.length - head - tail} characters left out …]\n${text.slice(-tail)}`;
}

const roles = { user: "User", assistant: "Assistant", tool: "Tools" } as const;
const resultCharactersMax = 4_000;
/** Carefully: there is room for the summary as well, and for texts that make more tokens than most. */
const charactersPerToken = 2;

const task = [
  "You write the summary that will stand in place of a conversation between a user and an assistant with tools, so that",
  "the assistant can go on as if it remembered all of it. Say what the user wants and has decided, in the user's own",
  "words where they matter; what was done and found, with names of files, commands, figures and ids exactly as they were;",
  "what was tried and did not work; what is open and what comes next. No preamble.",
].join(" ");
