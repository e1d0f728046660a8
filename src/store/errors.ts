/** What can go wrong with a history, by what a person or program can do about it. */
export type StoreErrorKind = keyof typeof kinds;

/** Never holds a password, nor an error that does. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: StoreErrorKind;
  /** The engine's own word for it. */
  readonly code: string | undefined;

  constructor(kind: StoreErrorKind, message: string, code?: string) {
    super(message);
    this.kind = kind;
    this.code = code;
  }

  /** Nothing is wrong with what was to be written: it waits in memory until the database can take it. */
  get passing(): boolean {
    return kinds[this.kind].passing;
  }
}

export function isStoreError(error: unknown, kind?: StoreErrorKind): error is StoreError {
  return error instanceof StoreError && (kind === undefined || error.kind === kind);
}

export function notFound(what: string, name: string): StoreError {
  return new StoreError("not_found", `there is no ${what} ${JSON.stringify(name)} in this history`);
}

/** The words of an error, whatever was thrown. */
export function textOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function codeOfError(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

const kinds = {
  /** Somebody else held the database for too long. */
  locked: { passing: true },
  disk_full: { passing: true },
  read_only: { passing: true },
  permission: { passing: true },
  /** The disk or the network behind it failed. */
  io: { passing: true },
  /** The file or the database was removed while in use. */
  gone: { passing: true },
  /** The server cannot be reached, or hung up. */
  connection: { passing: true },
  corrupt: { passing: true },
  auth: { passing: false },
  /** Written by a newer version of the program. */
  newer: { passing: false },
  /** Somebody else's database. */
  foreign: { passing: false },
  migration: { passing: false },
  not_found: { passing: false },
  /** Another process runs this agent. */
  not_owner: { passing: false },
  conflict: { passing: false },
  invalid: { passing: false },
  aborted: { passing: false },
  unknown: { passing: false },
} as const;
