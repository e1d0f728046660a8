import { spawn, type ChildProcess } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Starts a program of the folder `children`, with its task as JSON. */
export function startChild(name: string, task: unknown): ChildProcess {
  const path = fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url));
  return spawn(process.execPath, ["--disable-warning=ExperimentalWarning", path, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "pipe"],
    // Hundreds of them start: only the first has to read the program.
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "ikigai-test-children") },
  });
}

/** The same with four megabytes of disk, almost all of them taken by a file named `filler`. */
export function startChildOnSmallDisk(name: string, task: unknown, folder: string): ChildProcess {
  const path = fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url));
  const script = `mount -t tmpfs -o size=4m none "$1" && head -c 4000000 /dev/zero > "$1/filler" || exit ${noSmallDisk}
    shift; exec "$@"`;
  const node = [process.execPath, "--disable-warning=ExperimentalWarning", path, JSON.stringify(task)];
  return spawn(
    "sh",
    ["-c", `unshare -Urm true || exit ${noSmallDisk}; exec unshare -Urm sh -c "$0" - "$@"`, script, folder, ...node],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
}

/** The exit code where this user may not mount anything. */
export const noSmallDisk = 77;

/** Everything it said, once it has ended. */
export async function outcome(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, stdout, stderr };
}
