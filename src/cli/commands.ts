import { json, type Command } from "./command.ts";

/** The emulator's own list, without loading it; a test compares them. */
const faults = (
  "cut stall slow keep_alives_only split garbage reset late_error wrong_content_type error_in_200 " +
  "never_ending stay_open thinking_eats_limit"
).split(" ");

export const commands: readonly Command[] = [
  {
    name: "models",
    usage: ["models [FILTER] [--live] [--json]"],
    summary: "known models: provider, context, price, thinking; --live asks the providers",
    about: [
      "Lists the models the registry knows: provider, context, output, price per million tokens (in/out), thinking. " +
        "FILTER keeps those whose id, name or provider contains it.",
    ],
    words: "providers",
    flags: [
      {
        name: "live",
        says:
          "what the providers list right now: those that have a key, and local servers that run. " +
          '"new" marks models the registry does not know; they can be used at once, as PROVIDER:MODEL',
      },
      json('an array with everything the registry knows of each; "unknown" marks those it only guesses at'),
    ],
    examples: ["ikigai models opus", "ikigai models --live --json"],
    load: () => import("./models.ts").then(({ runModels }) => runModels),
  },
  {
    name: "explain",
    usage: ["explain MODEL[/LEVEL] [--max-output N] [--thinking-budget N] [--json]"],
    summary: "the exact wire parameters a level becomes, with warnings; no network",
    about: [
      "Shows what a thinking level becomes on a model: provider, API, exact wire parameters, warnings. No network, no key. " +
        "What config.json says of the provider and of long conversations is used.",
    ],
    words: "models",
    flags: [
      { name: "max-output", value: "N", says: "visible output tokens (else max_output_tokens of config.json)" },
      {
        name: "thinking-budget",
        value: "N",
        says: "an exact budget instead of the level's, on models that have budgets (-1: dynamic)",
      },
      json(
        "one object: provider, api, model, level_asked, level_applied, parameters, calculated_budget, warnings; " +
          "a wrong level or budget is exit code 2 and prints nothing",
      ),
    ],
    examples: ["ikigai explain claude-opus-5-5/high", "ikigai explain gemini-3.8-flash/none --json"],
    load: () => import("./explain.ts").then(({ runExplain }) => runExplain),
  },
  {
    name: "wire",
    usage: ["wire decode [--json] PATH…", "wire encode --model MODEL[/LEVEL] [--stream] < FILE"],
    summary: "read recorded exchanges, or show the request a conversation becomes",
    about: [
      "decode reads recorded exchanges, files or folders of them, and says in our words what was answered.",
      "encode reads a conversation from its standard input and prints the request it becomes for a model, with what it loses.",
    ],
    words: ["decode", "encode", "files"],
    flags: [
      json("of decode: one line a file, with the whole message"),
      { name: "model", value: "MODEL[/LEVEL]", words: "models", says: "of encode: for whom" },
      { name: "stream", says: "of encode: the request for an answer in pieces" },
    ],
    examples: [
      "ikigai wire decode recorded.json",
      "ikigai wire encode --model gemini-3.8-flash/low < conversation.json",
    ],
    exit_codes: { 1: "a file could not be read (decode)", 2: "wrong use, or no conversation (encode)" },
    load: () => import("./wire/command.ts").then(({ runWire }) => runWire),
  },
  {
    name: "login",
    usage: ["login [PROVIDER] [--check]"],
    summary: "store a provider's key, readable for you alone",
    about: [
      "Stores a provider's key in credentials.json, readable for you alone. The key is asked for and not shown, or read " +
        "from a pipe; it is never an argument, which would stay in the history of the shell.",
    ],
    words: "providers",
    flags: [
      {
        name: "check",
        says: "asks the provider first, by a call that costs nothing, and stores only a key it accepts",
      },
    ],
    notes: ["Without PROVIDER the well-known ones are offered."],
    examples: ["ikigai login anthropic", "pass show openai | ikigai login openai --check"],
    exit_codes: { 3: "the provider does not take the key (--check)", 130: "nothing was typed, nothing is stored" },
    load: () => import("./login.ts").then(({ runLogin }) => runLogin),
  },
  {
    name: "logout",
    usage: ["logout PROVIDER… | --all"],
    summary: "remove stored keys",
    about: [
      "Removes stored keys from credentials.json. Variables of the environment and the provider's own list of keys are " +
        "not touched: a key that others have seen has to be revoked at the provider.",
    ],
    words: "providers",
    flags: [{ name: "all", says: "every stored key" }],
    examples: ["ikigai logout anthropic", "ikigai logout --all"],
    load: () => import("./logout.ts").then(({ runLogout }) => runLogout),
  },
  {
    name: "doctor",
    usage: ["doctor [--offline] [--fix] [--json]"],
    summary: "look over configuration, keys, permissions, database, terminal; say how to mend each finding",
    about: [
      "Looks over the configuration, keys, permissions, the database, the terminal and Node, and says how to mend what it " +
        "finds. Every provider that has a key is asked whether it takes it, by a call that costs nothing. Keys are never shown.",
    ],
    flags: [
      { name: "offline", says: "asks nobody" },
      { name: "fix", says: "mends what can be mended without you: permissions, the schema for editors" },
      json('{"ok": …, "findings": [{"area", "severity", "message", "mend"?, "fixed"?}]}'),
    ],
    examples: ["ikigai doctor", "ikigai doctor --offline --json"],
    exit_codes: { 0: "nothing is wrong; warnings do not count", 1: "something is wrong" },
    load: () => import("./doctor/command.ts").then(({ runDoctor }) => runDoctor),
  },
  {
    name: "history",
    usage: ["history [SEARCH] [--limit N] [--ranked] [--folder PATH] [--json]"],
    summary: "conversations, the newest first, or what was said in them",
    about: ["Lists conversations, the newest first, or searches in everything that was said."],
    flags: [
      { name: "limit", value: "N", says: "at most so many (default 20)" },
      { name: "ranked", says: "the best hits first instead of the newest; looks at all of them" },
      {
        name: "folder",
        value: "PATH",
        words: "folders",
        says: "only conversations that were started in this folder",
      },
      json("one array, with full ids"),
    ],
    notes: [
      'SEARCH is words that all have to be there, "words in this order", the begin* of a word, and -words that must not be ' +
        "there; put it in quotes. Each line begins with an id that `ikigai export` takes.",
    ],
    examples: ["ikigai history --folder .", "ikigai history 'migration -sqlite' --ranked"],
    load: () => import("./history.ts").then(({ runHistory }) => runHistory),
  },
  {
    name: "usage",
    usage: ["usage [--by KEYS] [--since TIME] [--json]"],
    summary: "tokens and money by provider, model, agent and day",
    about: ["Tokens and money of all conversations: by provider, model, agent and day."],
    flags: [
      {
        name: "by",
        value: "KEYS",
        words: ["provider", "model", "agent", "session", "day"],
        says: "one table instead of four: provider, model, agent, session, day, or several with commas between",
      },
      {
        name: "since",
        value: "TIME",
        words: ["today", "7d", "30d"],
        says: "today, a number of days or hours (7d, 12h), or a date (2026-01-31)",
      },
      json("one array of rows; cost_usd is what is known, unpriced how many exchanges are missing in it"),
    ],
    notes: [
      "`?` is money nobody knows: the model has no price in the registry and its provider does not bill by the answer.",
    ],
    examples: ["ikigai usage --since 7d", "ikigai usage --by model,day --json"],
    load: () => import("./usage.ts").then(({ runUsage }) => runUsage),
  },
  {
    name: "export",
    usage: ["export ID [--format md|html|jsonl] [--output FILE]", "export --all [--output FILE]"],
    summary: "a conversation as Markdown, as a page of HTML, or as lossless JSON Lines",
    about: ["Writes a conversation out. ID is the beginning of an id that `ikigai history` lists."],
    flags: [
      {
        name: "format",
        value: "FORMAT",
        words: ["md", "html", "jsonl"],
        says:
          "md: Markdown to read (the default). html: one page that needs nothing else, light and dark, thinking and tools " +
          "folded, no scripts. jsonl: JSON Lines, lossless, which `ikigai import` reads",
      },
      { name: "all", says: "the whole history; only as jsonl" },
      {
        name: "output",
        short: "o",
        value: "FILE",
        words: "files",
        says: "into a file, readable for you alone; its ending decides the format where none is given",
      },
    ],
    notes: ["Keys are never part of an export."],
    examples: ["ikigai export k3Jx9 --output conversation.html", "ikigai export --all --output history.jsonl"],
    load: () => import("./export.ts").then(({ runExport }) => runExport),
  },
  {
    name: "import",
    usage: ["import FILE"],
    summary: "takes in what a lossless export wrote",
    about: [
      "Takes conversations that `ikigai export --format jsonl` wrote into the history, ids included. FILE - is standard input.",
      "What is there already is skipped, so that the same file can be imported twice. Where the file and the history have " +
        "something of the same id that is not the same, or both went on with a conversation on their own, nothing is imported.",
    ],
    words: "files",
    flags: [],
    examples: ["ikigai import history.jsonl", "ssh elsewhere ikigai export --all --format jsonl | ikigai import -"],
    load: () => import("./import.ts").then(({ runImport }) => runImport),
  },
  {
    name: "db",
    usage: ["db migrate", "db check", "db move --to URL"],
    summary: "look after the history, or move it between SQLite and PostgreSQL",
    about: [
      "migrate makes the history or brings it up to date; a file is copied before that.",
      "check looks for damage and contradictions.",
      "move copies the whole history and compares the copy row by row. The source is left as it is. Safe to start again where " +
        "it was interrupted.",
    ],
    words: ["migrate", "check", "move"],
    flags: [{ name: "to", value: "URL", words: "files", says: "postgres://user@host/database, or a path for SQLite" }],
    notes: [
      "The history is where `database_url` in config.json or IKIGAI_DATABASE_URL says, else one SQLite file in your data " +
        "folder; `ikigai doctor` shows which. A password can be left out of the URL and set as PGPASSWORD.",
    ],
    examples: ["ikigai db check", "ikigai db move --to postgres://ikigai@db.example/history"],
    exit_codes: { 0: "done; nothing is wrong", 1: "check has found something, or the history cannot be used" },
    load: () => import("./db.ts").then(({ runDb }) => runDb),
  },
  {
    name: "mock",
    usage: ["mock [options]"],
    summary: "the provider emulator as a server, for offline work and tests",
    about: [
      "Serves stand-ins for model providers over HTTP on this machine, until it is interrupted: Anthropic, OpenAI, Google, " +
        "xAI, Meta, OpenRouter, and the local servers. Answers are simulated; wrong requests are refused with the provider's " +
        "own words.",
    ],
    flags: [
      { name: "port", value: "N", says: "where to listen (1985; 0 takes any free one)" },
      {
        name: "script",
        value: "FILE",
        words: "files",
        says: "scripted answers: a JSON list of entries, or one entry a line",
      },
      { name: "seed", value: "N", says: "everything that looks random follows from it" },
      {
        name: "fault",
        value: "KIND[,KIND]",
        words: faults,
        says: `break answers: ${faults.join(", ")}`,
      },
      { name: "fault-rate", value: "R", says: "how many of them, 0 to 1 (1)" },
      { name: "delay", value: "MS", says: "time between two pieces of a stream" },
      {
        name: "key",
        value: "KEY",
        says: "the only key that is accepted (any, when left out); may be given several times",
      },
      { name: "any-model", says: "answer for models that are unknown or switched off, too" },
      { name: "any-signature", says: "do not check signatures and encrypted reasoning" },
      { name: "quiet", says: "no line for every request" },
      json("machine-readable lines: first the addresses, then every request"),
    ],
    notes: ["Tests steer it with POST /_mock/script, GET /_mock/requests and POST /_mock/reset."],
    examples: ["ikigai mock", "ikigai mock --port 0 --fault cut,stall --fault-rate 0.1"],
    exit_codes: { 1: "the port is taken" },
    load: () => import("./mock.ts").then(({ runMock }) => runMock),
  },
  {
    name: "completion",
    usage: ["completion bash | zsh | fish"],
    summary: "what makes a shell complete commands, flags, models and providers",
    about: [
      "Prints a script for a shell. Commands, flags, providers and models are part of it, with those of your config.json: " +
        "pressing Tab starts no program. Make it again after an update.",
    ],
    words: ["bash", "zsh", "fish"],
    flags: [],
    examples: [
      'eval "$(ikigai completion bash)"                                        # in ~/.bashrc',
      'ikigai completion zsh > "${fpath[1]}/_ikigai"                           # once; then a new shell',
      "ikigai completion fish > ~/.config/fish/completions/ikigai.fish         # once",
    ],
    load: () => import("./completion.ts").then(({ runCompletion }) => runCompletion),
  },
];
