/** What tools may do, and tools from elsewhere. */
export const permissionsShape = {
  kind: "list",
  says: "Rules for tools. One that denies wins, then one that allows, then one that asks; without one, reading in the project is allowed and the rest asks.",
  of: {
    kind: "record",
    example: '{"decision": "allow", "tool": "bash", "command": "npm test *"}',
    says: "A rule holds for what all its fields name.",
    required: ["decision"],
    fields: {
      decision: { kind: "word", words: ["allow", "ask", "deny"], says: "What the rule decides." },
      tool: { kind: "text", says: "A tool, or a pattern of tools such as github__*." },
      path: { kind: "text", says: "A pattern of paths, relative to the project: src/**." },
      command: { kind: "text", says: "A pattern of one program with its arguments: npm test *." },
      host: { kind: "text", says: "A host, or a pattern of hosts: *.example.com." },
    },
  },
} as const;

export const sandboxShape = {
  kind: "word",
  words: ["auto", "off", "require"],
  default_says: "off; where nobody is asked (`-p --yes`) auto",
  says: "Whether bash runs in a sandbox where only the project can be written and keys cannot be read: auto where bubblewrap is installed, require refuses to run without it.",
} as const;

export const mcpServersShape = {
  kind: "map",
  names: { pattern: "^[a-zA-Z0-9-]{1,32}$", says: "a name of letters, digits and -" },
  says: "MCP servers by name; their tools are called NAME__TOOL.",
  of: {
    kind: "record",
    example: '{"command": "npx", "args": ["-y", "some-server"]}',
    says: "A program that is started, or an address.",
    fields: {
      command: { kind: "text", says: "The program of a server that speaks over its input and output." },
      args: { kind: "list", says: "Its arguments.", of: { kind: "text", says: "One argument." } },
      env: {
        kind: "map",
        secret: true,
        says: "More of its environment.",
        of: { kind: "text", secret: true, says: "The value." },
      },
      cwd: { kind: "text", says: "Where it runs; the project where left out." },
      url: { kind: "url", says: "The address of a server that speaks over HTTP." },
      headers: {
        kind: "map",
        secret: true,
        says: "Sent with every request to it.",
        of: { kind: "text", secret: true, says: "The value." },
      },
      timeout_ms: {
        kind: "whole",
        min: 1,
        says: "How long it may take to answer.",
        default_says: "as tools.timeout_ms",
      },
      disabled: { kind: "flag", says: "Leave it out." },
    },
  },
} as const;
