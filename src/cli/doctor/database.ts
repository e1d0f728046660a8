import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigError, findDatabase, isPrivate, makePrivate, type DatabasePlace } from "../../config/index.ts";
import { addressOf } from "../../store/index.ts";
import type { World } from "../world.ts";
import type { Finding, Fixable } from "./finding.ts";

/** Where history is kept, and whether it can be. The database itself is not opened. */
export function checkDatabase(world: World): readonly Fixable[] {
  if (world.paths === undefined) return [];
  let place: DatabasePlace | undefined;
  try {
    place = findDatabase(world.config, world.paths, world.env);
  } catch (error) {
    // Said with the file.
    if (error instanceof ConfigError) return [];
    throw error;
  }
  if (place === undefined) return [];
  if ("url" in place) return [checkAddress(place.url)];
  return checkFile(place.path);
}

function checkFile(file: string): readonly Fixable[] {
  const found = (severity: Finding["severity"], message: string, mend?: string): Finding => ({
    area: "database",
    severity,
    message,
    ...(mend === undefined ? {} : { mend }),
  });
  if (!existsSync(file)) {
    const folder = nearestFolder(dirname(file));
    if (isWritable(folder)) return [found("ok", `${file}, made at first use`)];
    return [found("error", `${folder}: you may not write there`, "change its owner, or set database_url")];
  }
  if (statSync(file).isDirectory()) return [found("error", `${file} is a folder`, "set database_url to a file")];
  if (!isWritable(file))
    return [found("error", `${file}: you may not write it`, "change its owner, or set database_url")];
  if (!looksLikeSqlite(file))
    return [found("error", `${file} is no SQLite database`, "move it away, or set database_url")];
  const open: readonly Fixable[] = isPrivate(file)
    ? []
    : [
        {
          area: "database",
          severity: "error",
          message: `${file}: others may read your history`,
          fix: () => makePrivate(file),
        },
      ];
  return [found("ok", file), ...open];
}

function checkAddress(url: string): Finding {
  const { label, fault } = addressOf(url);
  if (fault !== undefined) {
    return { area: "database", severity: "error", message: `${label} ${fault}`, mend: "edit database_url" };
  }
  const { protocol, username, host, pathname } = new URL(url);
  const who = username === "" ? "" : `${username}@`;
  return { area: "database", severity: "ok", message: `${protocol}//${who}${host}${pathname}` };
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** An empty file becomes a database when it is opened. */
function looksLikeSqlite(file: string): boolean {
  const start = Buffer.alloc(sqliteMagic.length);
  const handle = openSync(file, "r");
  try {
    const length = readSync(handle, start);
    return length === 0 || start.toString("latin1") === sqliteMagic;
  } finally {
    closeSync(handle);
  }
}

const sqliteMagic = "SQLite format 3\u0000";
