import type { ErrorCategory } from "../core/index.ts";

/**
 * What all providers have in common when they refuse: a sentence, headers that say when to come back, sometimes a page
 * of HTML from something in between. Codes are each protocol's own and come first; this is what to ask next.
 */

/** How much of a message is looked at: some servers echo the whole prompt. */
const messageCharactersMax = 4_096;

/**
 * What a message means, whoever wrote it. Undefined: it says nothing we know; ask the status.
 * Addresses are not read, since every quota message links to a page about rate limits and one about billing.
 */
export function categoryFromMessage(message: string): ErrorCategory | undefined {
  const text = message.slice(0, messageCharactersMax).replace(/https?:\/\/\S+/g, " ");
  return messagePatterns.find(([, patterns]) => patterns.some((pattern) => pattern.test(text)))?.[0];
}

/**
 * How long the provider asks us to wait: `retry-after-ms`, `retry-after` (seconds or a date), or the reset time of a
 * limit that is used up. A limit with something left in it is no reason to wait.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  // Azure sends `retry-after-ms: 0` beside `retry-after: 1`: a zero says nothing.
  const milliseconds = Number(headers.get("retry-after-ms") ?? "");
  if (milliseconds > 0) return Math.ceil(milliseconds);
  const after = headers.get("retry-after")?.trim() ?? "";
  if (after !== "") return delayOf(after, now, "seconds");
  const delays: number[] = [];
  headers.forEach((value, name) => {
    if (!name.includes("ratelimit") || !name.includes("-reset")) return;
    const remaining = headers.get(name.replace("-reset", "-remaining"));
    if (remaining === null || Number(remaining) > 0) return;
    const delay = delayOf(value.trim(), now, "duration");
    if (delay !== undefined) delays.push(delay);
  });
  return delays.length === 0 ? undefined : Math.max(...delays);
}

/** The provider's own word on whether trying again makes sense. It wins over the category. */
export function shouldRetry(headers: Headers): boolean | undefined {
  const hint = headers.get("x-should-retry")?.trim().toLowerCase();
  return hint === "true" ? true : hint === "false" ? false : undefined;
}

/** Takes everything out of a text that looks like a key or a token. */
export function maskSecrets(text: string): string {
  return secretPatterns.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text);
}

/** A readable sentence for a body that is not the provider's JSON: proxies answer in HTML, in a word, or not at all. */
export function describeBody(status: number, text: string): string {
  const body = text.trim();
  const prefix = status === 200 ? "The answer is not what this API sends" : `HTTP ${status}`;
  if (body === "") return `${prefix} without a message`;
  const readable = /<(?:!doctype|html|head|body|title|h1)\b/i.test(body) ? textOfHtml(body) : body;
  const short = readable.length > 300 ? `${readable.slice(0, 300)}…` : readable;
  return maskSecrets(`${prefix}: ${short === "" ? "an HTML page without text" : short}`);
}

