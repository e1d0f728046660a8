import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** `~/proj (main)` */
export function folderLabel(folder: string, home: string | undefined): string {
  const inHome = home !== undefined && home !== "/" && (folder === home || folder.startsWith(`${home}/`));
  const short = inHome ? `~${folder.slice(home.length)}` : folder;
  const branch = branchOf(folder);
  return branch === undefined ? short : `${short} (${branch})`;
}

/** Read from the file: starting git would take longer than all the rest. */
function branchOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const git = join(at, ".git");
      const linked = statSync(git).isFile() ? /^gitdir: (.*)$/m.exec(readFileSync(git, "utf8"))?.[1] : git;
      const head = readFileSync(join(resolve(at, linked ?? git), "HEAD"), "utf8").trim();
      return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 7);
    } catch {
      // Not here; perhaps above.
    }
    if (at === dirname(at)) return undefined;
  }
}
