// Writes what is made from tables in the code: `npm run docs`. A test compares what is checked in with what this would write.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configSchemaText } from "../src/config/index.ts";
import { referenceFile, referenceText, schemaFile } from "./config-reference.mjs";
import { root } from "./files.mjs";
import { commandsPage, exitCodesPage } from "./reference/commands.mjs";
import { errorsPage } from "./reference/errors.mjs";
import { eventsPage } from "./reference/events.mjs";
import { indexPage } from "./reference/contents.mjs";
import { modelsPage } from "./reference/models.mjs";
import { keysPage, slashCommandsPage } from "./reference/terminal.mjs";
import { toolsPage } from "./reference/tools.mjs";

/** Each file and its text. */
export async function generated() {
  return new Map([
    ["docs/events.md", eventsPage()],
    ["docs/reference/README.md", indexPage()],
    ["docs/reference/commands.md", commandsPage()],
    ["docs/reference/errors.md", errorsPage()],
    ["docs/reference/exit-codes.md", exitCodesPage()],
    ["docs/reference/keys.md", keysPage()],
    ["docs/reference/models.md", await modelsPage()],
    ["docs/reference/slash-commands.md", slashCommandsPage()],
    ["docs/reference/tools.md", toolsPage()],
    [referenceFile.slice(root.length), referenceText()],
    [schemaFile.slice(root.length), configSchemaText()],
  ]);
}

/** The picture of the screen, made by the real program. */
export function picture() {
  const session = join(root, "tools/picture/session.mjs");
  // Its own environment: nothing of this machine is to be seen.
  const env = { PATH: process.env.PATH, TZ: "UTC", LANG: "en_US.UTF-8" };
  return execFileSync(process.execPath, ["--no-warnings", session], { encoding: "utf8", env });
}

export const pictureFile = "docs/picture.svg";

if (import.meta.main) {
  writeFileSync(join(root, pictureFile), picture());
  for (const [path, text] of await generated()) writeFileSync(join(root, path), text);
}
