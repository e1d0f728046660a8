import { type Line, type Lines, lineWidth, pad, restyle, span } from "./line.ts";
import { wrap } from "./wrap.ts";

export type Align = "left" | "right" | "center";
export type Table = {
  readonly header: readonly Line[];
  readonly rows: readonly (readonly Line[])[];
  readonly align?: readonly (Align | undefined)[];
};

/** Columns as wide as what is in them; where that is too wide, cells wrap; where even that is, one cell per row. */
export function renderTable({ header, rows, align = [] }: Table, width: number): Lines {
  const count = header.length;
  const natural = header.map((cell, column) =>
    Math.max(1, lineWidth(cell), ...rows.map((row) => lineWidth(row[column] ?? []))),
  );
  const room = width - separatorWidth * (count - 1);
  if (room < count * columnMin && sum(natural) > room) return renderStacked({ header, rows }, width);
  const widths = fit(natural, room);
  const rule = mutedLine(widths.map((size) => "─".repeat(size)).join("─┼─"));
  const titles = renderRow(
    header.map((cell) => restyle(cell, { bold: true })),
    widths,
    align,
  );
  return [...titles, rule, ...rows.flatMap((row) => renderRow(row, widths, align))];
}

function renderRow(cells: readonly Line[], widths: readonly number[], align: Table["align"] = []): Lines {
  const wrapped = widths.map((width, column) => wrap(cells[column] ?? [], width));
  const height = Math.max(...wrapped.map(({ length }) => length));
  return Array.from({ length: height }, (_, index) =>
    widths.flatMap((width, column): Line => {
      const cell = aligned(wrapped[column]?.[index] ?? [], width, align[column]);
      return column === 0 ? cell : [separator, ...cell];
    }),
  );
}

function aligned(cell: Line, width: number, align: Align | undefined): Line {
  const missing = Math.max(0, width - lineWidth(cell));
  const before = align === "right" ? missing : align === "center" ? Math.floor(missing / 2) : 0;
  return pad(before === 0 ? cell : [span(" ".repeat(before)), ...cell], width);
}

/** The widest columns give first. */
function fit(natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural];
  for (let excess = sum(widths) - room; excess > 0; excess--) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = Math.max(1, (widths[widest] ?? 1) - 1);
  }
  return widths;
}

function renderStacked({ header, rows }: Table, width: number): Lines {
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [[]] : []),
    ...header.flatMap((title, column) =>
      wrap([...restyle(title, { bold: true }), span(": "), ...(row[column] ?? [])], width, [span("  ")]),
    ),
  ]);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function mutedLine(text: string): Line {
  return [span(text, { color: "muted" })];
}

const columnMin = 5;
const separator = span(" │ ", { color: "muted" });
const separatorWidth = 3;
