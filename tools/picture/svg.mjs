// What a terminal shows, as an SVG: text in its colours on a dark window.

/** The cells of a screen, line by line. */
export function svgOf(cells, { columns, rows, title }) {
  const lines = cells.map((line) => runsOf(line, columns));
  const width = columns * cell.width + 2 * margin;
  const height = bar + rows * cell.height + 2 * margin;
  const body = lines.flatMap((runs, row) => runs.flatMap((run) => runElements(run, row)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${width}" height="${height}" rx="10" fill="${colours.background}" stroke="${colours.frame}"/>`,
    `<path d="M0 ${bar}V10A10 10 0 0 1 10 0H${width - 10}A10 10 0 0 1 ${width} 10V${bar}Z" fill="${colours.bar}"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (fill, index) => `<circle cx="${20 + index * 20}" cy="${bar / 2}" r="6" fill="${fill}"/>`,
    ),
    `<text x="${width / 2}" y="${bar / 2 + 5}" text-anchor="middle" fill="${colours.faint}" font-family="${sans}" font-size="13">${escaped(title)}</text>`,
    `<g font-family="${mono}" font-size="14" xml:space="preserve">`,
    ...body,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** Neighbouring cells that look the same, as one. */
function runsOf(line, columns) {
  const runs = [];
  for (let column = 0; column < columns; column++) {
    const found = line?.getCell(column);
    // The second half of a wide character has no width of its own.
    if (found === undefined || found.getWidth() === 0) continue;
    const style = styleOf(found);
    const text = found.getChars() || " ";
    const last = runs.at(-1);
    const wide = found.getWidth() > 1;
    if (last !== undefined && last.key === style.key && !wide && !last.wide) {
      last.text += text;
      last.width += 1;
    } else runs.push({ ...style, column, text, width: found.getWidth(), wide });
  }
  return runs;
}

function styleOf(found) {
  const inverse = found.isInverse() !== 0;
  const ink = colourOf(found.getFgColor(), { rgb: found.isFgRGB(), palette: found.isFgPalette() });
  const paper = colourOf(found.getBgColor(), { rgb: found.isBgRGB(), palette: found.isBgPalette() });
  const style = {
    fill: inverse ? (paper ?? colours.background) : (ink ?? colours.text),
    back: inverse ? (ink ?? colours.text) : paper,
    bold: found.isBold() !== 0,
    faint: found.isDim() !== 0,
    italic: found.isItalic() !== 0,
    underline: found.isUnderline() !== 0,
  };
  return { ...style, key: JSON.stringify(style) };
}

function colourOf(value, { rgb, palette }) {
  if (rgb) return `#${value.toString(16).padStart(6, "0")}`;
  if (!palette) return undefined;
  if (value < 16) return colours.palette[value];
  if (value >= 232) return `#${(8 + (value - 232) * 10).toString(16).padStart(2, "0").repeat(3)}`;
  const part = (step) => (step === 0 ? 0 : 55 + step * 40).toString(16).padStart(2, "0");
  const index = value - 16;
  return `#${part(Math.floor(index / 36))}${part(Math.floor(index / 6) % 6)}${part(index % 6)}`;
}

function runElements({ column, text, width, fill, back, bold, faint, italic, underline }, row) {
  const x = margin + column * cell.width;
  const y = bar + margin + row * cell.height;
  const paper =
    back === undefined
      ? []
      : [
          `<rect x="${round(x)}" y="${y}" width="${round(width * cell.width)}" height="${cell.height}" fill="${back}"/>`,
        ];
  const kept = text.trim();
  if (kept === "") return paper;
  // Cells, not characters: an emoji is several of these in two of those.
  const blanks = text.length - kept.length;
  const start = x + (text.length - text.trimStart().length) * cell.width;
  const length = (width - blanks) * cell.width;
  const looks = [
    `fill="${fill}"`,
    ...(bold ? ['font-weight="700"'] : []),
    ...(italic ? ['font-style="italic"'] : []),
    ...(faint ? ['opacity="0.6"'] : []),
    ...(underline ? ['text-decoration="underline"'] : []),
  ].join(" ");
  // Whatever font there is, the text is as wide as its cells.
  const fitted = `textLength="${round(length)}" lengthAdjust="spacingAndGlyphs"`;
  return [...paper, `<text x="${round(start)}" y="${y + 14}" ${fitted} ${looks}>${escaped(kept)}</text>`];
}

function round(value) {
  return Math.round(value * 100) / 100;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

const cell = { width: 8.43, height: 18 };
const margin = 12;
const bar = 34;
const mono = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const sans = "system-ui, sans-serif";
const colours = {
  background: "#12141a",
  bar: "#1d2029",
  frame: "#2b2f3b",
  text: "#d7dae0",
  faint: "#8b93a4",
  palette: (
    "#1d2029 #ef6b73 #8fc27a #e5c07b #61afef #c678dd #56b6c2 #d7dae0 " +
    "#5c6370 #ff7b85 #a5d88f #f0cf8d #7cc0ff #d68fee #6fcbd6 #ffffff"
  ).split(" "),
};
