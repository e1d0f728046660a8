import { table } from "./markdown.mjs";

export function indexPage() {
  const intro = "# Reference\n\nMade from the tables in the code by `npm run docs`, and held to them by a test.\n";
  return [intro, table(["Page", ""], pages)].join("\n");
}

const pages = [
  ["[commands.md](commands.md)", "the commands of the program and their flags"],
  ["[slash-commands.md](slash-commands.md)", "what can be typed after a slash"],
  ["[keys.md](keys.md)", "what keys do on the screen"],
  ["[config.md](config.md)", "`config.json`, `credentials.json` and the variables of the environment"],
  ["[models.md](models.md)", "providers, what each takes, models, and what a thinking level becomes"],
  ["[tools.md](tools.md)", "what models can call, and what they may"],
  ["[errors.md](errors.md)", "categories of errors: what happened, what to do, what is tried again"],
  ["[exit-codes.md](exit-codes.md)", "what the program answers to the shell"],
  ["[events.md](../events.md)", "what happens to agents, as `-p --json` prints it"],
  ["[format.md](../format.md)", "the conversation format"],
];
