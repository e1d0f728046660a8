// npm run bench -- [cases …] [--json] [--write] [--rounds=60] [--only=openai,pi-ai]
//
//   cases    names or their beginnings: text, mix/messages, paced, bundle …; none: all of them
//   --json   everything that was measured, for a program
//   --write  puts the tables into docs/benchmarks.md
//   --only   whom to compare with; the floor and ikigai always take part

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { cases, type Case } from "./cases.ts";
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

process.exitCode = await main();

async function main(): Promise<number> {
  if (!existsSync(new URL("../dist/index.js", import.meta.url))) {
    console.error("There is no build to measure: run npm run build first.");
    return 1;
  }
  const wanted = cases.filter(isWanted);
  if (wanted.length === 0) {
    console.error(`No such case. There are: ${cases.map(({ name }) => name).join(", ")}`);
    return 2;
  }
  const rounds = Number(values.rounds ?? 60);
  const machine = describeMachine(rounds);
  if (values.json !== true) console.log(machine.text);
  const reports = await measure(wanted, rounds);
  if (values.json === true) console.log(JSON.stringify({ machine, reports }, null, 2));
  else console.log(summary(reports));
  if (values.write === true) writeDocument(machine.text, reports);
  return 0;
}

function isWanted({ name }: Case): boolean {
  return positionals.length === 0 || positionals.some((start) => name.startsWith(start));
}

async function measure(wanted: readonly Case[], rounds: number): Promise<readonly Report[]> {
  const only = values.only?.split(",");
  const others = installedPeers().filter(({ driver }) => only?.includes(driver) ?? true);
  const reports: Report[] = [];
  for (const { run, ...one } of wanted) {
    const report = { ...one, rows: await run({ peers: others, rounds }) };
    reports.push(report);
    if (values.json !== true) console.log(table(report));
  }
  return reports;
}

function describeMachine(rounds: number): { readonly text: string; readonly [fact: string]: unknown } {
  const date = new Date().toISOString().slice(0, 10);
  const cpu = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`;
  const memory_gb = Math.round(totalmem() / 1e9);
  const versions = peers.map((peer) => `${peer.package} ${versionOf(peer) ?? "(not installed)"}`);
  const text = [
    `${date}, Node ${process.version}, ${cpu}, ${memory_gb} GB, ${rounds} rounds.`,
    `Compared with ${versions.join(", ")}.`,
    "Medians, quarters in brackets. × floor: the median of the ratios within a round; × best: best against best.",
    "",
  ].join("\n");
  return { date, node: process.version, cpu, memory_gb, rounds, versions, text };
}

function writeDocument(about: string, reports: readonly Report[]): void {
  const file = new URL("../docs/benchmarks.md", import.meta.url);
  const [prose = ""] = readFileSync(file, "utf8").split(marker);
  const command = ["npm run bench", ...(positionals.length > 0 ? ["--", ...positionals] : [])].join(" ");
  const measured = [`\`${command}\`, ${about}`, summary(reports), "## Every case", "", ...reports.map(table)];
  writeFileSync(file, `${prose}${marker}\n\n${measured.join("\n")}`);
}
