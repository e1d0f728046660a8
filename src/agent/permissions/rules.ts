import { resolve } from "node:path";
import { isJsonObject } from "../../core/index.ts";
import { absolutePath, realPath } from "./real-path.ts";

export type Decision = "allow" | "ask" | "deny";

/**
 * What a person has decided beforehand. A rule holds for what all its fields name: `{allow, tool: "file_edit", path:
 * "src/**"}`. Without `path`, `command` and `host` it holds for everything the tool does.
 */
export type Rule = {
  readonly decision: Decision;
  /** A name, or a pattern of names: `github__*`. */
  readonly tool?: string;
  /** A pattern of paths, relative to the project: `src/**`, `~/notes/*.md`, `/etc/hosts`. */
  readonly path?: string;
  /** A pattern of one program with its arguments: `npm test *`. A blank and a star at the end stand for nothing as well. */
  readonly command?: string;
  /** `example.com`, `*.example.com`. */
  readonly host?: string;
};

/** One thing that a call touches. */
export type Item =
  | { readonly kind: "path"; readonly path: string; readonly real: string }
  | { readonly kind: "command"; readonly text: string; readonly program: string }
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "tool" };

export type RuleContext = { readonly root: string; readonly home?: string };

/** The rules of one decision that hold for a thing. Those that forbid look at more than those that allow. */
export function matchingRule(
  decision: Decision,
  item: Item,
  from: { readonly rules: readonly Rule[]; readonly tool: string; readonly context: RuleContext },
): Rule | undefined {
  return from.rules.find((rule) => {
    if (rule.decision !== decision) return false;
    if (rule.tool !== undefined && !matchesText(rule.tool, from.tool)) return false;
    return holdsFor(rule, item, from.context);
  });
}

/** Rules that were written down. One that cannot be read forbids everything: nobody knows what it forbade. */
export function rulesFrom(value: unknown): readonly Rule[] {
  return Array.isArray(value) ? value.map(ruleFrom) : [{ decision: "deny" }];
}

function ruleFrom(value: unknown): Rule {
  if (!isJsonObject(value)) return { decision: "deny" };
  const { decision, ...fields } = value;
  const texts = Object.entries(fields).filter(([name, text]) => ruleFields.has(name) && typeof text === "string");
  const isWhole = texts.length === Object.keys(fields).length;
  if (!isWhole || (decision !== "allow" && decision !== "ask" && decision !== "deny")) return { decision: "deny" };
  return { decision, ...Object.fromEntries(texts) };
}

const ruleFields: ReadonlySet<string> = new Set(["tool", "path", "command", "host"]);

/** What a rule holds for, as a person reads it: `bash: git *`. */
export function ruleText({ tool = "every tool", path, command, host }: Rule): string {
  const what = [path, command, host].filter((text) => text !== undefined).join(" ");
  return `${tool}: ${what === "" ? "everything" : what}`;
}

function holdsFor(rule: Rule, item: Item, context: RuleContext): boolean {
  const { path, command, host, decision } = rule;
  if (path === undefined && command === undefined && host === undefined) return true;
  switch (item.kind) {
    case "path": {
      if (path === undefined) return false;
      const matches = pathMatcher(path, context);
      return matches(item.real) || (decision !== "allow" && matches(item.path));
    }
    case "command":
      return command !== undefined && commandTexts(item, decision).some((text) => matchesText(command, text));
    case "host":
      return host !== undefined && matchesText(host.toLowerCase(), item.host.toLowerCase());
    case "tool":
      return false;
  }
}

/** `/bin/ls` is `ls` for every rule; `./rm` is `rm` only for those that forbid or ask. */
function commandTexts({ text, program }: Item & { readonly kind: "command" }, decision: Decision): readonly string[] {
  const [first = ""] = text.split(" ");
  const rest = text.slice(first.length);
  const isPlain = /^(?:\/usr)?\/bin\/[^/]+$/.test(first);
  return isPlain || decision !== "allow" ? [text, program + rest] : [text];
}

/** A star stands for anything, a backslash takes a star's meaning away. ` *` at the end may stand for nothing. */
export function matchesText(pattern: string, text: string): boolean {
  const optional = pattern.endsWith(" *") && !pattern.endsWith("\\ *");
  const source = (optional ? pattern.slice(0, -2) : pattern).replace(
    /\\([*\\])|\*|[.+?^${}()|[\]\\]/g,
    (found, escaped) => {
      if (escaped !== undefined) return `\\${String(escaped)}`;
      return found === "*" ? "[\\s\\S]*" : `\\${found}`;
    },
  );
  return new RegExp(`^${source}${optional ? "(?: [\\s\\S]*)?" : ""}$`).test(text);
}

/** A text as a pattern of itself alone. */
export function exactPattern(text: string): string {
  return text.replace(/[\\*]/g, "\\$&");
}

function pathMatcher(pattern: string, { root, home }: RuleContext): (path: string) => boolean {
  const at = pattern.search(/[*?]/);
  const start = at === -1 ? pattern : pattern.slice(0, pattern.lastIndexOf("/", at) + 1);
  const rest = at === -1 ? "" : pattern.slice(start.length);
  // The part without stars may lead through links.
  const base = realPath(start === "" ? root : absolutePath(start, root, home));
  if (rest === "") return (path) => path === base || path.startsWith(pattern.endsWith("/") ? `${base}/` : `${base}\0`);
  const regExp = new RegExp(`^${globSource(rest)}$`);
  const folder = base === "/" ? "/" : `${base}/`;
  return (path) => path.startsWith(folder) && regExp.test(path.slice(folder.length)) && resolve(path) === path;
}

function globSource(glob: string): string {
  return glob.replace(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (found) => globSources[found] ?? `\\${found}`);
}

const globSources: { readonly [glob: string]: string } = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" };
