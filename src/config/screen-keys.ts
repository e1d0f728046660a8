/** How the program looks and which keys do what. */
export const screenKeys = {
  theme: {
    kind: "word",
    words: ["auto", "dark", "light"],
    default: "auto",
    says: "Colours for a dark or a light background; auto asks the terminal.",
  },
  mouse: {
    kind: "flag",
    default: true,
    says: "Whether the wheel scrolls and a click opens; without it the terminal selects text as it always does.",
  },
  show_thinking: {
    kind: "word",
    words: ["shown", "collapsed", "hidden"],
    default: "collapsed",
    says: "How the thinking of models is shown: whole, as one line, or not at all.",
  },
  keys: {
    kind: "map",
    says: 'Keys of your own by action: `{"interrupt": ["esc", "ctrl+x"]}`; `?` in the program lists actions and keys.',
    of: { kind: "list", says: "Keys for the action.", of: { kind: "text", says: "A key: ctrl+t, alt+enter, f2." } },
  },
} as const;
