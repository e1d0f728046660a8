// Everything that can be said about the code without running it: `npm run check`. Two things at a time, a line for each.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { root } from "./files.mjs";

const lanes = 2;

/** Each is a list of commands, run one after the other. The longest come first. */
const checks = [
  { name: "package", run: checkPackage },
  { name: "dead code", run: () => inOrder([["knip", "--no-progress"]]) },
  { name: "types", run: () => inOrder([["tsc", "-p", ".", "--noEmit"]]) },
  { name: "tidy", run: () => inOrder([["vitest", "run", "test/tidy.test.ts", "test/bundle.test.ts"]]) },
  { name: "lint", run: () => inOrder([["oxlint"]]) },
  { name: "format", run: () => inOrder([["oxfmt", "--check"]]) },
  { name: "secrets", run: () => inOrder([["node", "tools/secrets.mjs"]]) },
];

/** Packs once, then asks both judges of packages about that file. */
async function checkPackage() {
  const folder = mkdtempSync(join(tmpdir(), "ikigai-pack-"));
  try {
    const packed = await inOrder([["npm", "pack", "--silent", "--pack-destination", folder]]);
    const [tarball] = readdirSync(folder);
    if (!packed.ok || tarball === undefined) return packed;
    const file = join(folder, tarball);
    return await inOrder([
      ["publint", file, "--strict"],
      ["attw", file, "--profile", "esm-only"],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inOrder(commands) {
  let output = "";
  for (const command of commands) {
    const result = await run(command);
    output += result.output;
    if (!result.ok) return { ok: false, output };
  }
  return { ok: true, output };
}

function run([command, ...args]) {
  const env = { ...process.env, PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}`, NO_COLOR: "1" };
  return new Promise((settle) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    child.stderr.on("data", (data) => (output += data));
    child.on("error", (error) => settle({ ok: false, output: `${output}${error.message}\n` }));
    child.on("close", (code) => settle({ ok: code === 0, output }));
  });
}

const failed = [];
const waiting = [...checks];

async function lane() {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const startedAt = performance.now();
    const { ok, output } = await check.run();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${check.name.padEnd(10)} ${ok ? "ok" : "FAILED"}  ${seconds} s`);
    if (!ok) failed.push({ name: check.name, output });
  }
}

await Promise.all(Array.from({ length: lanes }, lane));
// Some tools colour their output wherever CI is set.
for (const { name, output } of failed) console.log(`\n── ${name} ──\n${stripVTControlCharacters(output).trim()}`);
process.exitCode = failed.length > 0 ? 1 : 0;