function textOfHtml(html: string): string {
  const part = (tag: string): string => new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`, "i").exec(html)?.[1] ?? "";
  const plain = (markup: string): string =>
    markup
      .replace(/<(script|style)\b[^]*?<\/\1>/gi, " ")
      .replace(/<[^>]*>/g, " ")
      .replace(/&nbsp;/g, " ")
      .replace(/&amp;/g, "&")
      .replace(/\s+/g, " ")
      .trim();
  return plain(part("title")) || plain(part("h1")) || plain(html.slice(0, messageCharactersMax));
}

/** `90`, `1.5`, an HTTP or RFC 3339 date, `23m2.4s`, `12ms`, or a point in time as seconds or milliseconds. */
function delayOf(value: string, now: number, bare: "seconds" | "duration"): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(value)) {
    const number = Number(value);
    if (bare === "seconds" || number < 1e9) return Math.ceil(number * 1000);
    return Math.max(0, Math.ceil(number < 1e12 ? number * 1000 : number) - now);
  }
  const duration = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/.exec(value);
  if (duration !== null && value !== "") {
    const [days, hours, minutes, seconds, milliseconds] = duration.slice(1).map((part) => Number(part ?? 0));
    const wholeSeconds = (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0);
    return Math.ceil(wholeSeconds * 1000 + (milliseconds ?? 0));
  }
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * The first row that matches decides. Money before rate, since credit refusals come as 429; rate before context, since
 * "too many tokens" is said of both; bare quotas after rate, since "quota exceeded … per minute" passes by itself.
 */
const messagePatterns: readonly (readonly [ErrorCategory, readonly RegExp[]])[] = [
  [
    "billing",
    [
      /insufficient[_ ](?:quota|credits?|balance|funds)/i,
      /credit[_ ]balance[_ ](?:is[_ ]too[_ ]low|exhausted)/i,
      /(?:requires? more|used all available|(?:run )?out of|no remaining|not enough) credits/i,
      /can only afford/i,
      /spend(?:ing)?[_ ]limit/i,
      /(?:reached|exceeded|hit) your (?:specified )?(?:\w+ ){0,2}usage limits?/i,
      /billing (?:hard |soft )?limit|monthly (?:usage |spend(?:ing)? )?limit|monthly quota/i,
      /check your plan and billing/i,
      /payment[_ ]required|purchase (?:more )?credits/i,
    ],
  ],
  [
    "rate_limit",
    [
      /rate[-_ ]?limit/i,
      /too many requests/i,
      /throttl(?:ed|ing)/i,
      /(?:tokens?|requests?|quota|words) per[-_ ](?:second|min(?:ute)?|hour|day)\b/i,
      /\b(?:tpm|rpm|tpd|rpd)\b/i,
      /resource (?:has been )?exhausted/i,
    ],
  ],
  ["billing", [/exceeded your current quota/i, /quota (?:was |has been )?exceeded/i, /exceeded (?:your |the )?quota/i]],
  [
    "context_length",
    [
      /prompt (?:is )?too long/i,
      /request_too_large/i,
      /exceeds? (?:the )?(?:model's )?(?:maximum )?context (?:window|length|limit|size)/i,
      /context window exceeded/i,
      /input length and [`'"]?max_tokens[`'"]? exceed context limit/i,
      /input token count.*exceeds the maximum/i,
      /maximum prompt length is \d+/i,
      /reduce the length of the (?:messages|prompt|input)/i,
      /maximum context length (?:is|of) \d+/i,
      /exceeds (?:the )?maximum allowed input length of/i,
      /exceeds the available context size/i,
      /larger than the max(?:imum)? context size/i,
      /(?:greater|longer) than the (?:model's )?context length/i,
      /input length exceeds the context length/i,
      /exceeded (?:max )?context length/i,
      /context[_ ]length[_ ]exceeded/i,
      /exceed_context_size_error/i,
      /too[_ ]many[_ ](?:prompt[_ ])?tokens/i,
      /token limit exceeded/i,
    ],
  ],
  [
    "auth",
    [
      /(?:incorrect|invalid|missing|no) (?:x-)?api[-_ ]key/i,
      /api[-_ ]key (?:is )?(?:not valid|invalid|not found|expired|missing)/i,
      /invalid (?:authentication|bearer|subscription key)/i,
      /(?:missing authentication header|no (?:cookie )?auth credentials)/i,
    ],
  ],
  ["content_filter", [/violates? (?:our |the )?usage (?:guidelines|policy|policies)/i, /content management policy/i]],
  ["not_found", [/is not a valid model id/i, /^(?:the )?(?:requested )?model\b.{0,200}(?:not found|does not exist)/i]],
  ["overloaded", [/\boverloaded(?:_error)?\b/i, /^loading model$/i, /at (?:full )?capacity/i]],
];

const secretPatterns: readonly (readonly [RegExp, string])[] = [
  [/(?<![A-Za-z0-9])(sk-(?:ant-(?:api|oat|admin)\d*-|proj-|or-v1-)?)[A-Za-z0-9_-]{8,}/g, "$1***"],
  [/(?<![A-Za-z0-9])(AIza|ya29\.|AQ\.)[A-Za-z0-9_-]{12,}/g, "$1***"],
  [/(?<![A-Za-z0-9])(xai-|gsk_|hf_|csk-|pplx-)[A-Za-z0-9_]{16,}/g, "$1***"],
  [/(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/g, "***"],
  [/\b(bearer\s+)[A-Za-z0-9._~+/=|-]{8,}/gi, "$1***"],
  [/([?&](?:key|api_key|access_token)=)[^&\s"']+/gi, "$1***"],
];
