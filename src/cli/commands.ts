import type { Io } from "./io.ts";

/** One row per subcommand: the help, the dispatcher and the reference are made from this table. */
export type Command = {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<(args: readonly string[], io: Io) => Promise<number>>;
};

export const commands: readonly Command[] = [
  {
    name: "models",
    usage: "models [FILTER] [--live] [--json]",
    summary: "known models: provider, context, price, thinking; --live asks the providers",
    load: () => import("./models.ts").then(({ runModels }) => runModels),
  },
  {
    name: "explain",
    usage: "explain MODEL[/LEVEL]",
    summary: "the exact wire parameters a level becomes, with warnings; no network",
    load: () => import("./explain.ts").then(({ runExplain }) => runExplain),
  },
  {
    name: "wire",
    usage: "wire decode|encode …",
    summary: "read recorded exchanges, or show the request a conversation becomes",
    load: () => import("./wire/command.ts").then(({ runWire }) => runWire),
  },
  {
    name: "login",
    usage: "login [PROVIDER] [--check]",
    summary: "store a provider's key, readable for you alone",
    load: () => import("./login.ts").then(({ runLogin }) => runLogin),
  },
  {
    name: "logout",
    usage: "logout PROVIDER… | --all",
    summary: "remove stored keys",
    load: () => import("./logout.ts").then(({ runLogout }) => runLogout),
  },
  {
    name: "doctor",
    usage: "doctor [--offline] [--fix] [--json]",
    summary: "look over configuration, keys, permissions, database, terminal; say how to mend each finding",
    load: () => import("./doctor/command.ts").then(({ runDoctor }) => runDoctor),
  },
  {
    name: "history",
    usage: "history [SEARCH] [--limit N] [--json]",
    summary: "conversations, the newest first, or what was said in them",
    load: () => import("./history.ts").then(({ runHistory }) => runHistory),
  },
  {
    name: "usage",
    usage: "usage [--by KEYS] [--since TIME] [--json]",
    summary: "tokens and money by provider, model, agent and day",
    load: () => import("./usage.ts").then(({ runUsage }) => runUsage),
  },
  {
    name: "export",
    usage: "export ID [--format F] [--output FILE]",
    summary: "a conversation as Markdown, as a page of HTML, or as lossless JSON Lines",
    load: () => import("./export.ts").then(({ runExport }) => runExport),
  },
  {
    name: "import",
    usage: "import FILE",
    summary: "takes in what a lossless export wrote",
    load: () => import("./import.ts").then(({ runImport }) => runImport),
  },
  {
    name: "db",
    usage: "db migrate | check | move --to URL",
    summary: "look after the history, or move it between SQLite and PostgreSQL",
    load: () => import("./db.ts").then(({ runDb }) => runDb),
  },
  {
    name: "mock",
    usage: "mock [--port N]",
    summary: "the provider emulator as a server, for offline work and tests",
    load: () => import("./mock.ts").then(({ runMock }) => runMock),
  },
];

export function helpText(): string {
  const width = Math.max(...commands.map((command) => command.usage.length));
  const rows = commands.map((command) => `  ikigai ${command.usage.padEnd(width)}  ${command.summary}`);
  return [
    "ikigai: one conversation, every model",
    "",
    `  ikigai${" ".repeat(width + 1)}  a first look, without a key`,
    `  ikigai ${'-p "…" [--model M] [--json]'.padEnd(width)}  one turn without a screen, for scripts; -p --help explains it`,
    ...rows,
    "",
    "  ikigai COMMAND --help explains one; --version prints the version",
    "",
  ].join("\n");
}
