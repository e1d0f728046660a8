// Makes dist/: the library (index.js), agents for programs (agents.js), the emulator for other people's tests (testing.js),
// the program (main.js), the code they share (chunks/) and the declarations (types/).
//
//   node tools/build.mjs            everything
//   node tools/build.mjs --quick    no declarations, and nothing at all when dist/ is newer than its sources

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./files.mjs";

const dist = join(root, "dist");
/** Its time says when the build began. */
const stamp = join(dist, "main.js");

export const entries = {
  index: "src/index.ts",
  agents: "src/agents.ts",
  testing: "src/testing/index.ts",
  main: "src/main.ts",
};

/** `dependencies` stay outside: they are heavy and loaded late. What is small is a dev dependency and becomes part of us. */
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** Asked for by `pg` where it runs elsewhere, and not missed by it here. */
const optional = ["pg-native", "pg-cloudflare"];
const external = [
  ...Object.keys(manifest.dependencies ?? {}),
  ...Object.keys(manifest.optionalDependencies ?? {}),
  ...optional,
];

/** The program reads its version from package.json; the rest of that file is nothing to ship. */
const versionOnly = {
  name: "version-only",
  setup({ onLoad }) {
    const contents = JSON.stringify({ version: manifest.version });
    onLoad({ filter: /[/\\]package\.json$/ }, () => ({ contents, loader: "json" }));
  },
};

