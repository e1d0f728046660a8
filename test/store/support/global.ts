import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can be added to
  interface ProvidedContext {
    readonly postgres_folder: string;
    readonly runner_pid: number;
  }
}

/**
 * A folder that all test files share. Whoever needs PostgreSQL first starts it there (see `postgres.ts`); runs that never
 * need it never start it.
 */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "ikigai-postgres-"));
  project.provide("postgres_folder", folder);
  project.provide("runner_pid", process.pid);
  return () => {
    const pidFile = join(folder, "data", "postmaster.pid");
    if (existsSync(pidFile)) stop(Number(readFileSync(pidFile, "utf8").split("\n")[0]));
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
}

/** Immediately: its data are thrown away anyway. */
function stop(pid: number): void {
  process.kill(pid, "SIGQUIT");
  for (let waits = 0; waits < 100 && isRunning(pid); waits++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
