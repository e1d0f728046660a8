import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Sandbox } from "./bash.ts";

export type SandboxMode = "auto" | "off" | "require";

export type SandboxOptions = {
  readonly mode: SandboxMode;
  readonly path: string;
  /** Whether commands may use the network. */
  readonly network: boolean;
  /** Folders that commands see nothing of: where keys are. */
  readonly hidden: readonly string[];
};

/**
 * Runs commands where the project can be written and the rest of the machine only read, with a process table and a
 * folder for temporary files of their own. Without bubblewrap: `auto` runs them as they are, `require` not at all.
 */
export function sandboxFor({ mode, path, network, hidden }: SandboxOptions): Sandbox {
  const program = mode === "off" ? undefined : findBubblewrap(path);
  if (program === undefined) {
    if (mode !== "require") return (argv) => ({ argv });
    return () => ({ problem: "The configuration requires a sandbox, and bubblewrap does not work here." });
  }
  return (argv, { cwd, root }) => ({
    argv: [
      program,
      ...readOnly,
      ...hidden.filter((folder) => existsSync(folder)).flatMap((folder) => ["--tmpfs", folder]),
      // After the others: the project may lie below one of them.
      "--bind",
      root,
      root,
      "--chdir",
      cwd,
      ...apart,
      ...(network ? [] : ["--unshare-net"]),
      "--",
      ...argv,
    ],
  });
}

/** Where it is and works: in many containers it is installed but may not make a namespace. */
export function findBubblewrap(path: string): string | undefined {
  if (process.platform !== "linux") return undefined;
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, "bwrap"))
    .find((file) => existsSync(file));
  if (found === undefined) return undefined;
  const args = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--unshare-net", "true"];
  return spawnSync(found, args, { stdio: "ignore", timeout: 5000 }).status === 0 ? found : undefined;
}

const readOnly = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"];
const apart = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--new-session"];
