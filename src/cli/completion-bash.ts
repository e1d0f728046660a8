import type { Command, Words } from "./command.ts";
import type { Offered } from "./completion.ts";

/** For bash 3.2 and newer, without the package `bash-completion`. */
export function bashScript({ commands, start, models, providers, levels }: Offered): string {
  return `# ikigai: completion for bash
_ikigai() {
  local models='${models.join(" ")}'
  local providers='${providers.join(" ")}'
  local line="\${COMP_LINE:0:COMP_POINT}" typed current before command=start word
  # Bash itself would cut words at every colon and equals sign.
  read -ra typed <<< "$line"
  [[ $line == *[[:space:]] ]] && typed+=("")
  current="\${typed[\${#typed[@]}-1]}"
  before="\${typed[\${#typed[@]}-2]}"
  if [[ $current == --*=* ]]; then
    before="\${current%%=*}"
    current="\${current#*=}"
  fi
  if (( \${#typed[@]} > 2 )) && [[ \${typed[1]} != -* ]]; then command="\${typed[1]}"; fi
  COMPREPLY=()
  case "$command $before" in
${[start, ...commands].flatMap(valueCases).join("\n")}
  esac
  if [[ $current == -* ]]; then
    case "$command" in
${[start, ...commands].map(flagCase).join("\n")}
    esac
    _ikigai_offer "$word"
    return
  fi
  case "$command" in
    start) (( \${#typed[@]} == 2 )) && _ikigai_offer '${commands.map(({ name }) => name).join(" ")}' ;;
${commands.flatMap(wordCase).join("\n")}
  esac
}

_ikigai_offer() {
  COMPREPLY+=($(compgen -W "$1" -- "$current"))
  _ikigai_trim
}

# MODEL, and after it /LEVEL: no blank follows, so that one can be typed.
_ikigai_model() {
  local model="\${current%/*}" level
  compopt -o nospace 2> /dev/null
  if [[ $current == */* && " $models " == *" $model "* ]]; then
    for level in ${levels.join(" ")}; do
      [[ "$model/$level" == "$current"* ]] && COMPREPLY+=("$model/$level")
    done
  fi
  _ikigai_offer "$models"
}

_ikigai_paths() {
  compopt -o filenames 2> /dev/null
  local path
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$current")
}

# What stands before a colon is another word to bash.
_ikigai_trim() {
  [[ $current == *:* && $COMP_WORDBREAKS == *:* ]] || return 0
  local head="\${current%"\${current##*:}"}" index
  for index in "\${!COMPREPLY[@]}"; do COMPREPLY[index]="\${COMPREPLY[index]#"$head"}"; done
}

complete -F _ikigai ikigai
`;
}

function valueCases({ name, flags }: Command): readonly string[] {
  return flags
    .filter(({ value }) => value !== undefined)
    .map((flag) => {
      const forms = [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])];
      const pattern = forms.map((form) => `"${name === "" ? "start" : name} ${form}"`).join("|");
      return `    ${pattern}) ${flag.words === undefined ? "" : `${offer(flag.words)}; `}return ;;`;
    });
}

function flagCase({ name, flags }: Command): string {
  const forms = flags.flatMap((flag) => [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])]);
  return `      ${name === "" ? "start" : name}) word='${[...new Set([...forms, "--help"])].join(" ")}' ;;`;
}

function wordCase({ name, words }: Command): readonly string[] {
  return words === undefined ? [] : [`    ${name}) ${offer(words)} ;;`];
}

function offer(words: Words): string {
  switch (words) {
    case "models":
      return "_ikigai_model";
    case "providers":
      return '_ikigai_offer "$providers"';
    case "files":
      return "_ikigai_paths -f";
    case "folders":
      return "_ikigai_paths -d";
    default: {
      const own = words.filter((word) => word !== "files");
      return `_ikigai_offer '${own.join(" ")}'${own.length === words.length ? "" : "; _ikigai_paths -f"}`;
    }
  }
}
