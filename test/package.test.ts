import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../tools/files.mjs";

/** The oldest Node we promise. Fetched once as a package, where the registry can be reached. */
const oldestNode = "22.19.0";

/** A program of somebody else, as strict as compilers get. */
const consumer = `
import { ask, explain, project, textOf, user, type Answer, type Explanation, type Message, type StreamEvent } from "ikigai";
export async function run(signal: AbortSignal): Promise<string> {
  const messages: Message[] = [user("hello")];
  const answer: Answer = await ask("claude-opus-5-5/high", messages, { signal, key: "none" });
  for await (const event of ask("gpt-6.1-sol/med", "hello", { signal })) {
    const seen: StreamEvent = event;
    if (seen.type === "done") console.log(seen.usage.total_tokens);
  }
  const explained: Explanation = await explain("gemini-3.8-flash/none");
  const { losses } = await project(messages, "gemini-3.8-flash");
  return textOf(answer.message) + explained.level_applied + String(losses.length);
}
// @ts-expect-error the types are really there: a number is not a model
void ask(1, "hello");
`;

/** The same for agents, which need Node. */
const agentConsumer = `
import { createWorld, openAgents, openStore, type AgentEvent, type Agents, type Tool, type World } from "ikigai/agents";
export async function run(tools: readonly Tool[]): Promise<string> {
  const store = await openStore({ path: ":memory:" });
  const world: World = createWorld({ store, model: "claude-opus-5-5/high", tools, unattended: "deny" });
  const agents: Agents = await openAgents(world);
  agents.subscribe((event: AgentEvent) => console.log(event.type === "turn_ended" ? event.cost_usd : event.agent_uuid));
  const { queued } = await agents.command({ type: "say", agent_uuid: agents.root_uuid, content: "hello" });
  const sessions = await store.sessions.list();
  await agents.close();
  return String(queued) + String(sessions.length);
}
// @ts-expect-error the types are really there: a world without a store is none
void createWorld({ model: "sim-echo" });
`;

/** Uses the installed package and says what it saw. */
const program = `
import * as library from "ikigai";
import * as testing from "ikigai/testing";
import { createWorld, openAgents, openStore } from "ikigai/agents";
const explained = await library.explain("claude-opus-5-5/high");
const providers = [testing.simProvider()];
const store = await openStore({ path: ":memory:" });
const agents = await openAgents(createWorld({ store, llm: { providers }, model: "sim-echo" }));
await agents.command({ type: "say", agent_uuid: agents.root_uuid, content: "blue" });
await agents.settled(agents.root_uuid);
const answer = library.textOf(agents.view(agents.root_uuid).messages.at(-1));
await agents.close();
await store.close();
console.log(JSON.stringify({ library: Object.keys(library), testing: Object.keys(testing), explained, answer }));
`;

