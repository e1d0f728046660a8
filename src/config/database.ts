import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Config } from "./load.ts";
import type { Environment, Paths } from "./paths.ts";

/** A file of SQLite, or the address of a PostgreSQL database. */
export type DatabasePlace = { readonly path: string } | { readonly url: string };

/** Where history is kept. Undefined: nothing is set and nobody's folders are known. Throws where what is set is wrong. */
export function findDatabase(config: Config, paths: Paths | undefined, env: Environment): DatabasePlace | undefined {
  const url = config.get("database_url");
  if (url !== undefined) return databasePlace(url, env);
  return paths === undefined ? undefined : { path: paths.database_file };
}

/** What a person writes for a database: `postgres://…`, `sqlite:PATH`, `file:PATH` or a path. */
export function databasePlace(text: string, env: Environment): DatabasePlace {
  if (/^postgres(ql)?:/i.test(text)) return { url: text };
  const path = text.replace(/^(sqlite|file):(\/\/)?/, "");
  if (path === "~" || path.startsWith("~/")) return { path: join(homeOf(env), path.slice(1)) };
  return { path: resolve(path) };
}

function homeOf(env: Environment): string {
  const own = env["HOME"];
  return own === undefined || own === "" ? homedir() : own;
}
