// Writes what is made from the table of configuration keys: the schema for editors, and the table in the reference.
//
//   node tools/config-reference.mjs

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configSchemaText, keyTable } from "../src/config/index.ts";
import { root } from "./files.mjs";

export const schemaFile = join(root, "docs/reference/config.schema.json");
export const referenceFile = join(root, "docs/reference/config.md");

/** The reference with the table of today between its two marks. */
export function referenceText() {
  const text = readFileSync(referenceFile, "utf8");
  const [before, rest] = text.split(start);
  const [, after] = rest.split(end);
  return `${before}${start}\n\n${keyTable()}\n${end}${after}`;
}

const start = "<!-- keys: written by tools/config-reference.mjs -->";
const end = "<!-- end of keys -->";

if (import.meta.main) {
  writeFileSync(schemaFile, configSchemaText());
  writeFileSync(referenceFile, referenceText());
}