describe("the package, packed and installed elsewhere", () => {
  let folder = "";
  let tarball = "";

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ikigai-package-"));
    run("npm", ["pack", "--silent", "--pack-destination", folder], root);
    tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
    writeFileSync(join(folder, "package.json"), `{ "name": "somebody", "private": true, "type": "module" }`);
    writeFileSync(join(folder, "program.js"), program);
    // It depends on nothing, so nothing has to be fetched.
    run("npm", ["install", ...quiet, `./${tarball}`], folder);
    run("npm", ["install", "--global", "--prefix", join(folder, "global"), ...quiet, `./${tarball}`], folder);
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("holds what it needs and nothing else", () => {
    const files = filesIn(join(folder, "node_modules/ikigai"));
    const needed = ["index.js", "agents.js", "main.js", "testing.js", "licenses.txt"].map((name) => `dist/${name}`);
    for (const path of [...needed, "LICENSE", "README.md", "CHANGELOG.md"]) expect(files).toContain(path);
    const expected = [
      /^dist\/(?:chunks\/)?[\w-]+\.js$|^dist\/types\/.+\.d\.ts$|^dist\/licenses\.txt$|^bin\/ikigai\.cjs$/,
      /^[A-Z]+(?:\.md)?$|^package\.json$|^docs\/.+\.(?:md|svg|json)$|^examples\/.+\.(?:mjs|md|jsonl)$/,
    ];
    expect(files.filter((file) => !expected.some((form) => form.test(file)))).toEqual([]);
    const kilobytes = Math.round(statSync(join(folder, tarball)).size / 1024);
    console.log(`package: ${files.length} files, ${kilobytes} KB packed`);
  });

  test("brings everything its documents link to", () => {
    const own = join(folder, "node_modules/ikigai");
    const broken = filesIn(own)
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) => {
        const text = readFileSync(join(own, path), "utf8").replaceAll(/```[^]*?```/g, "");
        const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = ""]) => link);
        const near = links.filter((link) => !/^[a-z]+:/.test(link));
        return near.filter((link) => !existsSync(join(own, dirname(path), link))).map((link) => `${path} → ${link}`);
      });
    expect(broken).toEqual([]);
  });

  test("works in this Node", () => {
    expectToWork(process.execPath);
  });

  test(`works in Node ${oldestNode}`, (context) => {
    const node = oldestNodePath();
    if (node === undefined) context.skip(`no Node ${oldestNode} for this machine (fetched only where CI is set)`);
    else expectToWork(node);
  });

  const nodeProgram: object = {
    module: "nodenext",
    lib: ["es2024"],
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };

  test("has types that resolve for Node programs, without skipLibCheck", () => {
    typeCheck(nodeProgram);
  });

  test("has types of agents that resolve for Node programs, without skipLibCheck", () => {
    typeCheck(nodeProgram, agentConsumer);
  });

  test("can be used as the readme says", () => {
    const [, example] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
    expect(example).toContain('from "ikigai"');
    typeCheck(nodeProgram, example);
  });

  test("has types that resolve for bundled programs in browsers, without skipLibCheck", () => {
    typeCheck({ module: "esnext", moduleResolution: "bundler", lib: ["es2024", "dom"], types: [] });
  });

  test("has types that name no other package", () => {
    const types = join(folder, "node_modules/ikigai/dist/types");
    const found = filesIn(types).flatMap((file) =>
      [...readFileSync(join(types, file), "utf8").matchAll(/(?:from|import\()\s*"([^".][^"]*)"/g)].map(
        ([, name]) => name,
      ),
    );
    expect(found.filter((name) => name?.startsWith("node:") !== true)).toEqual([]);
  });

  function expectToWork(node: string): void {
    const said: unknown = JSON.parse(run(node, ["program.js"], folder));
    expect(said).toMatchObject({
      library: expect.arrayContaining(["ask", "stream", "explain", "project"]),
      explained: { provider: "anthropic", model: "claude-opus-5-5", level_applied: "high" },
      answer: expect.stringContaining("You said: “blue”"),
    });
    // As it lies in somebody's PATH, with this Node and no other before it.
    const bin = mkdtempSync(join(folder, "bin-"));
    symlinkSync(node, join(bin, "node"));
    const env = {
      PATH: [bin, join(folder, "global/bin"), "/usr/bin", "/bin"].join(delimiter),
      IKIGAI_HOME: join(bin, "home"),
    };
    expect(run("ikigai", ["--version"], folder, env)).toBe(`${packageVersion()}\n`);
    expect(run("ikigai", ["--help"], folder, env)).toContain("ikigai doctor");
    expect(run("ikigai", ["-p", "blue", "--model", "sim-echo"], folder, env)).toContain("You said: “blue”");
    expect(run("ikigai", ["history"], folder, env)).toContain("blue");
    expect(run(join(folder, "node_modules/.bin/ikigai"), ["--version"], folder, env)).toBe(`${packageVersion()}\n`);
  }

  function typeCheck(compilerOptions: object, source = consumer): void {
    const options = { target: "es2024", strict: true, noEmit: true, skipLibCheck: false, ...compilerOptions };
    writeFileSync(join(folder, "consumer.ts"), source);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["consumer.ts"] }));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  }
});

const quiet = ["--offline", "--no-audit", "--no-fund"];

/** The output of a command that has to succeed. */
function run(command: string, args: readonly string[], cwd: string, env = process.env): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${error?.message ?? ""}${stdout}${stderr}`);
  return stdout;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
}

function packageVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return version;
}

function oldestNodePath(): string | undefined {
  const cache = join(root, "node_modules/.cache/ikigai", `node-${oldestNode}`);
  const node = join(cache, "package/bin/node");
  if (existsSync(node)) return node;
  if (!process.env["CI"] || process.platform !== "linux") return undefined;
  mkdirSync(cache, { recursive: true });
  const name = `node-linux-${process.arch}@${oldestNode}`;
  const fetched = spawnSync("npm", ["pack", "--silent", name], { cwd: cache, encoding: "utf8" });
  if (fetched.status !== 0) return undefined;
  const file = fetched.stdout.trim();
  run("tar", ["xzf", file, "package/bin/node"], cache);
  rmSync(join(cache, file));
  return node;
}
