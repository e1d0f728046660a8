/** Which keys do what. Names of actions are the caller's. */
export type KeyMap<Action extends string> = { readonly [action in Action]: readonly string[] };

export type KeyProblem = { readonly action: string; readonly key: string; readonly problem: string };

/**
 * Defaults with a person's own keys over them. A key that somebody gives to one action is taken from all others; an
 * unknown action or a key that is none is reported and left out.
 */
export function createKeyMap<Action extends string>(
  defaults: KeyMap<Action>,
  own: { readonly [action: string]: readonly string[] } = {},
): { readonly map: KeyMap<Action>; readonly problems: readonly KeyProblem[] } {
  const problems: KeyProblem[] = [];
  const chosen = new Map<string, readonly string[]>();
  const owner = new Map<string, string>();
  for (const [action, keys] of Object.entries(own)) {
    if (!Object.hasOwn(defaults, action)) {
      problems.push({ action, key: keys.join(", "), problem: "there is no such action" });
      continue;
    }
    const good: string[] = [];
    for (const written of keys) {
      const key = parseKey(written);
      if (key === undefined) problems.push({ action, key: written, problem: "this is no key" });
      else if (owner.has(key)) problems.push({ action, key: written, problem: `already given to ${owner.get(key)}` });
      else {
        owner.set(key, action);
        good.push(key);
      }
    }
    chosen.set(action, good);
  }
  const entries = Object.entries<readonly string[]>(defaults).map(([action, keys]) => [
    action,
    chosen.get(action) ?? keys.filter((key) => !owner.has(key)),
  ]);
  return { map: Object.fromEntries(entries) as KeyMap<Action>, problems };
}

/** Undefined: the key does nothing here. */
export function actionOf<Action extends string>(map: KeyMap<Action>, key: string): Action | undefined {
  for (const action in map) if (map[action].includes(key)) return action;
  return undefined;
}

/** `Ctrl-Shift-P`, `^P`, `Option+Enter` → as keys.ts names it. Undefined: no key. */
export function parseKey(written: string): string | undefined {
  const caret = /^\^(.)$/.exec(written.trim());
  const text = caret === null ? written.trim() : `ctrl+${caret[1]}`;
  const parts = text.split(/[+-](?=.)/).map((part) => part.trim());
  const last = parts.pop() ?? "";
  const modifiers = parts.map((part) => modifierNames[part.toLowerCase()]);
  if (modifiers.includes(undefined)) return undefined;
  const lower = last.toLowerCase();
  const name = keyNames[lower] ?? (Array.from(last).length === 1 ? (modifiers.length > 0 ? lower : last) : undefined);
  if (name === undefined) return undefined;
  const order = ["ctrl", "alt", "shift", "super"].filter((modifier) => modifiers.includes(modifier));
  return [...order, name].join("+");
}

/** For people: `Ctrl+Shift+←`. */
export function showKey(key: string): string {
  return key
    .split(/\+(?=.)/)
    .map((part) => shown[part] ?? (part.length === 1 && key.length > 1 ? part.toUpperCase() : part))
    .join("+");
}

type Names = { readonly [name: string]: string };
const modifierNames: Names = {
  ctrl: "ctrl",
  control: "ctrl",
  c: "ctrl",
  alt: "alt",
  option: "alt",
  meta: "alt",
  m: "alt",
  shift: "shift",
  s: "shift",
  super: "super",
  cmd: "super",
};
const plainNames = "enter tab space escape backspace delete insert up down left right home end pageup pagedown".split(
  " ",
);
const functionNames = Array.from({ length: 12 }, (_, index) => `f${index + 1}`);
const keyNames: Names = {
  ...Object.fromEntries([...plainNames, ...functionNames].map((name) => [name, name])),
  return: "enter",
  esc: "escape",
  del: "delete",
  ins: "insert",
  pgup: "pageup",
  pgdn: "pagedown",
};
const shown: Names = {
  ctrl: "Ctrl",
  alt: "Alt",
  shift: "Shift",
  super: "Super",
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  enter: "Enter",
  escape: "Esc",
  tab: "Tab",
  space: "Space",
  backspace: "Backspace",
  delete: "Del",
  insert: "Ins",
  home: "Home",
  end: "End",
  pageup: "PgUp",
  pagedown: "PgDn",
};
