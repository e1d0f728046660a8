import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isInside } from "../permissions/real-path.ts";
import type { Sandbox } from "./bash.ts";

export type SandboxMode = "auto" | "off" | "require";

export type SandboxOptions = {
  readonly mode: SandboxMode;
  readonly path: string;
  /** Whether commands may use the network. */
  readonly network: boolean;
  /** Folders and files that commands see nothing of: where keys are. */
  readonly hidden: readonly string[];
  /** Folders that can be written and are forgotten: where programs keep what they can fetch again. */
  readonly scratch?: readonly string[];
};

/**
 * Runs commands where the project can be written and the rest of the machine only read, with a process table and a
 * folder for temporary files of their own. Without bubblewrap: `auto` runs them as they are, `require` not at all.
 */
export function sandboxFor({ mode, path, network, hidden, scratch = [] }: SandboxOptions): Sandbox {
  const program = mode === "off" ? undefined : findBubblewrap(path);
  if (program === undefined) {
    if (mode !== "require") return (argv) => ({ argv });
    return () => ({ problem: "The configuration requires a sandbox, and bubblewrap does not work here." });
  }
  return (argv, { cwd, root }) => ({
    argv: [
      program,
      ...readOnly,
      ...scratch.flatMap(emptied),
      // The project may lie below one of them, and some of them below the project.
      ...hidden.filter((place) => isInside(root, place)).flatMap(emptied),
      "--bind",
      root,
      root,
      ...runsLater.flatMap((place) => ["--ro-bind-try", join(root, place), join(root, place)]),
      ...hidden.filter((place) => !isInside(root, place)).flatMap(emptied),
      "--setenv",
      "TMPDIR",
      "/tmp",
      "--chdir",
      cwd,
      ...apart,
      ...(network ? [] : ["--unshare-net"]),
      "--",
      ...argv,
    ],
  });
}

function emptied(place: string): readonly string[] {
  try {
    return statSync(place).isDirectory() ? ["--tmpfs", place] : ["--ro-bind", "/dev/null", place];
  } catch {
    return [];
  }
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

/** What the person's own next command would run: a sandbox that lets it be written is left through it. */
const runsLater = [".git/hooks", ".git/config", ".ikigai", ".husky", ".envrc", ".vscode"];
const readOnly = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"];
const apart = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--new-session"];
