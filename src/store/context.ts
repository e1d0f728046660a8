import type { Change, Database, Engine, WriteTransaction } from "./engine.ts";
import type { Outbox } from "./outbox.ts";
import type { ProcessIdentity } from "./process.ts";

/** What the parts of a store share. */
export type Context = {
  readonly engine: Engine;
  readonly db: Database;
  readonly outbox: Outbox;
  readonly now: () => number;
  readonly self: ProcessIdentity;
  /** Text as it may be kept: without keys, in a form both engines can hold. */
  readonly seal: (text: string) => string;
  /** JSON as it may be kept. */
  readonly sealJson: (value: unknown) => string;
  /** A transaction whose changes are told once it is done. */
  readonly write: Engine["write"];
  /** Tells every process that listens, this one too. */
  readonly tell: (db: WriteTransaction, change: Change) => Promise<void>;
};
