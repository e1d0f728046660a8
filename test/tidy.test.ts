import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { filesUnder, root } from "../tools/files.mjs";
import { findSecrets, scanRepository } from "../tools/secrets.mjs";

/** Which folders of src a folder may import. Everything a folder may know of the others is in this table. */
const mayImport: { readonly [folder: string]: readonly string[] | "everything" } = {
  core: [],
  llm: ["core"],
  testing: ["core"],
  store: ["core"],
  term: [],
  config: ["core"],
  agent: ["core", "llm", "store", "config"],
  repl: ["core", "agent", "term", "config"],
  server: ["core", "agent", "llm", "config"],
  cli: "everything",
  main: "everything",
  index: ["core", "llm"],
  agents: ["store", "agent"],
};

/** The simulated provider goes through the real wire code. Everything else in testing is written without looking at llm. */
const simulation = "src/testing/sim";

/** Folders that have to run in a browser. */
const withoutNode = ["core", "llm", "index"];

/** Packages that may be imported at run time, and by whom. */
const packages: { readonly [name: string]: readonly string[] } = {
  "@modelcontextprotocol/client": ["agent"],
  "@vscode/ripgrep": ["agent"],
  diff: ["agent", "cli", "term"],
  "eventsource-parser": ["llm"],
  "fast-string-width": ["term"],
  fuzzysort: ["term"],
  "highlight.js": ["term"],
  ignore: ["agent"],
  kysely: ["store"],
  marked: ["cli", "term"],
  "node-html-markdown": ["agent"],
  pg: ["store"],
  tinyglobby: ["agent"],
  tokenx: ["llm"],
};

/** Packages whose types check what we send. They are never loaded: `import type` only, and only where wires are spoken. */
const vendorTypes = ["@anthropic-ai/sdk", "openai", "@google/genai"];

/** Who may import past a folder's index.ts, with the reason. */
const insideImports: { readonly [importer: string]: string } = {
  "src/agents.ts": "hands out tools and permissions beside agents",
  "src/main.ts": "loads the file of the one command that was asked for",
  "src/cli/": "puts the parts together, and shows wires that the library's index does not hand out",
  "src/testing/": "takes words for JSON and a hash from core and none of its rules; the simulation loads one wire",
};

/** Files above the limit, with the reason. */
const linesMax = 400;
const longFiles: { readonly [path: string]: string } = {};

const providerName =
  /anthropic|openai|google|openrouter|\bxai\b|(?<!import\.)\bmeta\b(?!data)|azure|bedrock|vertex|groq|mistral|deepseek|cerebras|ollama|lm_?studio|\bvllm\b/gi;

/** Where a provider's name belongs. */
const providerPlaces: { readonly [path: string]: string } = {
  "src/llm/providers/": "one file for each",
  "src/llm/models/": "data",
  "src/llm/registry.ts": "the list of them",
  "src/testing/": "stands in for them",
  "src/cli/commands.ts": "examples in the help",
  "src/repl/screen/greeting.ts": "examples of how to add a key",
  "src/cli/wire/labels.ts": "data: what recordings call their providers and wires",
};

/** Words on the wire and in data that contain a provider's name without being a branch on it. */
const allowedWords: { readonly [word: string]: string } = {
  "openai-errors": "the shape of errors that two protocols share, named after who published it",
  openAiError: "same",
  OpenAiError: "same",
  "anthropic-version": "a header of the Messages wire, whoever serves it",
  "anthropic-beta": "same",
  '"anthropic", "responses", "chat", "gemini"': "what a configuration file calls the four wires",
  googleSearch: "a field of the Gemini wire, whoever serves it",
  GoogleSearch: "the type of that field",
  '".azure"': "a folder with keys in it",
  "<meta": "a tag of HTML",
  'meta: "alt"': "another name of the Alt key",
  'meta: "comment"': "what the highlighter calls a line about the code",
  "xai-": "the beginning of a key, to be blacked out wherever it turns up",
};

type Import = {
  readonly path: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly from: string;
  readonly to: string | undefined;
};

const sourcesAndData = filesUnder("src");
const sources = sourcesAndData.filter((path) => path.endsWith(".ts"));
const imports = sources.flatMap(importsOf);

