// The repository's own files, for the tools and tests that look at all of them.

import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** What .gitignore lists. Asking git would fail where the checkout belongs to another user, as in containers. */
const ignored = new Set([".git", "node_modules", "dist", "coverage", ".vitest"]);

/**
 * Paths from the root, with forward slashes, sorted.
 * @param {string} [folder]
 * @returns {string[]}
 */
export function filesUnder(folder = "") {
  const found = readdirSync(join(root, folder), { withFileTypes: true });
  return found
    .filter((entry) => !ignored.has(entry.name) && !entry.name.endsWith(".tgz"))
    .flatMap((entry) => {
      const path = relative(root, join(root, folder, entry.name)).replaceAll("\\", "/");
      return entry.isDirectory() ? filesUnder(path) : [path];
    })
    .sort();
}
