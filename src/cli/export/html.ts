import type { AssistantBlock, Citation, UserBlock } from "../../core/index.ts";
import { count, localTime, money, plural } from "../layout.ts";
import { escapeHtml, htmlFromMarkdown } from "./html-text.ts";
import { pageStyle } from "./style.ts";
import { agentName, answerFacts, answerTrouble, isSafeLink, withoutControls, type Part } from "./transcript.ts";

/** A conversation as one page that needs nothing else: no script, no address it would load from. */
export async function* htmlPage(parts: AsyncIterable<Part>): AsyncGenerator<string, void, undefined> {
  for await (const part of parts) yield `${partHtml(part)}\n`;
  yield "</main>\n</body>\n</html>\n";
}

function partHtml(part: Part): string {
  switch (part.type) {
    case "head":
      return headHtml(part);
    case "agent": {
      const { agent, parent } = part;
      const from =
        parent === undefined ? "" : ` <small>forked from ${text(parent.name ?? parent.uuid.slice(0, 8))}</small>`;
      return `<h2>${text(agentName(agent.uuid, new Map([[agent.uuid, agent]])))}${from}</h2>`;
    }
    case "user":
      return article("user", { who: "You", time: part.time, body: part.blocks.map(userBlock).join("\n") });
    case "answer":
      return answerHtml(part);
    case "result": {
      const code = part.exit_code === undefined ? "" : `, exit code ${part.exit_code}`;
      const failed = part.is_error ? ' <span class="bad">failed</span>' : "";
      const summary = `Result of <b>${text(part.name)}</b>${failed}${code} ${hint(part.blocks)}`;
      return `<details class="result"><summary>${summary}</summary>${part.blocks.map(resultBlock).join("\n")}</details>`;
    }
    case "change":
      return changeHtml(part);
    case "note":
      return `<p class="note">${text(part.text)} ${timeHtml(part.time)}</p>`;
    case "fold":
      return `<details class="result"><summary>${text(part.title)}</summary>${prose(part.text)}</details>`;
  }
}

