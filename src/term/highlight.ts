import hljs from "highlight.js/lib/core";
import type { LanguageFn } from "highlight.js";
import { type Lines, type Role, span, type Span } from "./line.ts";

/** Colours code. Languages are loaded when they are first met; until then the code is plain. */
export type Highlighter = {
  /** One line per line of the code. Undefined: not known, or not yet. */
  readonly highlight: (code: string, language: string) => Lines | undefined;
  /** Counts languages that have arrived: what was rendered plain before can be rendered again. */
  readonly version: () => number;
};

/** Longer code stays plain: colouring it would hold up the screen. */
const codeMax = 200_000;

/** `loaded` is called when a language has arrived. */
export function createHighlighter(loaded: () => void = () => undefined): Highlighter {
  const asked = new Set<string>();
  let version = 0;
  return {
    highlight(code, language) {
      const name = aliases[language.toLowerCase()] ?? language.toLowerCase();
      const load = languages[name];
      if (load === undefined || code.length > codeMax) return undefined;
      if (hljs.getLanguage(name) !== undefined)
        return linesOf(hljs.highlight(code, { language: name, ignoreIllegals: true }).value);
      if (!asked.has(name)) {
        asked.add(name);
        void load().then((module) => {
          hljs.registerLanguage(name, module.default);
          version += 1;
          loaded();
        }, ignoreFailure);
      }
      return undefined;
    },
    version: () => version,
  };
}

/** Code without colours is still code. */
function ignoreFailure(): void {}

/** The library's HTML: nested spans with classes, four characters escaped. */
function linesOf(html: string): Lines {
  const lines: Span[][] = [[]];
  const roles: (Role | undefined)[] = [];
  for (const [, name, closing, text] of html.matchAll(/<span class="hljs-([^"]*)">|(<\/span>)|([^<]+)/g)) {
    if (name !== undefined) roles.push(roleOf(name) ?? roles.at(-1));
    else if (closing !== undefined) roles.pop();
    else addText(lines, unescape(text ?? ""), roles.at(-1));
  }
  return lines;
}

function addText(lines: Span[][], text: string, role: Role | undefined): void {
  text.split("\n").forEach((part, index) => {
    if (index > 0) lines.push([]);
    if (part !== "") lines.at(-1)?.push(role === undefined ? span(part) : span(part, styles[role]));
  });
}

function unescape(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => entities[name] ?? "");
}

function roleOf(name: string): Role | undefined {
  return roleNames[name.split(/[ .]/)[0] ?? ""];
}

const entities: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

type Loader = () => Promise<{ readonly default: LanguageFn }>;
/** Spelled out, so that the bundler finds them. */
const languages: { readonly [name: string]: Loader } = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  elixir: () => import("highlight.js/lib/languages/elixir"),
  go: () => import("highlight.js/lib/languages/go"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  haskell: () => import("highlight.js/lib/languages/haskell"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  nix: () => import("highlight.js/lib/languages/nix"),
  perl: () => import("highlight.js/lib/languages/perl"),
  php: () => import("highlight.js/lib/languages/php"),
  powershell: () => import("highlight.js/lib/languages/powershell"),
  protobuf: () => import("highlight.js/lib/languages/protobuf"),
  python: () => import("highlight.js/lib/languages/python"),
  r: () => import("highlight.js/lib/languages/r"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scala: () => import("highlight.js/lib/languages/scala"),
  scss: () => import("highlight.js/lib/languages/scss"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

type Names = { readonly [name: string]: string };
const aliases: Names = {
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  console: "bash",
  h: "c",
  "c++": "cpp",
  cc: "cpp",
  hpp: "cpp",
  cs: "csharp",
  "c#": "csharp",
  docker: "dockerfile",
  ex: "elixir",
  golang: "go",
  hs: "haskell",
  toml: "ini",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsonc: "json",
  json5: "json",
  kt: "kotlin",
  make: "makefile",
  md: "markdown",
  pl: "perl",
  ps1: "powershell",
  proto: "protobuf",
  py: "python",
  rb: "ruby",
  rs: "rust",
  ts: "typescript",
  tsx: "typescript",
  mts: "typescript",
  html: "xml",
  svg: "xml",
  vue: "xml",
  yml: "yaml",
  patch: "diff",
};

const roleNames: { readonly [name: string]: Role } = {
  keyword: "keyword",
  literal: "number",
  number: "number",
  symbol: "number",
  string: "string",
  regexp: "string",
  char: "string",
  comment: "comment",
  quote: "comment",
  doctag: "comment",
  meta: "comment",
  title: "title",
  section: "title",
  name: "title",
  tag: "keyword",
  built_in: "type",
  type: "type",
  attr: "type",
  attribute: "type",
  variable: "info",
  property: "info",
  "template-variable": "info",
  "selector-tag": "keyword",
  "selector-class": "type",
  "selector-id": "type",
  bullet: "accent",
  link: "link",
  addition: "added",
  deletion: "removed",
};

/** One object per role: equal styles are the same one. */
const styles = Object.fromEntries([...new Set(Object.values(roleNames))].map((role) => [role, { color: role }])) as {
  readonly [role in Role]?: { readonly color: Role };
};
