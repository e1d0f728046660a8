import { own } from "../../core/index.ts";
import { mayBeOption, type Step } from "./steps.ts";
import type { Word } from "./shell-words.ts";

/** Why a command is never run without a question, however broad the rule that allows it; undefined where it is ordinary. */
export function dangerOf({ program, words }: Step): string | undefined {
  const args = words.slice(1);
  const texts = args.map(({ text }) => text);
  if (alwaysDangerous.test(program)) return `${program} can do great harm`;
  if (interpreters.test(program) && texts.every((text) => text === "-")) return `${program} runs what it is sent`;
  const rule = own(rules, program);
  if (rule === undefined) return undefined;
  // What a variable becomes may be an option.
  if (rule.strict === true && args.some(({ splits, raw }) => splits && /[$`]|^…$/.test(raw))) {
    return `${program} with words that are not known`;
  }
  if (program === "git" && args.some((word, at) => !word.fixed && mayBeOption(word) && !isValue(args[at - 1]))) {
    return `${program} with a word that may be an option`;
  }
  return rule.when(texts) ? `${program} ${rule.says}` : undefined;
}

type Rule = {
  readonly when: (args: readonly string[]) => boolean;
  readonly says: string;
  /** Unknown words may turn a harmless call into a dangerous one. */
  readonly strict?: true;
};

/** One of the letters among short options, or one of the long ones, also shortened as the programs allow it. */
function has(args: readonly string[], letters: string, ...long: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).some((arg) => {
    if (/^-[^-]/.test(arg))
      return arg
        .slice(1)
        .split("")
        .some((letter) => letters.includes(letter));
    const [name = ""] = arg.split("=");
    return name.length > 3 && name.startsWith("--") && long.some((option) => option.startsWith(name));
  });
}

/** Whether what follows is the text of a message, a name or a file, whatever it looks like. */
function isValue(before: Word | undefined): boolean {
  return before?.fixed === true && /^-[A-Za-z]*[mFbB]$|^--(?:message|file|author|date|)$/.test(before.text);
}

function gitIsDangerous(args: readonly string[]): boolean {
  const at = args.findIndex((arg) => !arg.startsWith("-"));
  const before = at === -1 ? args : args.slice(0, at);
  if (before.some((arg) => /^-[cC]|^--(?:config-env|exec-path|git-dir|work-tree|namespace)/.test(arg))) return true;
  const [verb = "", ...rest] = at === -1 ? [] : args.slice(at);
  if (has(rest, "O", ...gitOptionsThatRun) || rest.some((arg) => arg.startsWith("ext::"))) return true;
  return own(gitRules, verb)?.(rest) ?? false;
}

const gitOptionsThatRun = [
  "--upload-pack",
  "--receive-pack",
  "--exec",
  "--open-files-in-pager",
  "--ext-diff",
  "--extcmd",
  "--unsafe-paths",
];

const gitRules: { readonly [verb: string]: (args: readonly string[]) => boolean } = {
  push: (args) =>
    has(args, "fd", "--force", "--force-with-lease", "--mirror", "--delete", "--prune") ||
    args.some((arg) => /^\+|^:/.test(arg)),
  reset: (args) => has(args, "", "--hard", "--merge"),
  clean: () => true,
  checkout: (args) => has(args, "f", "--force") || args.includes("--") || args.includes("."),
  restore: () => true,
  switch: (args) => has(args, "f", "--force", "--discard-changes"),
  branch: (args) => has(args, "D", "--delete", "--force"),
  tag: (args) => has(args, "d", "--delete"),
  stash: (args) => args.includes("drop") || args.includes("clear"),
  reflog: (args) => args.includes("expire") || args.includes("delete"),
  config: (args) => args.filter((arg) => !arg.startsWith("-")).length > 1 || has(args, "e", "--edit", "--unset"),
  "filter-branch": () => true,
  "filter-repo": () => true,
  "update-ref": () => true,
  submodule: (args) => args.includes("foreach"),
  bisect: (args) => args.includes("run"),
  rebase: (args) => has(args, "x", "--exec"),
  gc: (args) => has(args, "", "--prune"),
  worktree: (args) => args.includes("remove"),
  clone: (args) => has(args, "uc", "--config", "--template"),
  init: (args) => has(args, "", "--template"),
  difftool: (args) => has(args, "x"),
  "send-email": () => true,
  maintenance: (args) => args.includes("start") || args.includes("register"),
};

const recursive: Rule = { when: (args) => has(args, "R", "--recursive"), says: "changes a whole tree", strict: true };
const publishes = (word: string): Rule => ({
  when: (args) => args.includes(word),
  says: `${word} shows it to the world`,
});

const rules: { readonly [program: string]: Rule } = {
  rm: { when: (args) => has(args, "rR", "--recursive", "--no-preserve-root"), says: "deletes for good", strict: true },
  find: { when: (args) => args.some((arg) => /^-(?:delete|fprint|fls)/.test(arg)), says: "deletes or writes files" },
  git: { when: gitIsDangerous, says: "can lose work or run other programs this way", strict: true },
  chmod: {
    ...recursive,
    when: (args) => has(args, "R", "--recursive") || args.some((arg) => /^[0-7]?777$|[+=][rwx]*s/.test(arg)),
  },
  chown: recursive,
  chgrp: recursive,
  kill: { when: (args) => args.slice(1).includes("-1") || args.includes("1"), says: "ends more than one process" },
  npm: publishes("publish"),
  pnpm: publishes("publish"),
  yarn: publishes("publish"),
  cargo: publishes("publish"),
  twine: publishes("upload"),
  docker: {
    when: (args) =>
      args.includes("prune") || args.includes("--privileged") || args.some((arg) => /^\/:|=\/:/.test(arg)),
    says: "reaches far this way",
  },
  kubectl: { when: (args) => args.includes("delete") || args.includes("drain"), says: "takes things down" },
  terraform: { when: (args) => args.includes("destroy") || args.includes("apply"), says: "changes real machines" },
  systemctl: {
    when: (args) => !/^(?:status|show|list-\w+|is-\w+|cat)$/.test(args.find((arg) => !arg.startsWith("-")) ?? ""),
    says: "changes what runs on the machine",
  },
  tar: {
    when: (args) =>
      args.some((arg) =>
        /^--(?:checkpoint-action|to-command|use-compress|rsh|info-script|new-volume)|^-[A-Za-z]*[IF]/.test(arg),
      ) || /^[A-Za-z]*[IF]/.test(args[0] ?? ""),
    says: "runs other programs this way",
  },
  rsync: {
    when: (args) => has(args, "e", "--rsh", "--delete", "--remove-source-files"),
    says: "runs other programs or deletes this way",
  },
  ssh: { when: (args) => has(args, "oF"), says: "runs other programs this way" },
  rg: { when: (args) => args.some((arg) => /^--pre(?:=|$)/.test(arg)), says: "runs another program this way" },
  fd: { when: (args) => has(args, "xX", "--exec", "--exec-batch"), says: "runs another program this way" },
  split: { when: (args) => has(args, "", "--filter"), says: "runs another program this way" },
  zip: {
    when: (args) => args.some((arg) => /^-[A-Za-z]*TT|^--?unzip-c/.test(arg)),
    says: "runs another program this way",
  },
  man: { when: (args) => has(args, "PH", "--pager", "--html"), says: "runs another program this way" },
  curl: { when: (args) => has(args, "K", "--config"), says: "does what a file says" },
  wget: {
    when: (args) => has(args, "e", "--execute", "--config", "--use-askpass"),
    says: "does what it is told elsewhere",
  },
  sort: {
    when: (args) => args.some((arg) => arg.startsWith("--compress-prog")),
    says: "runs another program this way",
  },
  awk: {
    when: (args) => args.some((arg) => /system\s*\(|\||getline|>/.test(arg)),
    says: "runs other programs or writes this way",
  },
  gawk: {
    when: (args) => args.some((arg) => /system\s*\(|\||getline|>/.test(arg)),
    says: "runs other programs or writes this way",
  },
  sed: {
    when: (args) =>
      args.some(
        (arg) => !arg.startsWith("-") && /(?:^|[;{}\d$/\s])[ewW](?:\s|$)|\/[a-zA-Z0-9]*e[a-zA-Z0-9]*$/.test(arg),
      ),
    says: "runs programs or writes files this way",
  },
  crontab: { when: (args) => !args.includes("-l"), says: "runs things later" },
  history: { when: (args) => has(args, "cdw"), says: "changes the history of the shell" },
};

/** Named so that none of them has an innocent use. */
const alwaysDangerous =
  /^(?:dd|mkfs(?:\..+)?|fdisk|sfdisk|parted|wipefs|shred|mkswap|sudo|doas|su|pkexec|shutdown|reboot|halt|poweroff|init|telinit|killall|pkill|iptables|nft|ufw|mount|umount|at|batch|systemd-run|launchctl|insmod|modprobe|useradd|userdel|usermod|passwd|visudo|chsh|srm|format|diskutil)$/;

const interpreters = /^(?:node|deno|bun|python[\d.]*|perl|ruby|php|lua|osascript|psql|mysql|sqlite3)$/;
