import { parseArgs } from "node:util";
import type { Io } from "../io.ts";
import { openWorld } from "../world.ts";
import { checkConfig, checkCredentials } from "./files.ts";
import { checkDatabase } from "./database.ts";
import { report, settle } from "./finding.ts";
import { checkDefaultModel, checkKeys } from "./keys.ts";
import { checkNode, checkTerminal } from "./machine.ts";
import { checkNetwork } from "./network.ts";

export async function runDoctor(args: readonly string[], io: Io): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      offline: { type: "boolean", default: false },
      fix: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
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
