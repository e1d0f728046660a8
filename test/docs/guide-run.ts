import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { defaultMockPort } from "../../src/cli/mock.ts";
import { startEmulator, type Emulator } from "../../src/testing/index.ts";
import { bundle } from "../../tools/build.mjs";
import { root } from "../../tools/files.mjs";
import { answers } from "./guide-answers.ts";
import type { Block, Page } from "./guide-page.ts";

export type Ran = { readonly output: string; readonly exit_code: number; readonly failed: string };

/** The package as it would be installed, made from the sources of this moment. */
export async function installed(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "ikigai-guide-package-"));
  const { outputFiles } = await bundle();
  for (const { path, contents } of outputFiles) {
    const target = join(folder, relative(root, path));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, contents);
  }
  cpSync(join(root, "bin"), join(folder, "bin"), { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Does everything a page tells its reader to do, in one shell, at home in an empty folder, with stand-ins for the providers. */
export async function runPage(
  page: Page,
  where: { readonly package_folder: string; readonly replaced?: Replaced },
): Promise<readonly Ran[]> {
  const { package_folder } = where;
  const replaced = { ...where.replaced, [String(defaultMockPort)]: String(await freePort()) };
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ikigai-guide-")));
  const home = join(folder, "home");
  const project = join(home, "project");
  mkdirSync(join(project, "node_modules"), { recursive: true });
  mkdirSync(join(folder, "bin"));
  symlinkSync(package_folder, join(project, "node_modules/ikigai"));
  const program = join(folder, "bin/ikigai");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(package_folder, "bin/ikigai.cjs")}" "$@"\n`);
  chmodSync(program, 0o755);

  const emulator = await startEmulator({ rule: answers, seed: 7, noise: false });
  try {
    const there = (text: string): string => swap(text, Object.entries(replaced));
    const back = (text: string): string => swap(text, [...Object.entries(replaced).map(flip), [home, "/home/you"]]);
    writeFileSync(
      join(folder, "page.sh"),
      page.blocks.map((block, index) => step(block, index, folder, there)).join(""),
    );
    const env = { ...environment(page, emulator), HOME: home, PATH: `${join(folder, "bin")}:${process.env["PATH"]}` };
    await shell(join(folder, "page.sh"), { cwd: project, env });
    const read = (index: number, ending: string): string => {
      const path = join(folder, `${index}.${ending}`);
      return existsSync(path) ? back(readFileSync(path, "utf8")) : "";
    };
    return page.blocks.map((_block, index) => ({
      output: read(index, "out"),
      exit_code: Number(read(index, "code") || Number.NaN),
      failed: read(index, "failed"),
    }));
  } finally {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** What stands in the page, and what has to stand there on this machine. */
export type Replaced = { readonly [written: string]: string };

function swap(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((result, [from, to]) => result.replaceAll(from, to), text);
}

function flip([from, to]: readonly [string, string]): readonly [string, string] {
  return [to, from];
}

/** The lines of the shell that do what one block says. */
function step(block: Block, index: number, folder: string, there: (text: string) => string): string {
  const path = (ending: string): string => join(folder, `${index}.${ending}`);
  const typed = block.typed === "a key" ? madeUpKey : (block.typed ?? "");
  writeFileSync(path("in"), there(typed));
  writeFileSync(path(block.kind), there(block.text));
  const file = block.file ?? (block.kind === "json" ? "$HOME/.config/ikigai/config.json" : `program-${index}.ts`);
  const put = `mkdir -p "$(dirname "${file}")"; cp "${path(block.kind)}" "${file}"`;
  const runs = {
    sh: `source "${path("sh")}"`,
    ts: `${put}; node ${file}`,
    json: put,
    repl: "ikigai --plain",
  };
  const run = block.file === undefined ? runs[block.kind] : put;
  const keep = `>"${path("out")}" 2>&1 <"${path("in")}"`;
  return [
    `trap 'echo "$BASH_COMMAND" >>"${path("failed")}"' ERR`,
    `{ ${run}; } ${keep}; echo $? >"${path("code")}"`,
    "trap - ERR",
    "",
  ].join("\n");
}

async function shell(path: string, how: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }): Promise<void> {
  writeFileSync(path, `set -o pipefail\n${readFileSync(path, "utf8")}\nkill $(jobs -p) 2>/dev/null\nwait\n`);
  // A group of its own, so that nothing it started outlives it.
  const child = spawn("bash", [path], { ...how, stdio: ["ignore", "ignore", "inherit"], detached: true });
  const timer = setTimeout(() => end(child.pid), pageMsMax);
  await once(child, "exit");
  clearTimeout(timer);
  end(child.pid);
}

function end(group: number | undefined): void {
  if (group === undefined) return;
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Nobody is left.
  }
}

/** A machine on which nothing of ours was ever used, with what the page speaks of; stand-ins where providers would be. */
function environment(page: Page, emulator: Emulator): NodeJS.ProcessEnv {
  const hosted = Object.entries(hostedProviders).flatMap(([name, { address, key }]) => [
    [address, emulator.base_urls[name]],
    ...(page.with.includes(name) ? [[key, madeUpKey]] : []),
  ]);
  // A server that happens to run on this machine must not answer.
  const local = Object.entries(localServers).map(([name, address]) => [
    address,
    page.with.includes(name) ? emulator.base_urls[name] : "http://127.0.0.1:9/v1",
  ]);
  return {
    ...Object.fromEntries([...hosted, ...local]),
    LANG: "C.UTF-8",
    TERM: "dumb",
    TZ: "UTC",
    IKIGAI_SIM_DELAY_MS: "0",
  };
}

const hostedProviders: { readonly [provider: string]: { readonly address: string; readonly key: string } } = {
  anthropic: { address: "ANTHROPIC_BASE_URL", key: "ANTHROPIC_API_KEY" },
  openai: { address: "OPENAI_BASE_URL", key: "OPENAI_API_KEY" },
  google: { address: "GOOGLE_BASE_URL", key: "GOOGLE_API_KEY" },
  xai: { address: "XAI_BASE_URL", key: "XAI_API_KEY" },
  openrouter: { address: "OPENROUTER_BASE_URL", key: "OPENROUTER_API_KEY" },
};

const localServers: { readonly [provider: string]: string } = {
  ollama: "OLLAMA_BASE_URL",
  llamacpp: "LLAMACPP_BASE_URL",
  lmstudio: "LMSTUDIO_BASE_URL",
  vllm: "VLLM_BASE_URL",
};

const madeUpKey = ["sk", "ant", "made", "up", "for", "the", "guide"].join("-");
const pageMsMax = 60_000;
