// Reads an answer without keeping it, and says how large its memory became. Started by memory.ts with a small heap.

import { library, optionsFor } from "./drivers/ikigai.ts";
import { models, type Wire } from "./traffic.ts";

const [wire, base_url] = process.argv.slice(2) as [Wire, string];
const stream = library.ask(models[wire], "Say it all.", { ...optionsFor(wire, base_url), accumulate: false });
let characters = 0;
let heap = 0;
let batches = 0;
for await (const batch of stream.batches()) {
  for (const event of batch) {
    if (event.type === "text_delta") characters += event.text.length;
    else if (event.type === "error") throw new Error(event.error.message);
  }
  if (batches++ % 64 === 0) heap = Math.max(heap, process.memoryUsage().heapUsed);
}
const megabyte = 1024 * 1024;
const rss_mb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ heap_mb: heap / megabyte, rss_mb, read_mb: characters / megabyte }));
