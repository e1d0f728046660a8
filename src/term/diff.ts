import { structuredPatch } from "diff";
import { type Line, type Lines, span, type Style } from "./line.ts";
import { clean } from "./width.ts";
import { wrap } from "./wrap.ts";

export type DiffCounts = { readonly added: number; readonly removed: number };
export type DiffView = DiffCounts & { readonly lines: Lines };

/** What changed, with line numbers and colours; `context` unchanged lines around it. */
export function viewDiff(before: string, after: string, width: number, context = 3): DiffView {
  const { hunks } = structuredPatch("", "", before, after, undefined, undefined, { context });
  const rows = hunks.flatMap(({ lines, oldStart, newStart }, index) => [
    ...(index > 0 ? [gap] : []),
    ...numbered(lines, oldStart, newStart),
  ]);
  return viewRows(rows, width);
}

/** A unified diff that somebody else made, coloured the same way. */
export function viewPatch(patch: string, width: number): DiffView {
  const rows: Row[] = [];
  let hunk: { lines: string[]; oldStart: number; newStart: number } | undefined;
  const finish = () => {
    if (hunk !== undefined) rows.push(...numbered(hunk.lines, hunk.oldStart, hunk.newStart));
    hunk = undefined;
  };
  for (const text of patch.replace(/\n$/, "").split("\n")) {
    const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    const header = /^(?:diff |index |--- |\+\+\+ )/.test(text);
    if (start !== null) {
      finish();
      if (rows.length > 0) rows.push(gap);
      hunk = { lines: [], oldStart: Number(start[1]), newStart: Number(start[2]) };
    } else if (hunk !== undefined && /^[-+ \\]|^$/.test(text) && !(header && /^diff |^index /.test(text)))
      hunk.lines.push(text);
    else {
      finish();
      rows.push({ kind: "header", text });
    }
  }
  finish();
  return viewRows(rows, width);
}

type Row = {
  readonly kind: "added" | "removed" | "same" | "gap" | "header";
  readonly text: string;
  readonly number?: number;
};

function numbered(lines: readonly string[], oldStart: number, newStart: number): readonly Row[] {
  let old = oldStart;
  let current = newStart;
  return lines.flatMap((text): readonly Row[] => {
    const rest = text.slice(1);
    switch (text.charAt(0)) {
      case "+":
        return [{ kind: "added", text: rest, number: current++ }];
      case "-":
        return [{ kind: "removed", text: rest, number: old++ }];
      case "\\":
        // "No newline at end of file"
        return [{ kind: "header", text: rest.trim() }];
      default:
        old += 1;
        return [{ kind: "same", text: rest, number: current++ }];
    }
  });
}

function viewRows(rows: readonly Row[], width: number): DiffView {
  const digits = Math.max(3, ...rows.map(({ number }) => String(number ?? "").length));
  const count = (wanted: Row["kind"]) => rows.filter(({ kind }) => kind === wanted).length;
  return {
    lines: rows.flatMap((row) => viewRow(row, digits, width)),
    added: count("added"),
    removed: count("removed"),
  };
}

function viewRow({ kind, text, number }: Row, digits: number, width: number): Lines {
  const { sign, style } = looks[kind];
  const start: Line = [span(`${String(number ?? "").padStart(digits)} `, { color: "muted" }), span(`${sign} `, style)];
  return wrap([...start, span(clean(text), style)], width, [span(" ".repeat(digits + 3))]);
}

const gap: Row = { kind: "gap", text: "⋯" };

const looks: { readonly [kind in Row["kind"]]: { readonly sign: string; readonly style: Style } } = {
  added: { sign: "+", style: { color: "added", back: "added_back" } },
  removed: { sign: "-", style: { color: "removed", back: "removed_back" } },
  same: { sign: " ", style: {} },
  gap: { sign: " ", style: { color: "muted" } },
  header: { sign: " ", style: { color: "muted" } },
};
