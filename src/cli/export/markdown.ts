import type { AssistantBlock, UserBlock } from "../../core/index.ts";
import { count, localTime, money, plural } from "../layout.ts";
import { tame } from "./tame.ts";
import { agentName, answerFacts, answerTrouble, isSafeLink, withoutControls, type Part } from "./transcript.ts";

/** A conversation as Markdown: read as it stands, or rendered; then thinking and results are folded. */
export async function* markdownPage(parts: AsyncIterable<Part>): AsyncGenerator<string, void, undefined> {
  for await (const part of parts) yield `${withoutControls(partText(part)).trimEnd()}\n\n`;
}

function partText(part: Part): string {
  switch (part.type) {
    case "head":
      return headText(part);
    case "agent": {
      const { agent, parent } = part;
      const from = parent === undefined ? "" : `, forked from ${inline(parent.name ?? parent.uuid.slice(0, 8))}`;
      return `---\n\n## ${inline(agentName(agent.uuid, new Map([[agent.uuid, agent]])))}${from}`;
    }
    case "user":
      return `### You · ${localTime(part.time)}\n\n${part.blocks.map(userBlock).join("\n\n")}`;
    case "answer":
      return answerText(part);
    case "result": {
      const failed = part.is_error ? ", failed" : "";
      const code = part.exit_code === undefined ? "" : `, exit code ${part.exit_code}`;
      return folded(`Result of ${part.name}${failed}${code}`, part.blocks.map(resultBlock).join("\n\n"));
    }
    case "change": {
      const head = `**${part.what}** ${codeSpan(part.path)}`;
      const { diff } = part;
      return `${head}${diff.type === "lines" ? `\n\n${fenced(diff.lines.join("\n"), "diff")}` : ` (${diff.reason})`}`;
    }
    case "note":
      return `*${inline(part.text)}*`;
    case "fold":
      return folded(part.title, tame(part.text));
  }
}

function headText({ title, session, totals }: Part & { readonly type: "head" }): string {
  const { messages, models, total_tokens, cost_usd, unpriced } = totals;
  const facts = [
    `Conversation ${codeSpan(session.uuid)}`,
    ...(session.folder === undefined ? [] : [`in ${codeSpan(session.folder)}`]),
    `${localTime(session.created_at)} – ${localTime(session.updated_at)}`,
    ...(models.length === 0 ? [] : [models.map(({ provider, model }) => inline(`${provider}:${model}`)).join(", ")]),
    `${plural(messages, "message")}, ${count(total_tokens)} tokens, ${money({ cost_usd, unpriced, total: models.length })}`,
  ];
  return `# ${inline(title)}\n\n${facts.map((fact) => `- ${fact}`).join("\n")}`;
}

function answerText({ data, time }: Part & { readonly type: "answer" }): string {
  const level = data.thinking_level_applied ?? data.thinking_level;
  const trouble = answerTrouble(data);
  const facts = answerFacts(data);
  return [
    `### ${inline(data.model)}${level === undefined ? "" : ` (${level})`} · ${localTime(time)}`,
    ...data.blocks.map(answerBlock).filter((text) => text !== ""),
    ...(trouble === undefined ? [] : [`**${inline(trouble)}**`]),
    ...(facts === "" ? [] : [`<sub>${facts}</sub>`]),
  ].join("\n\n");
}

function answerBlock(block: AssistantBlock): string {
  switch (block.type) {
    case "text": {
      const sources = (block.citations ?? []).filter(({ url }) => isSafeLink(url));
      const list = [...new Map(sources.map((source) => [source.url, source])).values()];
      const lines = list.map(
        ({ url, title }) => `- [${inline(title ?? url)}](<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>)`,
      );
      return [tame(block.text), ...(lines.length === 0 ? [] : [`Sources\n\n${lines.join("\n")}`])].join("\n\n");
    }
    case "thinking":
      return block.text.trim() === "" ? "" : folded("Thinking", tame(block.text));
    case "tool_call": {
      const text = block.invalid ? (block.arguments_text ?? "") : JSON.stringify(block.arguments, null, 2);
      return `**→ ${inline(block.name)}**\n\n${fenced(text, block.invalid ? "" : "json")}`;
    }
    // Only its maker can read it; the lossless export has it.
    case "provider":
      return "";
  }
}

/** As it was typed, and marked as a quotation: nothing in it can end up outside. */
function userBlock(block: UserBlock): string {
  return quoted(block.type === "text" ? tame(block.text) : attachment(block));
}

function resultBlock(block: UserBlock): string {
  return block.type === "text" ? fenced(block.text, "") : attachment(block);
}

function attachment(block: Exclude<UserBlock, { readonly type: "text" }>): string {
  const title = block.type === "document" && block.title !== undefined ? ` ${inline(block.title)}` : "";
  if ("url" in block) return `*${block.type}${title}: ${inline(block.url)}*`;
  const bytes = Math.floor((block.data.length * 3) / 4);
  return `*${block.type}${title}: ${inline(block.media_type)}, ${count(bytes)} bytes*`;
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

function folded(title: string, text: string): string {
  return `<details><summary>${inline(title)}</summary>\n\n${text}\n\n</details>`;
}

/** A fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

function codeSpan(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return longest === 0 ? `${ticks}${line}${ticks}` : `${ticks} ${line} ${ticks}`;
}

/** One line in which nothing means anything but itself. */
function inline(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]<>#|~]/g, "\\$&");
}
