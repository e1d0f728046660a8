import { findDatabase, type DatabasePlace } from "../config/index.ts";
import { historyExists, isStoreError, openStore, StoreError, type Store } from "../store/index.ts";
import { UsageError, type Io } from "./io.ts";
import { announce, openWorld, type World } from "./world.ts";

/** A history that a command works on. */
export type Stored = { readonly store: Store; readonly world: World; readonly hide: (text: string) => string };

/**
 * Opens the history of this person for one command and closes it after. Where there is none, says so, makes none, and
 * gives back what `empty` says.
 */
export async function withHistory(
  io: Io,
  { run, empty }: { readonly run: (stored: Stored) => Promise<number>; readonly empty: () => number },
): Promise<number> {
  const world = await openWorld(io);
  announce(world, io);
  const place = placeOf(world);
  if (!(await historyExists(place))) {
    io.stderr(`${noHistory}\n`);
    return empty();
  }
  return withStore(world, io, { place, run, unwritable: "read" });
}

type Use = {
  readonly place: DatabasePlace;
  readonly run: (stored: Stored) => Promise<number>;
  /** A file that cannot be written: only read, or replaced by memory until it can be. Otherwise it is refused. */
  readonly unwritable?: "read" | "shelter";
};

/** The same, and where there is no history yet it is made. */
export async function withStore(world: World, io: Io, { place, run, unwritable }: Use): Promise<number> {
  const secrets = secretsOf(world);
  const hide = hider(secrets);
  try {
    const store = await openStore({ ...place, ...(unwritable && { unwritable }), secrets: () => secrets });
    try {
      for (const { message } of store.warnings) io.stderr(`ikigai: warning: ${message}\n`);
      return await run({ store, world, hide });
    } finally {
      const unsaved = await store.close();
      // Where that was to be expected it has been said at the beginning.
      const unexpected = unsaved.length > 0 && store.engine.shelter === undefined;
      if (unexpected) io.stderr(`ikigai: warning: ${unsaved.length} entries of the history could not be written\n`);
    }
  } catch (error) {
    // What is quoted from a file or a row may hold anything.
    throw isStoreError(error) ? new StoreError(error.kind, hide(error.message), error.code) : error;
  }
}

/**
 * What a process that died was in the middle of becomes part of the log, marked as interrupted, before it is shown.
 * Where that cannot be written, what is written already is shown all the same.
 */
export async function takeInAbandoned(store: Store, io: Io): Promise<void> {
  try {
    for (const uuid of await store.ownership.abandoned()) {
      const { status } = await store.agents.get(uuid);
      if (status !== "killed" && status !== "reaped") await store.ownership.claim(uuid);
    }
  } catch (error) {
    if (!isStoreError(error)) throw error;
    io.stderr(`ikigai: warning: an answer that was cut off is not shown: ${error.message}\n`);
  }
}

export function placeOf(world: World): DatabasePlace {
  const place = findDatabase(world.config, world.paths, world.env);
  if (place === undefined) throw new UsageError("there is no folder for a history here; set IKIGAI_DATABASE_URL");
  return place;
}

/** What is remembered of sessions that a script began: people go on with their own, unless they ask for another. */
export function scriptKey(session_uuid: string): string {
  return `${scriptPrefix}${session_uuid}`;
}

export const scriptPrefix = "script:";

/** Every key there is on this machine, used or not: none of them may be written down. */
export function secretsOf({ env, credentials, rows }: World): readonly string[] {
  const fromEnvironment = rows.flatMap(({ key_variables }) => key_variables.map((name) => env[name]?.trim() ?? ""));
  const fromFile = credentials.names.map((name) => {
    try {
      return credentials.key(name) ?? "";
    } catch {
      // An entry that is no key; what is wrong with it is told with its file.
      return "";
    }
  });
  const found = new Set([...fromEnvironment, ...fromFile].filter((secret) => secret.length >= secretLengthMin));
  // The longest first: one may be the beginning of another.
  return [...found].sort((left, right) => right.length - left.length);
}

/** The same while a program runs that others may add keys to. */
export function currentSecrets(world: World): () => readonly string[] {
  let known: { readonly of: World["credentials"]; readonly secrets: readonly string[] } | undefined;
  return () => {
    const { credentials } = world;
    // Whatever was a key stays one that is not shown.
    if (known?.of !== credentials) {
      const secrets = new Set([...(known?.secrets ?? []), ...secretsOf(world)]);
      known = { of: credentials, secrets: [...secrets].sort((left, right) => right.length - left.length) };
    }
    return known.secrets;
  };
}

/** Takes keys out of a text. */
export function hider(secrets: readonly string[]): (text: string) => string {
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, "[secret]"), text);
}

/** Shorter ones are words. */
const secretLengthMin = 8;

export const noHistory = "No history yet. It begins with your first conversation.";
