import { fingerprint } from "../core/index.ts";
import type { Migration } from "./engine.ts";
import { StoreError } from "./errors.ts";

/** What has to be run to bring a database from `current` to the newest version. Forward only. */
export function pendingMigrations(
  current: number,
  migrations: readonly Migration[],
  label: string,
): readonly Migration[] {
  const newest = migrations.at(-1)?.version ?? 0;
  if (current > newest) {
    const text = `${label} was written by a newer ikigai (its version is ${current}, this program knows ${newest}). Update ikigai, or choose another database; nothing was changed.`;
    throw new StoreError("newer", text);
  }
  return migrations.filter((migration) => migration.version > current);
}

/** The row that remembers a migration. */
export function migrationRow(
  { version, name, sql }: Migration,
  now: number,
): { readonly version: number; readonly name: string; readonly checksum: string; readonly applied_at: number } {
  return { version, name, checksum: fingerprint(sql), applied_at: now };
}

export function migrationFailed(label: string, detail: string): StoreError {
  return new StoreError("migration", `${label} could not be brought up to date and was left as it was: ${detail}`);
}
