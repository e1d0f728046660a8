import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { newUuid } from "./ids.ts";
import type { Row } from "./tables.ts";

/** Who owns an agent: this very run of this program on this machine. */
export type ProcessIdentity = Omit<Row<"processes">, "heartbeat_at">;

/** `proc`: where the system tells about processes; it does not everywhere. */
export function thisProcess(proc = "/proc"): ProcessIdentity {
  const known = ticksAtStart(process.pid, proc);
  const started = known === "" ? new Date(performance.timeOrigin).toISOString() : known;
  return { uuid: newUuid(), pid: process.pid, host: machine(), started };
}

/** A process on this machine is asked; of one elsewhere only its sign of life is known. */
export function isAlive(owner: Row<"processes">, now: number, proc = "/proc"): boolean {
  if (owner.host !== machine()) return now - owner.heartbeat_at < heartbeatMaxAgeMs;
  if (!processExists(owner.pid)) return false;
  const ticks = ticksAtStart(owner.pid, proc);
  return ticks === "" ? startedAt(owner.pid, owner.started) : ticks === owner.started;
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
function ticksAtStart(pid: number, proc: string): string {
  const stat = readOr("", () => readFileSync(`${proc}/${pid}/stat`, "latin1"));
  // The name, in parentheses, may hold anything; the start is the 22nd field, the 20th after it.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

/** Whether a process began about then. One of which nothing can be known counts: nobody takes what may be in use. */
function startedAt(pid: number, time: string): boolean {
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env, timeout: 2_000 });
  const difference = Date.parse(`${stdout} UTC`) - (isoDate.test(time) ? Date.parse(time) : Number.NaN);
  return !(Math.abs(difference) > startToleranceMs);
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
/** Between the start of a process and the first thing it knows of itself, and for clocks that are set. */
const startToleranceMs = 60_000;
const isoDate = /^\d{4}-\d\d-\d\dT/;
