import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Hit, SessionSummary, SessionTotals, Store } from "../store/index.ts";
import { UsageError, type Io } from "./io.ts";
import {
  inkFor,
  localTime,
  money,
  oneLine,
  shortDollars,
  shortFolder,
  shortTime,
  table,
  type Column,
  type Ink,
} from "./layout.ts";
import { takeInAbandoned, withHistory } from "./stored.ts";

export async function runHistory(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      limit: { type: "string", default: "20" },
      ranked: { type: "boolean", default: false },
      folder: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const query = positionals.join(" ").trim();
  if (values.ranked && query === "") throw new UsageError("--ranked orders the hits of a search; say what to look for");
  const limit = limitFrom(values.limit);
  const where = values.folder === undefined ? {} : { folder: resolve(values.folder) };
  const empty = (): number => {
    if (values.json) io.stdout("[]\n");
    return 0;
  };
  return withHistory(io, {
    empty,
    run: async ({ store, hide }) => {
      await takeInAbandoned(store, io);
      const hidden: Io = { ...io, stdout: (text) => io.stdout(hide(text)) };
      const show = { json: values.json, io: hidden };
      if (query === "") return showSessions(await findSessions(store, { ...where, limit }), show);
      const order = values.ranked ? "best" : "newest";
      return showHits(await store.search(query, { ...where, limit, order }), { ...show, query });
    },
  });
}

function limitFrom(text: string): number {
  const limit = Number(text);
  if (text.trim() === "" || !Number.isInteger(limit) || limit < 1 || limit > limitMax)
    throw new UsageError(`--limit takes a whole number from 1 to ${limitMax}, not "${text}"`);
  return limit;
}

type Found = SessionSummary & SessionTotals;

async function findSessions(
  store: Store,
  options: { readonly folder?: string; readonly limit: number },
): Promise<readonly Found[]> {
  const sessions = await store.sessions.list(options);
  const totals = await store.sessions.totals(sessions.map(({ uuid }) => uuid));
  return sessions.flatMap((session, index) => {
    const total = totals[index];
    return total === undefined ? [] : [{ ...session, ...total }];
  });
}

type Show = { readonly json: boolean; readonly io: Io };

function showSessions(sessions: readonly Found[], { json, io }: Show): number {
  if (json) {
    io.stdout(`${JSON.stringify(sessions)}\n`);
    return 0;
  }
  if (sessions.length === 0) io.stderr("No conversations here yet.\n");
  else {
    const rows = sessions.map((session) => sessionRow(session, io));
    const [head = "", ...lines] = table(columns, rows, io.screen?.columns);
    io.stdout(`${[inkFor(io).faint(head), ...lines].join("\n")}\n`);
  }
  return 0;
}

function sessionRow(session: Found, io: Io): readonly string[] {
  const { models, messages, cost_usd, unpriced, title, first_text } = session;
  const [first, ...others] = models;
  const more = others.length === 0 ? "" : ` +${others.length}`;
  return [
    shortId(session.uuid),
    shortTime(session.updated_at, Date.now()),
    oneLine(shortFolder(session.folder ?? "", io.env?.["HOME"])),
    `${oneLine(first?.model ?? "–")}${more}`,
    String(messages),
    money({ cost_usd, unpriced, total: models.length }, shortDollars),
    oneLine(title ?? first_text ?? ""),
  ];
}

function showHits(hits: readonly Hit[], { json, io, query }: Show & { readonly query: string }): number {
  if (json) {
    io.stdout(`${JSON.stringify(hits)}\n`);
    return 0;
  }
  if (hits.length === 0) io.stderr(`Nothing found for ${oneLine(query)}.\n`);
  const ink = inkFor(io);
  for (const hit of hits) io.stdout(`${hitLines(hit, { query, ink, home: io.env?.["HOME"] }).join("\n")}\n`);
  return 0;
}

function hitLines(
  hit: Hit,
  { query, ink, home }: { readonly query: string; readonly ink: Ink; readonly home: string | undefined },
): readonly string[] {
  const place = hit.folder === undefined ? "" : `  ${oneLine(shortFolder(hit.folder, home))}`;
  const title = hit.title === undefined ? "" : `  ${oneLine(hit.title)}`;
  const who = kindWords[hit.kind] ?? hit.kind;
  return [
    `${ink.strong(shortId(hit.session_uuid))}  ${ink.faint(`${localTime(hit.created_at)}${place}${title}  ${who}`)}`,
    `  ${highlighted(oneLine(hit.excerpt), query, ink)}`,
  ];
}

/** The words of the search, as far as they stand there letter for letter. */
function highlighted(text: string, query: string, ink: Ink): string {
  const words = query.match(/(?<![\p{L}\p{N}-])[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return text;
  return text.replaceAll(new RegExp(words.join("|"), "giu"), (word) => ink.strong(word));
}

/** Enough of an id to find it again by. */
export function shortId(uuid: string): string {
  return uuid.slice(0, 8);
}

const limitMax = 10_000;

const columns: readonly Column[] = [
  { title: "ID" },
  { title: "WHEN" },
  { title: "FOLDER", max: 32, cut: "start" },
  { title: "MODEL", max: 28 },
  { title: "MSGS", align: "right" },
  { title: "COST", align: "right" },
  { title: "BEGINS WITH", rest: true },
];

const kindWords: { readonly [kind in Hit["kind"]]?: string } = {
  user: "you",
  assistant: "answer",
  tool_result: "tool result",
  compact: "summary",
};
