import { dirname, relative, sep } from "node:path";
import { own } from "../../core/index.ts";
import { isInside } from "./real-path.ts";
import { exactPattern, type Rule } from "./rules.ts";
import { shells, wordText, type Step } from "./steps.ts";

/**
 * What "always" would mean for each program of a command line: the program with what it is told to do, and any
 * arguments (`npm test *`). Where arguments decide what runs, the very same words and nothing else.
 */
export function commandProposals(steps: readonly Step[], tool: string): ReadonlyMap<Step, Rule> {
  return new Map(steps.map((step) => [step, { decision: "allow", tool, command: patternOf(step) }]));
}

/** Inside of the project the folder of the file, elsewhere that file alone. */
export function pathProposal(tool: string, real: string, root: string): Rule {
  const folder = dirname(real);
  const isBelow = isInside(folder, root) && folder !== root && !/[*?]/.test(folder);
  const path = isBelow ? `${relative(root, folder).split(sep).join("/")}/**` : real;
  return { decision: "allow", tool, path };
}

export function hostProposal(tool: string, host: string): Rule {
  return { decision: "allow", tool, host };
}

function patternOf({ program, words, text }: Step): string {
  const [first] = words;
  const isPlain = first !== undefined && first.text === program && text.startsWith(wordText(first));
  if (!isPlain || runners.has(program) || shells.has(program)) return exactPattern(text);
  const depth = own(verbs, program);
  if (depth === undefined) return `${exactPattern(wordText(first))} *`;
  const second = words[1];
  // `npm run build`: what is run is the third word.
  const count = second !== undefined && depth.includes(second.text) ? 3 : 2;
  const kept = words.slice(0, count);
  const isClear =
    kept.length === count &&
    kept.every(({ fixed, text: word }) => fixed && /^[\w:./@-]+$/.test(word) && !word.startsWith("-"));
  return isClear ? `${kept.map((word) => exactPattern(wordText(word))).join(" ")} *` : exactPattern(text);
}

/** Programs whose arguments are programs. */
export const runners: ReadonlySet<string> = new Set(
  [
    "node deno bun tsx python python3 perl ruby php lua npx pnpx uvx bunx env xargs ssh docker podman kubectl make awk gawk",
    "find source . osascript psql mysql sqlite3 vi vim nvim ex ed emacs less more man tmux screen socat nc ncat",
    "strace ltrace gdb perf valgrind taskset chrt setarch numactl prlimit hyperfine entr",
  ].flatMap((names) => names.split(" ")),
);

/** Programs whose second word says what they do, with those of them whose third does. */
const verbs: { readonly [program: string]: readonly string[] } = {
  npm: ["run", "run-script", "exec"],
  pnpm: ["run", "exec", "dlx"],
  yarn: ["run", "exec", "dlx", "workspace"],
  git: ["remote", "stash", "worktree", "submodule", "config"],
  cargo: [],
  go: ["tool", "mod"],
  gh: ["pr", "issue", "repo", "run", "api", "release"],
  uv: ["run", "pip", "tool"],
  pip: [],
  poetry: ["run"],
  dotnet: [],
  mvn: [],
  gradle: [],
  bundle: ["exec"],
  rails: [],
  apt: [],
  brew: [],
  systemctl: [],
  terraform: [],
};
