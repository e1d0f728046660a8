import type { Summary } from "./stats.ts";

export type Row = {
  readonly driver: string;
  readonly value?: Summary;
  /** Against the first row. */
  readonly ratio?: Summary;
  /** The best of the one against the best of the other: what a machine with nothing else to do would show. */
  readonly best_ratio?: number;
  readonly note?: string;
  /** Why there is no value. */
  readonly failed?: string;
};

export type Report = {
  readonly name: string;
  readonly title: string;
  /** What `value` counts: µs of CPU per delta, KB … */
  readonly unit: string;
  /** What ikigai's row is meant to reach. */
  readonly goal?: Goal;
  readonly rows: readonly Row[];
};

/** `of`: which figure of the row has to be at most that much. */
export type Goal = { readonly of: "ratio" | "value"; readonly max: number };

export const ours = "ikigai";

/** A table a person can read, which is also Markdown. */
export function table({ title, unit, goal, rows }: Report): string {
  const hasRatio = rows.some(({ ratio }) => ratio !== undefined);
  const heads = ["", unit, ...(hasRatio ? ["× floor", "× best"] : []), ""];
  const lines = rows.map((row) => {
    const verdict = row.driver === ours && goal !== undefined ? [verdictOf(row, goal)] : [];
    const remark = [...verdict, ...(row.note === undefined ? [] : [row.note])].join("; ");
    if (row.failed !== undefined) return [row.driver, "–", ...(hasRatio ? ["–", "–"] : []), row.failed];
    const against = [figure(row.ratio), row.best_ratio === undefined ? "" : short(row.best_ratio)];
    return [row.driver, figure(row.value), ...(hasRatio ? against : []), remark];
  });
  const all = [heads, ...lines];
  const widths = heads.map((_, column) => Math.max(3, ...all.map((cells) => cells[column]?.length ?? 0)));
  const print = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [`### ${title}`, "", print(heads), rule, ...lines.map(print), ""].join("\n");
}

/** One line a case: ours, whether that is what we wanted, and the others against the same floor. */
export function summary(reports: readonly Report[]): string {
  const lines = reports.flatMap(({ title, unit, goal, rows }) => {
    const own = rows.find(({ driver }) => driver === ours);
    if (own?.value === undefined) return [];
    const others = rows.flatMap(({ driver, value, ratio }) => {
      if (driver === ours || driver === rows[0]?.driver || value === undefined) return [];
      return [`${driver} ${ratio === undefined ? short(value.median) : `× ${short(ratio.median)}`}`];
    });
    const against = own.ratio === undefined ? "" : `× ${short(own.ratio.median)}`;
    const wanted = goal === undefined ? "" : verdictOf(own, goal);
    return [`| ${title} | ${short(own.value.median)} ${unit} | ${against} | ${wanted} | ${others.join(", ")} |`];
  });
  return ["| | ikigai | floor | goal | others |", "|---|---|---|---|---|", ...lines, ""].join("\n");
}

export function verdictOf(row: Row, { of, max }: Goal): string {
  const found = row[of]?.median;
  if (found === undefined) return "";
  return `goal ≤ ${max}: ${found <= max ? "reached" : "missed"}`;
}

/** The median, with the quarters around it where they differ. */
function figure(summary: Summary | undefined): string {
  if (summary === undefined) return "";
  const { median, low, high } = summary;
  if (low === high) return short(median);
  return `${short(median)} (${short(low)}–${short(high)})`;
}

function short(value: number): string {
  if (Number.isInteger(value) && value > 1) return String(value);
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}
