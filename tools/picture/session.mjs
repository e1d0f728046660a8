// A session at the real screen, played through without a terminal: what a person would see at its end.
//
// Run as a program of its own, because time is taken over before anything else is loaded: it stands still but for what an
// answer is said to take, so that the picture is the same every time.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const realNow = performance.now.bind(performance);
let time = Date.UTC(2026, 0, 15, 9, 30);
Date.now = () => time;
performance.now = () => time;
// Ids are seen, too.
let seed = 7;
crypto.getRandomValues = (bytes) => bytes.map(() => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) >>> 16);

const { createServices } = await import("../../src/cli/repl-services.ts");
const { startScreen } = await import("../../src/repl/screen/app.ts");
const { createEmulator } = await import("../../src/testing/index.ts");
const { svgOf } = await import("./svg.mjs");
const { createWindow } = await import("./window.mjs");

const size = { columns: 100, rows: 42 };
// The model is told where it works: a path that always counts the same number of tokens.
const home = join(tmpdir(), `ikigai-picture-${String(process.pid).padStart(7, "0")}`);
const folder = join(home, "orchard");
mkdirSync(join(folder, ".git"), { recursive: true });
writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
writeFileSync(join(folder, "cache.ts"), source());

const emulator = createEmulator({ seed: 1, noise: false });
const env = { HOME: home, IKIGAI_HOME: join(home, ".ikigai"), TERM: "xterm-256color", COLORTERM: "truecolor" };
const keys = { ANTHROPIC_API_KEY: "any", OPENAI_API_KEY: "any", GEMINI_API_KEY: "any" };
const io = {
  stdin: (async function* () {})(),
  stdout: () => undefined,
  stderr: () => undefined,
  env: { ...env, ...keys },
  fetch: async (...call) => {
    time += 700;
    const response = await emulator.fetch(...call);
    return new Response(response.body?.pipeThrough(new TransformStream({ transform: takeTime })), response);
  },
};
emulator.script(...answers());

const view = createWindow(size);
const services = createServices(io, { folder, model: "claude-opus-5-5/high" });
// Frames are painted as time really goes by; what they show is not.
const clock = {
  now: realNow,
  after(ms, act) {
    const timer = setTimeout(() => act(), ms);
    return () => clearTimeout(timer);
  },
};
const world = {
  terminal: view.terminal,
  env: io.env,
  platform: "linux",
  colour_bits: 24,
  clock,
  which: { which: "new" },
};
const screen = startScreen(services, world);

try {
  await until("? keys");
  for (const [line, seen] of steps()) {
    view.type(line);
    await until(line.slice(0, 20));
    time += 1_000;
    view.type("\r");
    await until(seen);
  }
  // Back to the parent: Ctrl+Up.
  view.type("\u001b[1;5A");
  await until("What would a test");
  process.stdout.write(svgOf(await view.lines(), { ...size, title: "ikigai — ~/orchard" }));
} finally {
  screen.app.quit();
  await screen.close();
  await services.close();
  rmSync(home, { recursive: true, force: true });
}

/** Waits until the screen has shown this and nothing is on its way any more. */
async function until(text) {
  let quiet = 0;
  for (let round = 0; round < 1_000; round++) {
    const shown = await view.text();
    const busy = screen.app.state.agents?.list().some(({ state }) => state !== "idle") ?? true;
    quiet = shown.includes(text) && !busy ? quiet + 1 : 0;
    if (quiet > 30) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`the screen never showed ${JSON.stringify(text)}:\n${await view.text()}`);
}

/** Every piece of an answer takes a moment. */
function takeTime(piece, controller) {
  time += 50;
  controller.enqueue(piece);
}

function steps() {
  return [
    ["Why does our cache grow without end?", "Shall I change it?"],
    ["/model gpt-6.1-sol/med", "Switched"],
    ["What would a test of it look like?", "500);"],
    ["/fork --model gemini-3.8-flash/low Is 500 a good number?", "answer"],
  ];
}

function answers() {
  return [
    {
      match: { wire: "messages", tool_results: false },
      answer: {
        thinking: "The keys are the place to look: what are entries stored under, and is anything ever taken out?",
        tool_calls: [{ name: "grep", arguments: { pattern: "entries\\.(set|delete)", path: "cache.ts" } }],
      },
    },
    {
      match: { wire: "messages", tool_results: true },
      answer: {
        text:
          "Nothing is ever taken out: `entries.set` is called for every request, `entries.delete` never.\n\n" +
          "- The **key** holds the time of the request, so the same question is stored again and again.\n" +
          "- Leaving the time out and keeping the newest 500 entries is enough.\n\nShall I change it?",
      },
    },
    {
      match: { wire: "responses" },
      answer: {
        text: 'Like this:\n\n```ts\ntest("the cache keeps the newest 500 entries", () => {\n  for (let index = 0; index <= 500; index++) remember({ url: `/${index}` }, index);\n  expect(size()).toBe(500);\n});\n```',
      },
    },
    {
      match: { wire: "gemini" },
      answer: { text: "It is a guess. Measure how often an old answer is asked for again." },
    },
  ];
}

function source() {
  return [
    "const entries = new Map();",
    "",
    "export function remember(request, answer) {",
    "  entries.set(`${request.url} ${request.time}`, answer);",
    "}",
    "",
  ].join("\n");
}
