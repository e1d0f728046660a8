import { parseArgs } from "node:util";
import type { Io } from "../io.ts";
import { openWorld } from "../world.ts";
import { checkConfig, checkCredentials } from "./files.ts";
import { checkDatabase } from "./database.ts";
import { report, settle } from "./finding.ts";
import { checkDefaultModel, checkKeys } from "./keys.ts";
import { checkNode, checkTerminal } from "./machine.ts";
import { checkNetwork } from "./network.ts";

export const doctorHelp = `ikigai doctor [--offline] [--fix] [--json]

Looks over the configuration, keys, permissions, the database, the terminal and Node, and says how to mend what it
finds. Every provider that has a key is asked whether it takes it, by a call that costs nothing. Keys are never shown.

  --offline   asks nobody
  --fix       mends what can be mended without you: permissions, the schema for editors
  --json      {"ok": …, "findings": [{"area", "severity", "message", "mend"?, "fixed"?}]}

Exit code 1 where something is wrong, 0 otherwise; warnings do not count.
`;

export async function runDoctor(args: readonly string[], io: Io): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      offline: { type: "boolean", default: false },
      fix: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.stdout(doctorHelp);
    return 0;
  }
  const world = await openWorld(io);
  const onThisMachine = settle(
    [
      ...checkNode(process.version),
      ...checkConfig(world),
      ...checkCredentials(world),
      ...checkKeys(world),
      ...checkDatabase(world),
      ...checkTerminal(io),
    ],
    values.fix,
  );
  const network = values.offline ? { findings: [], running: [] } : await checkNetwork(world, io);
  const findings = [...onThisMachine, ...network.findings, ...checkDefaultModel(world, network.running)];
  const ok = !findings.some(({ severity }) => severity === "error");
  io.stdout(values.json ? `${JSON.stringify({ ok, findings })}\n` : report(findings));
  return ok ? 0 : 1;
}
