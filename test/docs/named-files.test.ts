import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Places that a page speaks of as a pattern, or that are made by a command. */
const notFiles = /[<>*{}…]|NNNN/;

test.each(["SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "AGENTS.md"])("%s names files that exist", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const named = [...text.matchAll(/`((?:src|test|tools|docs|bench|examples|bin|\.ci)\/[^`\s]+)`/g)];
  const files = named.map(([, path = ""]) => path).filter((path) => !notFiles.test(path));
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
