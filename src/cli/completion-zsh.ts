import type { Command, Flag, Words } from "./command.ts";
import type { Offered } from "./completion.ts";

/** As a file of `fpath`, or read by `eval` or `source` after `compinit`. */
export function zshScript({ commands, start, models, providers, levels }: Offered): string {
  return `#compdef ikigai
# ikigai: completion for zsh

_ikigai() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join("\n")}
  )
  if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then
    _describe -t commands command commands
    return
  fi
  case $words[2] in
${commands.map(commandCase).join("\n")}
    *)
      _arguments -s ${start.flags.flatMap(spec).join(" ")} '*:prompt:'
      ;;
  esac
}

_ikigai_models() {
  local -a models
  models=(${models.join(" ")})
  local model=\${PREFIX%/*}
  if [[ $PREFIX == */* ]] && (( \${models[(Ie)$model]} )); then
    compadd -- $model/{${levels.join(",")}}
  fi
  compadd -S '' -- $models
}

_ikigai_providers() {
  compadd -- ${providers.join(" ")}
}

# Part of fpath, zsh calls the file itself; read in, it only has to be told.
if [[ $funcstack[1] == _ikigai ]]; then
  _ikigai "$@"
else
  compdef _ikigai ikigai
fi
`;
}

/** The word of the command is taken away, so that `_arguments` counts from what follows it. */
function commandCase({ name, flags, words }: Command): string {
  const rest = words === undefined ? [] : [quoted(`*:${name}:${action(words)}`)];
  const specs = [...flags.flatMap(spec), "'--help[explains it]'", ...rest];
  return `    ${name})
      shift words
      (( CURRENT-- ))
      _arguments -s ${specs.join(" ")}
      ;;`;
}

function spec({ name, short, value, words, says }: Flag): readonly string[] {
  const text = says.replace(/[[\]:\\]/g, "\\$&");
  const rest = value === undefined ? "" : `:${name}:${words === undefined ? "" : action(words)}`;
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])].map((form) => quoted(`${form}[${text}]${rest}`));
}

function action(words: Words): string {
  switch (words) {
    case "models":
      return "_ikigai_models";
    case "providers":
      return "_ikigai_providers";
    case "files":
      return "_files";
    case "folders":
      return "_files -/";
    default:
      return `(${words.filter((word) => word !== "files").join(" ")})`;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
