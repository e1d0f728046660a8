import type { AssistantMessage } from "../../core/index.ts";
import type { DecodedLine } from "./decode.ts";

/** One readable line: what came, from whom, how it ended, or what went wrong. */
export function summaryLine(line: DecodedLine): string {
  const who = line.provider === null ? "" : ` ${line.provider} ${line.api}`;
  return `${line.file}:${who} ${line.error === null ? answerOf(line) : errorOf(line.error)}`;
}

function answerOf(line: DecodedLine): string {
  const tokens = line.usage === null ? "no usage" : `${line.usage.total_tokens} tokens`;
  return [line.finish_reason, ...(line.message === null ? [] : contentOf(line.message)), tokens].join(" · ");
}

function contentOf(message: AssistantMessage): readonly string[] {
  const characters = (type: "text" | "thinking"): number =>
    message.content.reduce((sum, block) => sum + (block.type === type ? block.text.length : 0), 0);
  const calls = message.content.flatMap((block) => (block.type === "tool_call" ? [`${block.name}()`] : []));
  const others = message.content.filter((block) => block.type === "provider").length;
  return [
    `${characters("text")} characters`,
    ...(characters("thinking") > 0 ? [`${characters("thinking")} of thinking`] : []),
    ...calls,
    ...(others > 0 ? [`${others} provider blocks`] : []),
  ];
}

function errorOf(error: NonNullable<DecodedLine["error"]>): string {
  const status = error.http_status === null ? "" : ` ${error.http_status}`;
  const message = error.message.replaceAll(/\s+/g, " ");
  const shown = message.length > messageCharactersMax ? `${message.slice(0, messageCharactersMax)}…` : message;
  return `${error.category}${status} · ${shown}`;
}

const messageCharactersMax = 160;
