import { json, type Command } from "./command.ts";

/** The program without a command: what opens when one types its name. */
export const startCommand: Command = {
  name: "",
  usage: ["[--new | --resume [ID]] [--model MODEL[/LEVEL]] [--plain]"],
  summary: "the conversation: where this folder's last one ended, or a new one",
  about: [
    "Opens the conversation. Without a key for any provider a simulation answers, and says so.",
    "Where there is no terminal, lines are read from standard input and answered one after the other.",
  ],
  flags: [
    { name: "new", short: "n", says: "begin a new conversation" },
    {
      name: "resume",
      short: "r",
      value: "[ID]",
      says: "go on with this folder's last one, or with the one of this id",
    },
    { name: "model", short: "m", value: "MODEL[/LEVEL]", words: "models", says: "who answers" },
    { name: "plain", says: "lines only: nothing is drawn, nothing moves; for screen readers and pipes" },
  ],
  examples: ["ikigai", "ikigai --new --model claude-opus-5-5/high", "ikigai --resume k3Jx9"],
  load: () => import("./repl.ts").then(({ runRepl }) => runRepl),
};

/** One turn without a screen. */
export const printCommand: Command = {
  name: "-p",
  usage: ['-p "…" [options]'],
  summary: "one turn without a screen, for scripts",
  about: [
    "One turn without a screen: the answer on stdout, everything else on stderr. What is piped in is added to the prompt.",
  ],
  flags: [
    { name: "print", short: "p", says: "one turn without a screen" },
    {
      name: "model",
      short: "m",
      value: "MODEL[/LEVEL]",
      words: "models",
      says: "who is asked (default: as configured, else the first provider with a key)",
    },
    {
      name: "file",
      value: "PATH|URL",
      words: "files",
      says: "an image, a PDF or a text to go with the prompt; may be given several times",
    },
    { name: "system", value: "TEXT", says: "added to the system prompt" },
    {
      name: "tools",
      value: "NAMES",
      words: ["all", "none"],
      says: "which tools it may use: all (default), none, or names with commas between",
    },
    { name: "max-tool-turns", value: "N", says: "how many times in a row it may call tools" },
    { name: "budget", value: "USD", says: "how much this run may spend, in US dollars, before it stops" },
    { name: "continue", short: "c", says: "go on with this folder's last session" },
    { name: "resume", value: "ID", says: "go on with the session of this id, or the beginning of it" },
    {
      name: "yes",
      short: "y",
      says:
        "allow what tools would ask a person for; what is dangerous or secret stays refused. Commands run in a sandbox " +
        'where bubblewrap is installed, else with your rights: see "sandbox" in the configuration',
    },
    { name: "stream", says: "print words as they come also where stdout is no terminal" },
    json("every event as one JSON line on stdout instead of the answer (see the reference: events)"),
  ],
  notes: [
    "Without --yes, tools that write, run commands or use the network are refused: nobody can be asked.",
    "On a terminal, and with --stream, everything the model says is printed as it comes. Elsewhere the answer is printed " +
      "once it is whole, so that one that broke off and was asked for again leaves nothing behind; what is said before " +
      "tool calls goes to stderr. Of an answer that was interrupted or failed, what had arrived is printed, and the exit " +
      "code says so.",
  ],
  examples: [
    'ikigai -p "Why is the sky blue?" --model claude-opus-5-5/high',
    'git diff | ikigai -p "Write a commit message for this"',
    'ikigai -p "Does it build?" --tools bash --yes',
    'ikigai -p "What does this say?" --file report.pdf --file chart.png',
    'ikigai -p --continue "And in German?"',
  ],
  exit_codes: "all",
  load: () => import("./print.ts").then(({ runPrint }) => runPrint),
};
