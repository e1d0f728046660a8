// npm run bench -- [cases …] [--json] [--write] [--rounds=60] [--only=openai,pi-ai]
//
//   cases    names or their beginnings: text, mix/messages, paced, bundle …; none: all of them
//   --json   everything that was measured, for a program
//   --write  puts the tables into docs/benchmarks.md
//   --only   whom to compare with; the floor and ikigai always take part

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { cases } from "./cases.ts";
import { installedPeers, peers, versionOf } from "./entrants.ts";
import { summary, table, type Report } from "./report.ts";

/** What follows it in the document is written by this program. */
const marker = "<!-- measured -->";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    write: { type: "boolean" },
    rounds: { type: "string" },
    only: { type: "string" },
  },
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
const about = [
  `${machine.date}, Node ${machine.node}, ${machine.cpu}, ${machine.memory_gb} GB, ${setup.rounds} rounds.`,
  `Compared with ${Object.entries(machine.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ")}.`,
  "Medians, quarters in brackets. × floor: the median of the ratios within a round; × best: best against best.",
  "",
].join("\n");
if (values.json !== true) console.log(about);

const reports: Report[] = [];
for (const { run, ...one } of chosen) {
  const report = { ...one, rows: await run(setup) };
  reports.push(report);
  if (values.json !== true) console.log(table(report));
}
if (values.json === true) console.log(JSON.stringify({ machine, reports }, null, 2));
else console.log(summary(reports));

if (values.write === true) {
  const file = new URL("../docs/benchmarks.md", import.meta.url);
  const [prose = ""] = readFileSync(file, "utf8").split(marker);
  const command = `npm run bench${[...positionals, ...(values.rounds === undefined ? [] : [`--rounds=${values.rounds}`])].map((word) => ` ${word}`).join("")}`;
  const measured = [`\`${command}\`, ${about}`, summary(reports), "## Every case", "", ...reports.map(table)];
  writeFileSync(file, `${prose}${marker}\n\n${measured.join("\n")}`);
}
