import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Starts a program of the folder `children`, with its task as JSON. */
export function startChild(name: string, task: unknown): ChildProcess {
  const path = fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url));
  return spawn(process.execPath, ["--disable-warning=ExperimentalWarning", path, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

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
