import type { Rgb } from "./theme.ts";
import { clean } from "./width.ts";

export type KeyInput = {
  readonly type: "key";
  /** `a`, `enter`, `ctrl+shift+left`: modifiers in the order ctrl, alt, shift, super, then the name of the key. */
  readonly key: string;
  /** What the key writes, if anything. */
  readonly text: string;
};

export type MouseInput = {
  readonly type: "mouse";
  readonly action: "press" | "release" | "drag" | "wheel_up" | "wheel_down";
  readonly button: "left" | "middle" | "right" | "none";
  readonly column: number;
  readonly row: number;
};

export type Input =
  | KeyInput
  | MouseInput
  | { readonly type: "paste"; readonly text: string }
  /** The terminal answers what we asked it, see `questions` in ansi.ts. */
  | { readonly type: "answer"; readonly about: "kitty_keys" | "attributes" }
  | { readonly type: "answer"; readonly about: "background"; readonly rgb: Rgb };

export type KeyDecoder = {
  /** Cuts may be anywhere, inside a character too: the keys are the same. */
  readonly feed: (bytes: Uint8Array) => readonly Input[];
  /** Nothing more came: what looked like the beginning of a code was a key. */
  readonly flush: () => readonly Input[];
  /** Waits for the rest of a code, or of a paste. */
  readonly waiting: () => "code" | "paste" | undefined;
};

export function createKeyDecoder(): KeyDecoder {
  const utf8 = new TextDecoder();
  let pending = "";
  let paste: string[] | undefined;

  /** `final`: no more will come for now. */
  function drain(final: boolean): readonly Input[] {
    const inputs: Input[] = [];
    while (pending !== "") {
      if (paste !== undefined) {
        if (!readPaste(inputs)) break;
        continue;
      }
      const step = readStep(pending, final);
      if (step === undefined) break;
      pending = pending.slice(step.length);
      if (step.input === "paste_start") paste = [];
      else if (step.input !== undefined) inputs.push(step.input);
    }
    return inputs;
  }

  /** True when the end of the paste was there. */
  function readPaste(inputs: Input[]): boolean {
    const end = pending.indexOf(pasteEnd);
    // The end may be cut: its beginning waits with us.
    const taken = end === -1 ? Math.max(0, pending.length - pasteEnd.length + 1) : end;
    paste?.push(pending.slice(0, taken));
    if (end === -1) {
      pending = pending.slice(taken);
      return false;
    }
    pending = pending.slice(end + pasteEnd.length);
    inputs.push(pasteOf(paste));
    paste = undefined;
    return true;
  }

  return {
    feed(bytes) {
      pending += utf8.decode(bytes, { stream: true });
      return drain(false);
    },
    flush() {
      if (paste === undefined) return drain(true);
      const whole = pasteOf([...paste, pending]);
      paste = undefined;
      pending = "";
      return [whole];
    },
    waiting: () => (paste !== undefined ? "paste" : pending !== "" ? "code" : undefined),
  };
}

function pasteOf(parts: readonly string[] = []): Input {
  return { type: "paste", text: clean(parts.join("")) };
}

type Step = { readonly length: number; readonly input: Input | "paste_start" | undefined };

/** The first key of the text. Undefined: more has to come before it can be told. */
function readStep(text: string, final: boolean): Step | undefined {
  const first = text.charAt(0);
  if (first === "\x1b") return readEscape(text, final);
  const character = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return { length: character.length, input: plainKey(character) };
}

function plainKey(character: string, modifiers = 0): Input | undefined {
  const code = character.codePointAt(0) ?? 0;
  const control = controlKeys[code];
  if (control !== undefined) return keyInput(control, modifiers);
  if (code === 0) return keyInput("space", modifiers | ctrl);
  if (code < 27) return keyInput(String.fromCharCode(code + 96), modifiers | ctrl);
  if (code >= 28 && code < 32) return keyInput(String.fromCharCode(code + 64).toLowerCase(), modifiers | ctrl);
  return code >= 0x7f && code < 0xa0 ? undefined : keyInput(character, modifiers);
}

function readEscape(text: string, final: boolean): Step | undefined {
  const kind = text.charAt(1);
  if (kind === "") return final ? { length: 1, input: keyInput("escape", 0) } : undefined;
  const read = longCodes[kind];
  if (read === undefined) {
    if (kind === "\x1b") return readTwoEscapes(text, final);
    const character = String.fromCodePoint(text.codePointAt(1) ?? 0);
    return { length: 1 + character.length, input: plainKey(character, alt) };
  }
  const step = read(text);
  if (step !== undefined) return step;
  // Nobody types on while a code is under way: Alt with that key.
  return final ? { length: 2, input: plainKey(kind, alt) } : undefined;
}

