// npm run bench -- [cases …] [--json] [--rounds=60] [--only=floor,ikigai]
//
//   cases    names or their beginnings: text, mix/messages, paced, bundle …; none: all of them
//   --only   drivers to compare with; the floor and ikigai always take part

import { existsSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { cases } from "./cases.ts";
import { installedPeers, peers, versionOf } from "./entrants.ts";
import { table, type Report } from "./report.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, rounds: { type: "string" }, only: { type: "string" } },
});

if (!existsSync(new URL("../dist/index.js", import.meta.url))) {
  console.error("There is no build to measure: run npm run build first.");
  process.exit(1);
}

const only = values.only?.split(",");
const setup = {
  peers: installedPeers().filter(({ driver }) => only === undefined || only.includes(driver)),
  rounds: Number(values.rounds ?? 60),
};
const chosen = cases.filter(
  ({ name }) => positionals.length === 0 || positionals.some((start) => name.startsWith(start)),
);
if (chosen.length === 0) {
  console.error(`No such case. There are: ${cases.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const machine = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  cpu: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
  memory_gb: Math.round(totalmem() / 1e9),
  versions: Object.fromEntries(peers.map((peer) => [peer.package, versionOf(peer) ?? "not installed"])),
};
if (values.json !== true) {
  console.log(`${machine.date}, Node ${machine.node}, ${machine.cpu}, ${machine.memory_gb} GB, ${setup.rounds} rounds`);
  for (const [name, version] of Object.entries(machine.versions)) console.log(`  ${name} ${version}`);
  console.log(
    "Medians, quarters in brackets. × floor: the median of the ratios within a round; × best: best against best.\n",
  );
}

const reports: Report[] = [];
for (const { run, ...one } of chosen) {
  const report = { ...one, rows: await run(setup) };
  reports.push(report);
  if (values.json !== true) console.log(table(report));
}
if (values.json === true) console.log(JSON.stringify({ machine, reports }, null, 2));
