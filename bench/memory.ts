import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openServer } from "./lanes.ts";
import type { Row } from "./report.ts";
import { summarise } from "./stats.ts";
import { wires, type Wire } from "./traffic.ts";

/** Passing on an answer larger than the heap: it may hold no more than what is under way. Largest heap, in MB. */
export async function flood(megabytes: number, heapMegabytes: number): Promise<readonly Row[]> {
  const server = await openServer();
  try {
    const rows: Row[] = [];
    for (const wire of wires) rows.push(await floodOn(wire, server.origin, { megabytes, heapMegabytes }));
    return rows;
  } finally {
    server.close();
  }
}

async function floodOn(
  wire: Wire,
  origin: string,
  { megabytes, heapMegabytes }: { readonly megabytes: number; readonly heapMegabytes: number },
): Promise<Row> {
  const driver = `ikigai, ${wire}`;
  const script = fileURLToPath(new URL("./flooded.ts", import.meta.url));
  const args = [`--max-old-space-size=${heapMegabytes}`, script, wire, `${origin}/${wire}/flood-${megabytes}/0`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString("utf8")));
  const code = await new Promise((settle) => child.once("close", settle));
  if (code !== 0) return { driver, failed: `ended with ${String(code)} under a heap of ${heapMegabytes} MB` };
  const { heap_mb, rss_mb, read_mb } = JSON.parse(output) as { heap_mb: number; rss_mb: number; read_mb: number };
  if (read_mb < megabytes) return { driver, failed: `read only ${read_mb.toFixed(0)} MB` };
  return {
    driver,
    value: summarise([heap_mb]),
    note: `${rss_mb.toFixed(0)} MB resident, ${read_mb.toFixed(0)} MB read`,
  };
}