describe("imports", () => {
  test("every folder of src is in the table", () => {
    expect(sources.map(folderOf).filter((folder) => !(folder in mayImport))).toEqual([]);
  });

  test("go in the allowed direction", () => {
    const wrong = imports.filter(({ path, from, to }) => {
      const allowed = mayImport[from];
      if (to === undefined || to === from || allowed === "everything") return false;
      if (to === "llm" && path.startsWith(simulation)) return false;
      return allowed?.includes(to) !== true;
    });
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test("core, llm and the library entry use nothing of Node", () => {
    const wrong = imports.filter(({ from, specifier }) => withoutNode.includes(from) && specifier.startsWith("node:"));
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test("packages are used where the table says, vendors' packages only for their types", () => {
    const wrong = imports.filter(({ from, specifier, typeOnly }) => {
      if (specifier.startsWith(".") || specifier.startsWith("node:")) return false;
      const name = packageName(specifier);
      if (vendorTypes.includes(name)) return !(typeOnly && from === "llm");
      return packages[name]?.includes(from) !== true;
    });
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test("enter a folder through its index.ts", () => {
    const wrong = imports.filter(({ path, specifier, from, to }) => {
      if (to === undefined || to === from || isListed(insideImports, path)) return false;
      return !specifier.endsWith(`${to}/index.ts`) && !specifier.endsWith(`${to}.ts`);
    });
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test("name files that exist, with their extension", () => {
    const relative = imports.filter(({ specifier }) => specifier.startsWith("."));
    const wrong = relative.filter(({ path, specifier }) => !existsSync(join(root, dirname(path), specifier)));
    expect(relative.length).toBeGreaterThan(0);
    expect(wrong.map(describeImport)).toEqual([]);
  });
});

describe("names", () => {
  test("of providers appear only among the providers, in data and in what stands in for them", () => {
    const found = sources
      .filter((path) => !isListed(providerPlaces, path))
      .flatMap((path) => providerNamesIn(path, withoutComments(read(path))));
    expect(found).toEqual([]);
  });

  test("and places that are allowed by exception are still in use", () => {
    const code = sources.map(read).join("\n");
    expect(Object.keys(allowedWords).filter((word) => !code.includes(word))).toEqual([]);
    const starts = Object.keys({ ...insideImports, ...providerPlaces });
    expect(starts.filter((start) => !sourcesAndData.some((path) => path.startsWith(start)))).toEqual([]);
  });
});

describe("files", () => {
  test(`are at most ${linesMax} lines long, or listed with a reason`, () => {
    const lengths = sources.map((path) => ({ path, lines: read(path).split("\n").length - 1 }));
    const longest = lengths.toSorted((left, right) => right.lines - left.lines).slice(0, 3);
    const total = lengths.reduce((sum, { lines }) => sum + lines, 0);
    const names = longest.map(({ path, lines }) => `${path} ${lines}`).join(", ");
    console.log(`src: ${sources.length} files, ${total} lines; longest: ${names}`);
    const long = lengths.filter(({ lines }) => lines > linesMax).map(({ path }) => path);
    expect(long.toSorted()).toEqual(Object.keys(longFiles).toSorted());
  });

  test("hold no keys, no registry hosts and no paths of one machine", () => {
    expect(scanRepository()).toEqual([]);
  });

  test("with a key in them would be noticed", () => {
    const body = "a1B2".repeat(12);
    const keys = [
      ["sk", "ant", body],
      ["sk", "proj", body],
      ["sk", "or", body],
      ["xai", body],
    ].map((parts) => parts.join("-"));
    for (const key of [...keys, `AIza${body}`, `AQ.${body}`]) {
      expect(findSecrets(`first line\nkey = "${key}"`)).toMatchObject([{ line: 2 }]);
    }
  });
});

describe("documents", () => {
  const documents = filesUnder().filter((path) => path.endsWith(".md") && !path.startsWith("test/"));

  test("link to what exists", () => {
    expect(documents.length).toBeGreaterThan(0);
    expect(documents.flatMap(brokenLinks)).toEqual([]);
  });

  test("of decisions are numbered without gaps and have their three parts", () => {
    const decisions = filesUnder("docs/decisions").map((path) => posix.basename(path));
    decisions.forEach((name, index) => {
      expect(name).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
      expect(Number(name.slice(0, 4))).toBe(index + 1);
      const headings = [...read(`docs/decisions/${name}`).matchAll(/^## (.+)$/gm)].map(([, title]) => title);
      expect(headings, name).toEqual(["Context", "Decision", "Consequences"]);
    });
  });
});

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** `src/llm/writer.ts` → `llm`, `src/main.ts` → `main`. */
function folderOf(path: string): string {
  return path.split("/")[1]?.replace(/\.ts$/, "") ?? "";
}

function isListed(list: { readonly [start: string]: string }, path: string): boolean {
  return Object.keys(list).some((start) => path.startsWith(start));
}

function importsOf(path: string): readonly Import[] {
  const statement = /^(?:import|export) (type )?[^"';()]*?\bfrom "([^"]+)"|(?:^import |\bimport\()"([^"]+)"/gm;
  return [...withoutComments(read(path)).matchAll(statement)].map(([, typeOnly, named, bare]) => {
    const specifier = named ?? bare ?? "";
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined;
    return {
      path,
      specifier,
      typeOnly: typeOnly !== undefined,
      from: folderOf(path),
      to: target === undefined ? undefined : folderOf(target),
    };
  });
}

function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function describeImport({ path, specifier }: Import): string {
  return `${path} imports ${specifier}`;
}

/** Comments may say where a fact comes from. A `//` inside a string follows a colon: an address, not a comment. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:])\/\/.*$/gm, "$1");
}

function providerNamesIn(path: string, code: string): readonly string[] {
  return code.split("\n").flatMap((line) => {
    const allowed = [...Object.keys(allowedWords), ...vendorTypes.map((name) => `from "${name}`)];
    const rest = allowed.reduce((left, word) => left.replaceAll(word, ""), line);
    return [...rest.matchAll(providerName)].map(([name]) => `${path} says ${name}: ${line.trim()}`);
  });
}

function brokenLinks(path: string): readonly string[] {
  const text = read(path).replace(/```[\s\S]*?```/g, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? path : posix.join(posix.dirname(path), file);
    const missing = !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    return missing ? [`${path} → ${link}`] : [];
  });
}

function anchorsOf(path: string): readonly string[] {
  return [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}
