import { createKeyMap, editorKeys, type EditAction, type KeyMap, type KeyProblem, showKey } from "../../term/index.ts";

/**
 * Everything a key can do on the screen. The keys, the `?` overlay, `keys` of the configuration and the reference are made
 * from this table and from the editor's own.
 */
export const screenActions = {
  send: { keys: ["enter"], group: "Writing", says: "send; while the agent works it waits for its turn" },
  complete: {
    keys: ["tab"],
    group: "Writing",
    says: "complete; where there is nothing to complete, go to an agent that asks",
  },
  editor: { keys: ["ctrl+g"], group: "Writing", says: "write in $EDITOR" },
  clear: { keys: ["ctrl+c"], group: "Writing", says: "throw the text away; twice: quit" },
  interrupt: { keys: ["escape"], group: "Agents", says: "interrupt the running turn, and only that" },
  next_agent: { keys: ["ctrl+right"], group: "Agents", says: "next sibling" },
  previous_agent: { keys: ["ctrl+left"], group: "Agents", says: "previous sibling" },
  parent_agent: { keys: ["ctrl+up"], group: "Agents", says: "parent" },
  child_agent: { keys: ["ctrl+down"], group: "Agents", says: "child" },
  ...agentNumbers(),
  page_up: { keys: ["pageup"], group: "Reading", says: "a page up" },
  page_down: { keys: ["pagedown"], group: "Reading", says: "a page down" },
  line_up: { keys: ["shift+up"], group: "Reading", says: "a line up" },
  line_down: { keys: ["shift+down"], group: "Reading", says: "a line down" },
  top: { keys: ["home"], group: "Reading", says: "to the beginning, on an empty line" },
  bottom: { keys: ["end"], group: "Reading", says: "to the end and follow it, on an empty line" },
  find: { keys: ["ctrl+f"], group: "Reading", says: "find in the conversation" },
  thinking: { keys: ["ctrl+t"], group: "Reading", says: "show thinking whole or as one line" },
  output: { keys: ["ctrl+o"], group: "Reading", says: "the last tool's whole output" },
  repaint: { keys: ["ctrl+l"], group: "Program", says: "paint the screen again" },
  suspend: { keys: ["ctrl+z"], group: "Program", says: "back to the shell; `fg` returns" },
  help: { keys: ["?"], group: "Program", says: "this list, on an empty line" },
  quit: { keys: ["ctrl+d"], group: "Program", says: "quit, on an empty line" },
} as const satisfies { readonly [name: string]: ActionRow };

type ActionRow = { readonly keys: readonly string[]; readonly group: string; readonly says: string };

export type ScreenAction = keyof typeof screenActions;

export type Keys = { readonly screen: KeyMap<ScreenAction>; readonly editor: KeyMap<EditAction> };

/** A person's own keys over ours. What the screen takes is not the editor's any more. */
export function createKeys(own: { readonly [action: string]: readonly string[] }): {
  readonly keys: Keys;
  readonly problems: readonly KeyProblem[];
} {
  const entries = Object.entries<ActionRow>(screenActions).map(([name, { keys }]) => [name, keys] as const);
  const editorDefaults = Object.entries<readonly string[]>(editorKeys);
  const both = Object.fromEntries([...editorDefaults, ...entries]);
  const { map, problems } = createKeyMap(both, own);
  const of = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, map[name] ?? []]));
  return {
    keys: {
      screen: of(Object.keys(screenActions)) as Keys["screen"],
      editor: of(Object.keys(editorKeys)) as Keys["editor"],
    },
    problems,
  };
}

/** `Ctrl+T        show thinking …`, by group. */
export function keyLines({ screen, editor }: Keys): readonly string[] {
  const groups = [...new Set(Object.values<ActionRow>(screenActions).map(({ group }) => group))];
  const row = (keys: readonly string[], says: string): string => `  ${keys.map(showKey).join(", ").padEnd(26)} ${says}`;
  const numbered = (name: string): boolean => /^agent_[2-9]$/.test(name) && screen[name as ScreenAction].length > 0;
  const shown = groups.flatMap((group) => [
    group,
    ...Object.entries<ActionRow>(screenActions)
      .filter(([name, action]) => action.group === group && !numbered(name))
      .map(([name, { says }]) => row(screen[name as ScreenAction], says)),
    ...(group === "Writing" ? [`  ${"\\ Enter".padEnd(26)} a new line`] : []),
    "",
  ]);
  const editing = Object.entries(editor)
    .filter(([, keys]) => keys.length > 0)
    .map(([name, keys]) => row(keys, name.replaceAll("_", " ")));
  return [...shown, "Editing", ...editing];
}

function agentNumbers(): { readonly [Name in `agent_${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`]: ActionRow } {
  const row = (number: number): ActionRow => ({
    keys: [`alt+${number}`],
    group: "Agents",
    says: `agent ${number} of the strip${number === 1 ? ", and so on to 9" : ""}`,
  });
  return {
    agent_1: row(1),
    agent_2: row(2),
    agent_3: row(3),
    agent_4: row(4),
    agent_5: row(5),
    agent_6: row(6),
    agent_7: row(7),
    agent_8: row(8),
    agent_9: row(9),
  };
}
