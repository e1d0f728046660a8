import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { newUuid } from "./ids.ts";
import type { Row } from "./tables.ts";

/** Who owns an agent: this very run of this program on this machine. */
export type ProcessIdentity = Omit<Row<"processes">, "heartbeat_at">;

export function thisProcess(): ProcessIdentity {
  return { uuid: newUuid(), pid: process.pid, host: machine(), started: startOf(process.pid) };
}

/** A process on this machine is asked; of one elsewhere only its sign of life is known. */
export function isAlive(owner: Row<"processes">, now: number): boolean {
  if (owner.host !== machine()) return now - owner.heartbeat_at < heartbeatMaxAgeMs;
  return processExists(owner.pid) && startOf(owner.pid) === owner.started;
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, but is somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Numbers of processes are used again; together with the time of the start they are not. Empty where it is not known. */
function startOf(pid: number): string {
  const stat = readOr("", () => readFileSync(`/proc/${pid}/stat`, "latin1"));
  // The name, in parentheses, may hold anything; the start is the 22nd field, the 20th after it.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

/** Containers may share a name, and a machine may have been started anew since. */
function machine(): string {
  machineName ??= [
    hostname(),
    readOr("", () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    readOr("", () => readlinkSync("/proc/self/ns/pid")),
  ].join(" ");
  return machineName;
}

function readOr(otherwise: string, read: () => string): string {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

let machineName: string | undefined;

export const heartbeatMs = 10_000;
const heartbeatMaxAgeMs = 35_000;