/** Old packages `require` parts of Node, which a module cannot. */
const nodeForCommonJs = {
  name: "node-for-commonjs",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z_:/]+$/ }, ({ kind, path }) => {
      const name = path.replace(/^node:/, "");
      return kind === "require-call" && builtinModules.includes(name) ? { path: name, namespace: "node" } : undefined;
    });
    onLoad({ filter: /./, namespace: "node" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule("${path}");`,
    }));
  },
};

/** One run of the bundler for all entries, so that what they share exists once. Writes nothing. */
export async function bundle() {
  // Not imported at the top: `npm start` on a built tree must not pay for it.
  const { build } = await import("esbuild");
  return build({
    absWorkingDir: root,
    entryPoints: Object.entries(entries).map(([out, path]) => ({ in: path, out })),
    outdir: dist,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22.19",
    chunkNames: "chunks/[name]-[hash]",
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    // An uncaught error prints its line.
    lineLimit: 160,
    external,
    plugins: [versionOnly, nodeForCommonJs],
    metafile: true,
    write: false,
    logLevel: "warning",
  });
}

/** Everything an output file reaches, itself included: `imports` only at load time, or also later by `import()`. */
export function reachable(metafile, file, { late }) {
  const seen = new Set();
  const visit = (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const link of metafile.outputs[path]?.imports ?? []) {
      if (late || link.kind === "import-statement") visit(link.path);
    }
  };
  visit(file);
  return [...seen];
}

/** The library has to run in a browser: nothing it can ever load may be a part of Node. */
export function nodeImports(metafile) {
  const outputs = reachable(metafile, "dist/index.js", { late: true });
  const names = outputs.flatMap((path) => [path, ...Object.keys(metafile.outputs[path]?.inputs ?? {})]);
  return names.filter((name) => name.startsWith("node:") || builtinModules.includes(name));
}

async function buildCode() {
  const { outputFiles, metafile } = await bundle();
  const found = nodeImports(metafile);
  if (found.length > 0) throw new Error(`the library must not import ${found.join(", ")}`);
  for (const { path, contents } of outputFiles) writeWhole(path, contents);
  writeWhole(join(dist, "licenses.txt"), licensesOf(metafile));
  const current = new Set(outputFiles.map(({ path }) => path));
  const folders = [dist, join(dist, "chunks")];
  for (const path of folders.flatMap(filesIn)) if (path.endsWith(".js") && !current.has(path)) rmSync(path);
}

/** What we bundle, we pass on, and its authors ask for their notice to go with it. */
function licensesOf(metafile) {
  const folders = Object.keys(metafile.inputs).map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .map(licenseOf)
    .join("\n");
}

function licenseOf(folder) {
  const { name, license, author } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file !== undefined) return `${name}\n\n${readFileSync(join(root, folder, file), "utf8").trim()}\n`;
  // Some only name it.
  if (license === undefined) throw new Error(`${name} is bundled but says nothing of a license`);
  return `${name}\n\n${license}, by ${author?.name ?? author ?? "its authors"}\n`;
}

/** Whoever runs the old file meanwhile sees the old one or the new one, never half of one. */
function writeWhole(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder, { withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(folder, entry.name));
}

function buildDeclarations() {
  const draft = join(dist, `types.${process.pid}.tmp`);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", join(root, "tsconfig.build.json"), "--declarationDir", draft];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit", cwd: root });
  try {
    if (status !== 0) throw new Error("the declarations could not be made");
    const types = join(dist, "types");
    const files = declarationsOf(draft);
    rmSync(types, { recursive: true, force: true });
    for (const [path, text] of files) writeWhole(join(types, path), text);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * The declarations a user of the package can reach, with `.js` where the sources say `.ts` (the compiler leaves those
 * alone). A package named in one of them would have to be installed by everyone who uses the library.
 */
function declarationsOf(folder) {
  const files = new Map();
  const visit = (path) => {
    if (files.has(path)) return;
    const text = readFileSync(join(folder, path), "utf8");
    files.set(
      path,
      text.replace(specifier, (match, before, name, quote) => {
        if (!name.startsWith(".")) {
          if (opaque.includes(name)) return `${before}${relativeTo(path, opaqueFile(name))}${quote}`;
          if (!name.startsWith("node:")) throw new Error(`the public types of ${path} need the package ${name}`);
          return match;
        }
        return `${before}${name.replace(/\.ts$/, ".js")}${quote}`;
      }),
    );
    for (const [, , name] of text.matchAll(specifier)) {
      if (name.startsWith(".")) visit(join(dirname(path), name.replace(/\.ts$/, ".d.ts")));
    }
  };
  for (const path of [entries.index, entries.agents, entries.testing]) {
    visit(relative("src", path).replace(/\.ts$/, ".d.ts"));
  }
  const texts = [...files.keys()].map((path) => readFileSync(join(folder, path), "utf8"));
  for (const name of opaque) files.set(opaqueFile(name), opaqueTypes(name, texts));
  return files;
}

/** What is behind a store is nobody's business: types of these packages stand in its declarations, and say nothing there. */
const opaque = ["kysely"];

/** Those that only wrap a row or a column: what they wrap. */
const wrappers = ["Generated", "Insertable", "Selectable"];

/** A type without a meaning for every name that is taken from a package. */
function opaqueTypes(name, texts) {
  const named = new RegExp(`import (?:type )?\\{([^}]*)\\} from "${name}"`, "g");
  const inline = new RegExp(`import\\("${name}"\\)\\.(\\w+)`, "g");
  const found = texts.flatMap((text) => [
    ...[...text.matchAll(named)].flatMap(([, names]) =>
      names.split(",").map((word) => word.replace(/\btype\b/, "").trim()),
    ),
    ...[...text.matchAll(inline)].map(([, word]) => word),
  ]);
  const parameters = "A = unknown, B = unknown, C = unknown, D = unknown";
  return [...new Set(found)]
    .filter((word) => word !== "")
    .map((word) => `export type ${word}<${parameters}> = ${wrappers.includes(word) ? "A" : "{ of?: [A, B, C, D] }"};\n`)
    .join("");
}

function opaqueFile(name) {
  return `opaque/${name}.d.ts`;
}

function relativeTo(path, target) {
  const link = relative(dirname(path), target)
    .replaceAll("\\", "/")
    .replace(/\.d\.ts$/, ".js");
  return link.startsWith(".") ? link : `./${link}`;
}

/** `from "x"`, `import "x"` and `import("x")`, as they stand in a declaration file. */
const specifier = /(\bfrom\s+"|\bimport\s+"|\bimport\(")([^"]+)(")/g;

function isCurrent() {
  if (!existsSync(stamp)) return false;
  const builtAt = statSync(stamp).mtimeMs;
  const sources = ["package.json", "tools/build.mjs", "src"].map((path) => join(root, path));
  return !sources.some((path) => changedSince(path, builtAt));
}

/** Folders count too: their time changes when a file is added or removed. */
function changedSince(path, time) {
  const stats = statSync(path);
  if (stats.mtimeMs > time) return true;
  return stats.isDirectory() && readdirSync(path).some((name) => changedSince(join(path, name), time));
}

async function main(quick) {
  if (quick && isCurrent()) return;
  const startedAt = Date.now();
  mkdirSync(dist, { recursive: true });
  await buildCode();
  if (!quick) buildDeclarations();
  // What was saved meanwhile is newer than this and will be built next time.
  utimesSync(stamp, startedAt / 1000, startedAt / 1000);
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await main(process.argv.includes("--quick"));
  } catch (error) {
    // The bundler and the compiler have already said where.
    console.error(`build failed: ${error.message.split("\n")[0]}`);
    process.exitCode = 1;
  }
}
