import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";

/** An absolute path for what a model wrote; `~` is the home folder. */
export function absolutePath(path: string, cwd: string, home?: string): string {
  if (home !== undefined && (path === "~" || path.startsWith("~/"))) return join(home, path.slice(1));
  return resolve(cwd, path);
}

/** The same as the system walks it: `..` leaves the folder that a link led to, not the one the link lies in. */
export function walkedPath(path: string, cwd: string, home?: string): string {
  if (!path.split("/").includes("..")) return absolutePath(path, cwd, home);
  const isHome = home !== undefined && path.startsWith("~/");
  const start = isHome ? home : isAbsolute(path) ? "/" : cwd;
  return (isHome ? path.slice(2) : path)
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .reduce((place, part) => (part === ".." ? dirname(realPath(place)) : join(place, part)), start);
}

/**
 * Where a path really leads: links resolved, also a last one that points to nothing yet, since writing to it would
 * create what it points to. What does not exist keeps its name below its nearest existing ancestor.
 */
export function realPath(path: string, linksLeft = 40): string {
  try {
    return realpathSync.native(path);
  } catch {
    const link = linkTarget(path);
    const parent = dirname(path);
    if (link !== undefined && linksLeft > 0) {
      return realPath(isAbsolute(link) ? link : resolve(realPath(parent, linksLeft - 1), link), linksLeft - 1);
    }
    return parent === path ? path : join(realPath(parent, linksLeft), basename(path));
  }
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
