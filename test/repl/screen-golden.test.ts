import { mkdtempSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { builtInTools } from "../../src/agent/tools/index.ts";
import type { World } from "../../src/agent/index.ts";
import { histories } from "../store/support/engines.ts";
import { call, tool } from "../agent/support.ts";
import { enter, key, lasting, type Seat, sit, type SeatOptions } from "./screen.ts";

/** What a person sees, as text files to be read: UPDATE_GOLDEN=1 writes them anew. */
const { open, target } = histories("sqlite");
const seats: Seat[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const one of seats.splice(0)) await one.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

type Place = { readonly columns: number; readonly rows: number };
type Story = (place: Place) => Promise<{ readonly seat: Seat; readonly shown: string }>;

async function seatFor(place: Place, options: SeatOptions): Promise<Seat> {
  const seat = await sit(await open(), { ...place, ...options, world: { now: () => noon, ...options.world } });
  seats.push(seat);
  return seat;
}

/** A folder with a README, and the real tools for files. */
function project(more: Partial<World> = {}): Partial<World> {
  const folder = mkdtempSync(join(tmpdir(), "ikigai-golden-"));
  folders.push(folder);
  writeFileSync(join(folder, "README.md"), "# Demo\n\nhi\n\nMore to come.\n");
  return { cwd: folder, root: folder, tools: builtInTools(), ...more };
}

const editScript = [
  { answer: { tool_calls: [{ name: "file_read", arguments: { path: "README.md" } }] } },
  {
    answer: {
      text: "The greeting is short; I make it longer.",
      tool_calls: [{ name: "file_edit", arguments: { path: "README.md", old_text: "hi", new_text: "hello world" } }],
    },
  },
  { answer: { text: "I updated the **README**." } },
];

const stories: { readonly [name: string]: Story } = {
  async greeting(place) {
    const seat = await seatFor(place, { sim: true });
    return { seat, shown: await seat.until("ask anything") };
  },

  async model_switch(place) {
    const seat = await seatFor(place, {
      emulator: { script: [{ answer: { thinking: "Let me see.", text: "Blue light is scattered most." } }] },
    });
    await seat.press("Why is the sky blue?", enter);
    await seat.until("Tokens:");
    await seat.press("/model gemini-3.8-flash/none", enter);
    await seat.until(/gemini-3\.8-flash\/none .*\$/);
    return { seat, shown: await seat.until("again uncached") };
  },

  async thinking(place) {
    const seat = await seatFor(place, { sim: true });
    await seat.press("think about the sea", enter);
    await seat.until("Tokens:");
    await seat.press(key.ctrl("t"));
    return { seat, shown: await seat.look() };
  },

  async tools(place) {
    const long = Array.from({ length: 9 }, (_, index) => `found ${index + 1}`).join("\n");
    const seat = await seatFor(place, {
      world: {
        tools: [
          tool("look", () => long),
          tool("fail", () => {
            throw new Error("nothing there");
          }),
        ],
      },
      emulator: {
        script: [
          { answer: { text: "I look around.", tool_calls: [call("look", "everywhere"), call("fail", "here")] } },
          { answer: { text: "Nine things were found." } },
        ],
      },
    });
    await seat.press("look around", enter);
    await seat.until("Nine things");
    return { seat, shown: await seat.until("Tokens:") };
  },

  async diff(place) {
    const seat = await seatFor(place, { world: project(), emulator: { script: editScript } });
    await seat.press("Improve the README", enter);
    await seat.until("I updated the README");
    return { seat, shown: await seat.until("Tokens:") };
  },

  async approval(place) {
    const ask = { verdict: "ask", proposal: [{ tool: "file_edit" }], proposal_text: ["file_edit: README.md"] } as const;
    const decide: World["permissions"]["decide"] = ({ tool: name }) =>
      name === "file_edit" ? ask : { verdict: "allow" };
    const permissions = { decide, remember: () => undefined };
    const seat = await seatFor(place, { world: project({ permissions }), emulator: { script: editScript } });
    await seat.press("Improve the README", enter);
    return { seat, shown: await seat.until("no (n)") };
  },

  async agents(place) {
    const seat = await seatFor(place, { sim: true });
    await seat.press("hello", enter);
    await seat.idle();
    await seat.press('/fork --model sim-echo "go and look"', enter);
    await seat.until("You said: “go and look”");
    await seat.idle();
    await seat.press("/fork deeper", enter);
    await seat.until("You said: “deeper”");
    await seat.idle();
    await seat.press("/agents", enter);
    return { seat, shown: await seat.until("── Agents") };
  },

  async comparison(place) {
    const seat = await seatFor(place, { sim: true });
    await seat.press('/fork --model sim-echo/none --model sim-think/high "think about rain"', enter);
    await seat.until(/[●○] (2\/3|.*sim-echo\/none)/);
    await seat.idle();
    await seat.press("/compare", enter);
    return { seat, shown: await seat.until("── Comparison") };
  },

  async error(place) {
    const seat = await seatFor(place, { sim: true });
    await seat.press("fail billing", enter);
    await seat.until(/billing|credit/i);
    return { seat, shown: await seat.idle() };
  },

  async resume(place) {
    const where = await target();
    const first = await sit(await open(where), { ...place, sim: true, world: { now: () => noon } });
    await first.press("stall", enter);
    await first.until("And t");
    await first.press("a thought not yet sent");
    const { session_uuid } = first.here.agents;
    await first.press(key.ctrl("c"), "a thought not yet sent");
    await first.close();
    const seat = await sit(await open(where), {
      ...place,
      sim: true,
      world: { now: () => noon },
      open: { session_uuid },
      services: { without_key: false },
    });
    seats.push(seat);
    return { seat, shown: await seat.until("> a thought") };
  },
};

const noon = Date.UTC(2026, 0, 1, 12);
const sizes = [
  [80, 24],
  [40, 12],
  [120, 40],
] as const;

for (const [name, story] of Object.entries(stories)) {
  test.each(sizes)(`${name} at %i×%i`, async (columns, rows) => {
    const { seat } = await story({ columns, rows });
    // Markdown and colours arrive a moment after the first picture.
    await new Promise((resolve) => setTimeout(resolve, 30));
    const ids = seat.here.agents.list().map(({ uuid }) => uuid);
    const shown = `${lasting(await seat.look(), ids)}\n`;
    const file = new URL(`golden/${name}-${columns}x${rows}.txt`, import.meta.url);
    if (process.env["UPDATE_GOLDEN"] === "1" || !existsSync(file)) writeFileSync(file, shown);
    expect(shown).toBe(readFileSync(file, "utf8"));
  });
}