/** Some terminals put an escape before the code of a key for Alt. */
function readTwoEscapes(text: string, final: boolean): Step | undefined {
  const third = text.charAt(2);
  if (third === "" && !final) return undefined;
  if (third === "[" || third === "O") {
    const step = readEscape(text.slice(1), false);
    if (step === undefined && !final) return undefined;
    const input = step?.input;
    if (step !== undefined && typeof input === "object" && input.type === "key" && !input.key.includes("alt+")) {
      return { length: 1 + step.length, input: { ...input, key: withAlt(input.key), text: "" } };
    }
  }
  return { length: 1, input: keyInput("escape", 0) };
}

function withAlt(key: string): string {
  return key.startsWith("ctrl+") ? `ctrl+alt+${key.slice(5)}` : `alt+${key}`;
}

function readCsi(text: string): Step | undefined {
  const console = /^\x1b\[\[([A-E])/.exec(text);
  if (console !== null) return { length: 4, input: keyInput(`f${(console[1] ?? "A").charCodeAt(0) - 64}`, 0) };
  const found = /^\x1b\[([<=>?]?)([0-9;:]*)[ -/]*([@-~])/.exec(text);
  if (found === null) {
    const incomplete = /^\x1b\[(?:\[|[<=>?]?[0-9;:]*[ -/]*)$/.test(text) && text.length < codeMax;
    return incomplete ? undefined : { length: 2, input: undefined };
  }
  const [whole, mark = "", numbers = "", final = ""] = found;
  const fields = numbers.split(";").map((field) => field.split(":").map(Number));
  return { length: whole.length, input: csiInput(mark, fields, final) };
}

function csiInput(mark: string, fields: readonly (readonly number[])[], final: string): Step["input"] {
  const first = fields[0]?.[0] ?? 0;
  const modifiers = Math.max(0, (fields[1]?.[0] ?? 1) - 1);
  if (mark === "?") return final === "u" ? answers.kitty_keys : final === "c" ? answers.attributes : undefined;
  if (mark === "<") return final === "M" || final === "m" ? mouseInput(fields, final) : undefined;
  if (mark !== "") return undefined;
  // A key that is let go, or that repeats: kitty says so after a colon.
  if (fields[1]?.[1] === 3) return undefined;
  if (final === "~") {
    if (first === 200) return "paste_start";
    if (first === 27) return codedKey(fields[2]?.[0] ?? 0, modifiers);
    const name = tildeKeys[first];
    return name === undefined ? undefined : keyInput(name, modifiers);
  }
  if (final === "u") return codedKey(first, modifiers);
  if (final === "Z") return keyInput("tab", modifiers | shift);
  const name = letterKeys[final];
  return name === undefined ? undefined : keyInput(name, modifiers);
}

/** A key by its number in Unicode, as kitty and xterm's modifyOtherKeys send it. */
function codedKey(code: number, modifiers: number): Input | undefined {
  const name = kittyKeys[code] ?? controlKeys[code];
  if (name !== undefined) return keyInput(name, modifiers);
  if (code === 27) return keyInput("escape", modifiers);
  if (code < 32 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) || (code >= 57344 && code < 63744))
    return undefined;
  return keyInput(String.fromCodePoint(code), modifiers);
}

function mouseInput(fields: readonly (readonly number[])[], final: "M" | "m"): MouseInput {
  const [code = 0, column = 1, row = 1] = fields.map(([value]) => value);
  const place = { column: column - 1, row: row - 1 };
  if ((code & 64) !== 0) {
    return { type: "mouse", action: (code & 1) === 0 ? "wheel_up" : "wheel_down", button: "none", ...place };
  }
  const action = final === "m" ? "release" : (code & 32) !== 0 ? "drag" : "press";
  return { type: "mouse", action, button: buttons[code & 3] ?? "none", ...place };
}

function readSs3(text: string): Step | undefined {
  const found = /^\x1bO([0-9;]*)([A-Za-z])/.exec(text);
  if (found === null) return /^\x1bO[0-9;]*$/.test(text) ? undefined : { length: 2, input: plainKey("O", alt) };
  const [whole, numbers = "", final = ""] = found;
  const name = letterKeys[final] ?? keypadKeys[final];
  const modifiers = Math.max(0, Number(numbers.split(";").at(-1) ?? 1) - 1);
  return { length: whole.length, input: name === undefined ? undefined : keyInput(name, modifiers) };
}

/** OSC, DCS and their like: text up to an end code. */
function readString(text: string): Step | undefined {
  const found = /^\x1b([\]PX^_])([^\x07\x1b]*)(?:\x07|\x1b\\)/.exec(text);
  if (found !== null)
    return { length: found[0].length, input: found[1] === "]" ? oscInput(found[2] ?? "") : undefined };
  const incomplete = /^\x1b[\]PX^_][^\x07\x1b]*\x1b?$/.test(text) && text.length < codeMax;
  return incomplete ? undefined : { length: 2, input: undefined };
}

/** `11;rgb:1e1e/1e1e/2e2e` */
function oscInput(body: string): Input | undefined {
  const found = /^11;rgba?:([0-9a-f]+)\/([0-9a-f]+)\/([0-9a-f]+)/i.exec(body);
  if (found === null) return undefined;
  const part = (hex = "0") => Math.round((Number.parseInt(hex, 16) / (16 ** hex.length - 1)) * 255);
  return { type: "answer", about: "background", rgb: [part(found[1]), part(found[2]), part(found[3])] };
}

function keyInput(name: string, modifiers: number): KeyInput {
  const upper = name.length === 1 && name >= "A" && name <= "Z";
  const strong = (modifiers & (ctrl | alt | superKey)) !== 0;
  if (!strong && (name === "space" || name.length === 1 || isOneCharacter(name))) {
    const text = name === "space" ? " " : name;
    return { type: "key", key: name, text: (modifiers & shift) !== 0 ? text.toUpperCase() : text };
  }
  const shifted = (modifiers & shift) !== 0 || upper;
  const chord = [
    ...((modifiers & ctrl) !== 0 ? ["ctrl"] : []),
    ...((modifiers & alt) !== 0 ? ["alt"] : []),
    ...(shifted ? ["shift"] : []),
    ...((modifiers & superKey) !== 0 ? ["super"] : []),
    upper ? name.toLowerCase() : name,
  ];
  return { type: "key", key: chord.join("+"), text: "" };
}

function isOneCharacter(name: string): boolean {
  return name.length === 2 && (name.codePointAt(0) ?? 0) > 0xffff;
}

const pasteEnd = "\x1b[201~";
/** A code longer than this is none. */
const codeMax = 4096;

const shift = 1;
const alt = 2;
const ctrl = 4;
const superKey = 8;

const answers = {
  kitty_keys: { type: "answer", about: "kitty_keys" },
  attributes: { type: "answer", about: "attributes" },
} as const satisfies { [about: string]: Input };

const buttons: readonly MouseInput["button"][] = ["left", "middle", "right", "none"];

type Reader = (text: string) => Step | undefined;
const longCodes: { readonly [kind: string]: Reader } = {
  "[": readCsi,
  O: readSs3,
  "]": readString,
  P: readString,
  X: readString,
  "^": readString,
  _: readString,
};

type Names = { readonly [code: string | number]: string };
const controlKeys: Names = { 9: "tab", 13: "enter", 32: "space", 127: "backspace" };
const letterKeys: Names = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "center",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};
// prettier-ignore
const tildeKeys: Names = {
  1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageup", 6: "pagedown", 7: "home", 8: "end",
  11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10", 23: "f11", 24: "f12",
};
/** Keypad in application mode. */
// prettier-ignore
const keypadKeys: Names = {
  M: "enter", j: "*", k: "+", l: ",", m: "-", n: ".", o: "/",
  p: "0", q: "1", r: "2", s: "3", t: "4", u: "5", v: "6", w: "7", x: "8", y: "9",
};
/** Kitty's numbers for the keypad. */
// prettier-ignore
const kittyKeys: Names = {
  57399: "0", 57400: "1", 57401: "2", 57402: "3", 57403: "4", 57404: "5", 57405: "6", 57406: "7", 57407: "8", 57408: "9",
  57409: ".", 57410: "/", 57411: "*", 57412: "-", 57413: "+", 57414: "enter", 57415: "=",
  57417: "left", 57418: "right", 57419: "up", 57420: "down", 57421: "pageup", 57422: "pagedown",
  57423: "home", 57424: "end", 57425: "insert", 57426: "delete",
};
