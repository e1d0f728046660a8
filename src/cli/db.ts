import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { databasePlace, type DatabasePlace } from "../config/index.ts";
import { checkHistory, copyHistory, historyExists, remarksOn, type CopyProgress } from "../store/index.ts";
import { helpFor } from "./help.ts";
import { UsageError, type Io } from "./io.ts";
import { bar, count, localTime, plural } from "./layout.ts";
import { noHistory, placeOf, withHistory, withStore } from "./stored.ts";
import { announce, openWorld } from "./world.ts";

export async function runDb(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { to: { type: "string" } },
  });
  const [what, ...more] = positionals;
  if (more.length > 0) throw new UsageError(`db ${what ?? ""} takes no names\n\n${helpFor("db")}`);
  if (values.to !== undefined && what !== "move") throw new UsageError("--to belongs to `ikigai db move`");
  switch (what) {
    case "migrate":
      return migrate(io);
    case "check":
      return check(io);
    case "move":
      if (values.to === undefined) throw new UsageError("move needs --to: postgres://user@host/database, or a path");
      if (/^(?!postgres(ql)?:\/\/|sqlite:|file:|[a-z]:[\\/])[a-z][a-z0-9+.-]*:/i.test(values.to))
        throw new UsageError("--to takes postgres://user@host/database, or a path for SQLite");
      return move(values.to, io);
    default:
      throw new UsageError(`db takes migrate, check or move\n\n${helpFor("db")}`);
  }
}

/** Opening a history is all it takes; this says what that came to. */
async function migrate(io: Io): Promise<number> {
  const world = await openWorld(io);
  announce(world, io);
  const startedAt = Date.now();
  const place = placeOf(world);
  const before = backupsOf(place);
  return withStore(world, io, {
    place,
    run: async ({ store }) => {
      for (const path of backupsOf(place)) if (!before.includes(path)) io.stdout(`copied what was there to ${path}\n`);
      const rows = await store.engine.db.selectFrom("schema_migrations").selectAll().orderBy("version").execute();
      const applied = rows.filter((row) => row.applied_at >= startedAt);
      for (const { version, name } of applied) io.stdout(`applied ${version} ${name}\n`);
      const newest = rows.at(-1);
      if (newest === undefined) return 1;
      const since = applied.length > 0 ? "" : `, since ${localTime(newest.applied_at)}`;
      io.stdout(`${store.label} is up to date: version ${newest.version}${since}\n`);
      return 0;
    },
  });
}

/** Copies that were made of a file before it was changed. */
function backupsOf(place: DatabasePlace): readonly string[] {
  if ("url" in place || !existsSync(dirname(place.path))) return [];
  const names = readdirSync(dirname(place.path));
  const own = names.filter((name) => name.startsWith(`${basename(place.path)}.v`) && name.endsWith(".backup"));
  return own.map((name) => join(dirname(place.path), name));
}

async function check(io: Io): Promise<number> {
  return withHistory(io, {
    empty: () => 0,
    run: async ({ store }) => {
      const findings = await checkHistory(store);
      for (const finding of findings) io.stdout(`✗ ${finding}\n`);
      for (const remark of await remarksOn(store)) io.stdout(`· ${remark}\n`);
      if (findings.length === 0) io.stdout(`✓ ${store.label}: no damage, no contradictions\n`);
      else io.stderr(`${store.label}: ${plural(findings.length, "finding")}; keep a copy of it before anything else\n`);
      return findings.length === 0 ? 0 : 1;
    },
  });
}

async function move(to: string, io: Io): Promise<number> {
  const world = await openWorld(io);
  announce(world, io);
  const [from, target] = [placeOf(world), databasePlace(to, world.env)];
  if (!(await historyExists(from))) {
    io.stderr(`${noHistory}\n`);
    return 0;
  }
  return withStore(world, io, {
    place: from,
    run: (source) =>
      withStore(world, io, {
        place: target,
        run: async ({ store }) => {
          if (source.store.label === store.label) throw new UsageError(`the history is in ${store.label} already`);
          const progress = createProgress(io);
          const rows = await copyHistory(source.store, store, { onProgress: progress.show }).finally(progress.end);
          io.stdout(`Copied ${plural(rows, "row")} from ${source.store.label} to ${store.label}; all are the same.\n`);
          io.stdout(`Set database_url in config.json to use it. ${source.store.label} is as it was.\n`);
          return 0;
        },
      }),
  });
}

type Progress = { readonly show: (progress: CopyProgress) => void; readonly end: () => void };

/** A bar that is drawn over itself on a screen, a line now and then elsewhere. */
function createProgress({ stdout, screen }: Io): Progress {
  let shown = "";
  const show = ({ step, done, total }: CopyProgress): void => {
    const part = total === 0 ? 1 : done / total;
    const percent = Math.floor(part * 100);
    const word = step === "copy" ? "Copying" : "Comparing";
    const text =
      screen === undefined
        ? `${word}: ${percent - (percent % 10)} %`
        : `${word.padEnd(9)} ${bar(part, 1, barColumns).padEnd(barColumns)} ${String(percent).padStart(3)} %  ${count(done)} of ${plural(total, "row")}`;
    if (text === shown) return;
    shown = text;
    stdout(screen === undefined ? `${text}\n` : `\r${text}\u001b[K`);
  };
  return { show, end: () => (screen === undefined || shown === "" ? undefined : stdout("\r\u001b[K")) };
}

const barColumns = 30;
