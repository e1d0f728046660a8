import type { Command, Flag, Words } from "./command.ts";
import type { Offered } from "./completion.ts";

/** As a file of fish's own folder of completions, or piped into `source`. */
export function fishScript({ commands, start, models, providers, levels }: Offered): string {
  const names = commands.map(({ name }) => name).join(" ");
  return `# ikigai: completion for fish
function __ikigai_models
  set -l models ${models.join(" ")}
  set -l model (string replace -r '/[^/]*$' '' -- (commandline -ct))
  if contains -- $model $models
    printf '%s\\n' $model/${braced(levels)}
  end
  printf '%s\\n' $models
end

function __ikigai_providers
  printf '%s\\n' ${providers.join(" ")}
end

complete -c ikigai -f
${commands.map(({ name, summary }) => `complete -c ikigai -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`).join("\n")}
${start.flags.map((flag) => flagLine(quoted(`not __fish_seen_subcommand_from ${names}`), flag)).join("\n")}
${commands.flatMap(commandLines).join("\n")}
`;
}

function commandLines({ name, flags, words }: Command): readonly string[] {
  const condition = quoted(`__fish_seen_subcommand_from ${name}`);
  return [
    ...(words === undefined ? [] : [`complete -c ikigai -n ${condition} ${argument(words)}`]),
    ...[...flags, help].map((flag) => flagLine(condition, flag)),
  ];
}

function flagLine(condition: string, { name, short, value, words, says }: Flag): string {
  const form = `-l ${name}${short === undefined ? "" : ` -s ${short}`}`;
  const rest = value === undefined ? "" : words === undefined ? " -x" : ` -r ${argument(words)}`;
  return `complete -c ikigai -n ${condition} ${form}${rest} -d ${quoted(says)}`;
}

/** `-F` brings files back where `-f` has taken them away. */
function argument(words: Words): string {
  switch (words) {
    case "models":
      return "-f -a '(__ikigai_models)'";
    case "providers":
      return "-f -a '(__ikigai_providers)'";
    case "files":
      return "-F";
    case "folders":
      return "-f -a '(__fish_complete_directories (commandline -ct))'";
    default: {
      const own = words.filter((word) => word !== "files");
      return `${own.length === words.length ? "-f" : "-F"} -a '${own.join(" ")}'`;
    }
  }
}

function braced(words: readonly string[]): string {
  return `{${words.join(",")}}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

const help: Flag = { name: "help", says: "explains it" };
