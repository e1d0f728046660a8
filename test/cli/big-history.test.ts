import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { root } from "../../tools/files.mjs";
import { makeHome } from "../config/home.ts";

const home = makeHome();

/** Less than the history has, and enough for a program that holds a page of it at a time. */
const heapMb = 64;

test("10,000 messages and 70 MB go out and in again through a heap of 64 MB", async () => {
  const path = home.path("big.db");
  const store = await openStore({ path });
  const { uuid } = await store.sessions.create({});
  const agent = await store.agents.create(uuid, { name: "root" });
  const data = { signature: "x".repeat(14_000) };
  const block = { type: "thinking" as const, text: "", opaque: { provider: "p", model: "m", data } };
  for (let turn = 0; turn < 5_000; turn += 100) {
    const turns = Array.from({ length: 100 }, (_, index) => [
      { kind: "user" as const, content: `question ${turn + index}` },
      {
        kind: "assistant" as const,
        content: `answer ${turn + index}`,
        data: { provider: "p", api: "w", model: "m", blocks: [block, { type: "text" as const, text: "yes" }] },
      },
    ]);
    await store.history.append(agent.uuid, turns.flat());
  }
  await store.close();
  const lines = home.path("big.jsonl");
  await ikigai(["export", uuid, "--output", lines], path);
  expect(statSync(lines).size).toBeGreaterThan(heapMb * 1024 * 1024);
  await ikigai(["export", uuid, "--output", home.path("big.html")], path);
  expect(await ikigai(["import", lines], home.path("second.db"))).toContain("10,000 entries");
}, 180_000);

async function ikigai(args: readonly string[], database: string): Promise<string> {
  const env = { ...home.env, PATH: process.env["PATH"], IKIGAI_DATABASE_URL: database };
  const program = [`--max-old-space-size=${heapMb}`, join(root, "src/main.ts")];
  const child = spawn(process.execPath, [...program, ...args], { env });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => (said += bytes.toString()));
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code, said).toBe(0);
  return said;
}