function headHtml({ title, session, totals }: Part & { readonly type: "head" }): string {
  const { messages, models, total_tokens, cost_usd, unpriced } = totals;
  const facts = [
    ...(session.folder === undefined ? [] : [`<code>${text(session.folder)}</code>`]),
    `${timeHtml(session.created_at)} – ${timeHtml(session.updated_at)}`,
    ...models.map(({ provider, model }) => text(`${provider}:${model}`)),
    text(plural(messages, "message")),
    text(plural(total_tokens, "token")),
    text(money({ cost_usd, unpriced, total: models.length })),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${text(title)}</title>
<style>
${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1>${text(title)}</h1>
<p class="facts">${facts.join(" · ")}</p>
<p class="facts">Conversation <code>${text(session.uuid)}</code></p>
</header>`;
}

function answerHtml({ data, time }: Part & { readonly type: "answer" }): string {
  const level = data.thinking_level_applied ?? data.thinking_level;
  const trouble = answerTrouble(data);
  const facts = answerFacts(data);
  const body = [
    ...data.blocks.map(answerBlock),
    ...(trouble === undefined ? [] : [`<p class="bad">${text(trouble)}</p>`]),
    ...(facts === "" ? [] : [`<p class="facts">${text(facts)}</p>`]),
  ].join("\n");
  return article("answer", { who: `${data.model}${level === undefined ? "" : ` (${level})`}`, time, body });
}

function answerBlock(block: AssistantBlock): string {
  switch (block.type) {
    case "text":
      return `${prose(block.text)}${sources(block.citations ?? [])}`;
    case "thinking":
      if (block.text.trim() === "") return "";
      return `<details class="thinking"><summary>Thinking</summary>${prose(block.text)}</details>`;
    case "tool_call": {
      const args = block.invalid ? (block.arguments_text ?? "") : JSON.stringify(block.arguments, null, 2);
      const short = block.invalid ? "arguments that could not be read" : argumentsHint(JSON.stringify(block.arguments));
      const summary = `<b>${text(block.name)}</b> <code>${text(short)}</code>`;
      return `<details class="call"><summary>${summary}</summary><pre>${text(args)}</pre></details>`;
    }
    // Only its maker can read it; the lossless export has it.
    case "provider":
      return "";
  }
}

function sources(citations: readonly Citation[]): string {
  const safe = citations.filter(({ url }) => isSafeLink(url));
  const once = [...new Map(safe.map((citation) => [citation.url, citation])).values()];
  if (once.length === 0) return "";
  const items = once.map(({ url, title }) => `<li>${link(url, text(title ?? url))}</li>`);
  return `<details class="call"><summary>${plural(once.length, "source")}</summary><ul>${items.join("")}</ul></details>`;
}

function changeHtml({ path, what, diff }: Part & { readonly type: "change" }): string {
  const summary = `${text(what)} <code>${text(path)}</code>`;
  if (diff.type === "no_lines") return `<p class="note">${summary} (${text(diff.reason)})</p>`;
  const lines = diff.lines.map((line) => `<span class="${lineClass(line)}">${text(line)}</span>`);
  return `<details class="change" open><summary>${summary}</summary><pre class="diff">${lines.join("\n")}</pre></details>`;
}

function lineClass(line: string): string {
  const [mark] = line;
  return mark === "+" ? "added" : mark === "-" ? "removed" : mark === "@" ? "place" : "same";
}

function article(
  kind: "user" | "answer",
  { who, time, body }: { readonly who: string; readonly time: number; readonly body: string },
): string {
  return `<article class="${kind}">\n<h3>${text(who)} ${timeHtml(time)}</h3>\n${body}\n</article>`;
}

/** What a person typed is shown as it was typed. */
function userBlock(block: UserBlock): string {
  return block.type === "text" ? `<div class="typed">${text(block.text)}</div>` : attachment(block);
}

function resultBlock(block: UserBlock): string {
  return block.type === "text" ? `<pre>${text(block.text)}</pre>` : attachment(block);
}

/** A picture that came along is part of the page; one that would have to be fetched stays where it is. */
function attachment(block: Exclude<UserBlock, { readonly type: "text" }>): string {
  const title = block.type === "document" && block.title !== undefined ? `${block.title}, ` : "";
  if ("url" in block) {
    const shown = text(`${block.type}: ${title}${block.url}`);
    return `<p class="note">${isSafeLink(block.url) ? link(block.url, shown) : shown}</p>`;
  }
  if (block.type === "image" && shownImages.test(block.media_type) && /^[A-Za-z0-9+/=]*$/.test(block.data))
    return `<p><img alt="attached picture" src="data:${block.media_type};base64,${block.data}"></p>`;
  const bytes = Math.floor((block.data.length * 3) / 4);
  return `<p class="note">${text(`${block.type}: ${title}${block.media_type}, ${count(bytes)} bytes`)}</p>`;
}

function hint(blocks: readonly UserBlock[]): string {
  const lines = blocks.reduce(
    (sum, block) => sum + (block.type === "text" ? block.text.trimEnd().split("\n").length : 1),
    0,
  );
  return `<small>${plural(lines, "line")}</small>`;
}

function argumentsHint(json: string): string {
  return json.length <= hintLength ? json : `${json.slice(0, hintLength).toWellFormed()}…`;
}

function link(href: string, shown: string): string {
  return `<a href="${escapeHtml(href)}" rel="noopener noreferrer nofollow">${shown}</a>`;
}

function timeHtml(time: number): string {
  return `<time datetime="${new Date(time).toISOString()}">${localTime(time)}</time>`;
}

function prose(markdown: string): string {
  return htmlFromMarkdown(withoutControls(markdown));
}

function text(plain: string): string {
  return escapeHtml(withoutControls(plain));
}

const shownImages = /^image\/(png|jpeg|gif|webp)$/;
const hintLength = 100;
