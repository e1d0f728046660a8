import type { Role, Style } from "./line.ts";

export type ThemeName = "dark" | "light";
/** How many colours the terminal can show: none, 16, 256 or all of them. */
export type ColorDepth = 0 | 4 | 8 | 24;

/** Turns styles into the numbers of an SGR code. */
export type Palette = {
  readonly theme: ThemeName;
  readonly depth: ColorDepth;
  /** `1;38;5;12`, or nothing for plain text. */
  readonly codes: (style: Style) => string;
};

export function createPalette(theme: ThemeName, depth: ColorDepth): Palette {
  const known = new WeakMap<Style, string>();
  const codes = (style: Style): string => {
    let found = known.get(style);
    if (found === undefined) known.set(style, (found = styleCodes(style, theme, depth)));
    return found;
  };
  return { theme, depth, codes };
}

export type TerminalEnvironment = { readonly [name: string]: string | undefined };

/** `bits` is what Node found out about the output (`getColorDepth`); 1 where it is no terminal. */
export function colorDepth(env: TerminalEnvironment, bits: number): ColorDepth {
  if ((env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb") return 0;
  if (/truecolor|24bit/i.test(env["COLORTERM"] ?? "") && bits > 1) return 24;
  return bits >= 24 ? 24 : bits >= 8 ? 8 : bits >= 4 ? 4 : 0;
}

/** From the terminal's answer about its background, or from `COLORFGBG`; most terminals are dark. */
export function themeFrom(background: Rgb | undefined, env: TerminalEnvironment): ThemeName {
  if (background !== undefined) return luminance(background) > 0.5 ? "light" : "dark";
  const back = /;(\d+)$/.exec(env["COLORFGBG"] ?? "")?.[1];
  return back !== undefined && (back === "7" || Number(back) > 8) ? "light" : "dark";
}

export type Rgb = readonly [red: number, green: number, blue: number];

function luminance([red, green, blue]: Rgb): number {
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

function styleCodes(style: Style, theme: ThemeName, depth: ColorDepth): string {
  const codes: (number | string)[] = [];
  if (style.bold === true) codes.push(1);
  if (style.dim === true) codes.push(2);
  if (style.italic === true) codes.push(3);
  if (style.underline === true) codes.push(4);
  // Without colours a row that is chosen or found is shown the other way round.
  const chosen = depth === 0 && (style.back === "selected_back" || style.back === "found_back");
  if (style.inverse === true || chosen) codes.push(7);
  if (style.strike === true) codes.push(9);
  if (style.color !== undefined) codes.push(...colorCodes(colors[theme][style.color], depth, 38));
  if (style.back !== undefined) codes.push(...colorCodes(colors[theme][style.back], depth, 48));
  return codes.join(";");
}

function colorCodes({ rgb, basic }: Color, depth: ColorDepth, kind: 38 | 48): readonly (number | string)[] {
  if (depth === 0) return [];
  if (depth === 4) return basic === undefined ? [] : [(basic < 8 ? 30 + basic : 82 + basic) + (kind - 38)];
  const [red, green, blue] = parseHex(rgb);
  return depth === 24 ? [kind, 2, red, green, blue] : [kind, 5, nearest256([red, green, blue])];
}

function parseHex(hex: string): Rgb {
  const number = Number.parseInt(hex, 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

/** Out of the colour cube (16–231) or the grey ramp (232–255), whichever is nearer. */
function nearest256(rgb: Rgb): number {
  const cube = rgb.map((value) => (value < 48 ? 0 : value < 115 ? 1 : Math.floor((value - 35) / 40)));
  const [red = 0, green = 0, blue = 0] = cube;
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const average = (rgb[0] + rgb[1] + rgb[2]) / 3;
  const grey = Math.min(23, Math.max(0, Math.round((average - 8) / 10)));
  const cubeDistance = distance(rgb, [level(red), level(green), level(blue)]);
  const greyDistance = distance(rgb, [8 + grey * 10, 8 + grey * 10, 8 + grey * 10]);
  return greyDistance < cubeDistance ? 232 + grey : 16 + 36 * red + 6 * green + blue;
}

function distance(one: Rgb, other: Rgb): number {
  return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2;
}

/** `basic` is the number among 16 colours; absent where the terminal's own colour reads best. */
type Color = { readonly rgb: string; readonly basic?: number };
type Colors = { readonly [role in Role]: Color };

const dark: Colors = {
  muted: { rgb: "8a8f98", basic: 8 },
  accent: { rgb: "7fb4ff", basic: 12 },
  good: { rgb: "7fcf8a", basic: 10 },
  warning: { rgb: "e5c07b", basic: 11 },
  bad: { rgb: "f2777a", basic: 9 },
  info: { rgb: "6cc7d9", basic: 14 },
  heading: { rgb: "e6b673", basic: 11 },
  link: { rgb: "6cb6ff", basic: 12 },
  code: { rgb: "d7ba7d", basic: 14 },
  keyword: { rgb: "c792ea", basic: 13 },
  string: { rgb: "98c379", basic: 10 },
  number: { rgb: "d19a66", basic: 11 },
  comment: { rgb: "7f848e", basic: 8 },
  title: { rgb: "61afef", basic: 12 },
  type: { rgb: "56b6c2", basic: 14 },
  added: { rgb: "8fd49a", basic: 10 },
  removed: { rgb: "f2898c", basic: 9 },
  added_back: { rgb: "16311c" },
  removed_back: { rgb: "3a1a1c" },
  selected_back: { rgb: "2d3b55", basic: 4 },
  found_back: { rgb: "6b5a12", basic: 3 },
  level_none: { rgb: "5f6670", basic: 8 },
  level_low: { rgb: "5fa8d3", basic: 6 },
  level_med: { rgb: "7fcf8a", basic: 2 },
  level_high: { rgb: "e5c07b", basic: 3 },
  level_max: { rgb: "e57bd0", basic: 5 },
};

const light: Colors = {
  muted: { rgb: "6b7078", basic: 8 },
  accent: { rgb: "1f5fbf", basic: 4 },
  good: { rgb: "1f7a33", basic: 2 },
  warning: { rgb: "8f6400", basic: 3 },
  bad: { rgb: "b3261e", basic: 1 },
  info: { rgb: "0b7285", basic: 6 },
  heading: { rgb: "8a4b08", basic: 3 },
  link: { rgb: "0b5cad", basic: 4 },
  code: { rgb: "7a4a00", basic: 6 },
  keyword: { rgb: "8b2fb0", basic: 5 },
  string: { rgb: "2f7d32", basic: 2 },
  number: { rgb: "a85800", basic: 3 },
  comment: { rgb: "737880", basic: 8 },
  title: { rgb: "1f5fbf", basic: 4 },
  type: { rgb: "0b7285", basic: 6 },
  added: { rgb: "1b6e2d", basic: 2 },
  removed: { rgb: "a8201a", basic: 1 },
  added_back: { rgb: "e0f5e3" },
  removed_back: { rgb: "fbe3e2" },
  selected_back: { rgb: "d4e3fb", basic: 7 },
  found_back: { rgb: "ffe9a8", basic: 11 },
  level_none: { rgb: "9aa0a6", basic: 8 },
  level_low: { rgb: "2a7fb8", basic: 6 },
  level_med: { rgb: "1f7a33", basic: 2 },
  level_high: { rgb: "a86f00", basic: 3 },
  level_max: { rgb: "a3218e", basic: 5 },
};

const colors: { readonly [theme in ThemeName]: Colors } = { dark, light };
