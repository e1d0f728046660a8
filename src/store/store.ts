import { createAgents, type Agents } from "./agents.ts";
import { createBlobs, type Blobs } from "./blobs.ts";
import { createChanges, type Changes } from "./changes.ts";
import type { Context } from "./context.ts";
import type { Change, Engine, WriteTransaction } from "./engine.ts";
import { createInputs, type Inputs } from "./inputs.ts";
import { createHistory, type History } from "./history.ts";
import type { LogEntry, Note } from "../core/index.ts";
import { createMail, type Mail } from "./mail.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { createOwnership, type Ownership } from "./ownership.ts";
import { thisProcess, type ProcessIdentity } from "./process.ts";
import { createSearch, type Search } from "./search.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { withShelter } from "./shelter.ts";
import { createStates, type States } from "./states.ts";
import { encodeText } from "./text.ts";
import { createTransfer, type Transfer } from "./transfer.ts";
import { createUsage, type UsageReport } from "./usage.ts";

/** The event history: an append-only log of everything that happened to every agent. */
export type Store = {
  readonly engine: Engine;
  /** Where it is, for people to read; never with a password. */
  readonly label: string;
  readonly warnings: readonly Note[];
  readonly sessions: Sessions;
  readonly agents: Agents;
  readonly history: History;
  readonly ownership: Omit<Ownership, "close">;
  readonly mail: Mail;
  readonly changes: Omit<Changes, "changed" | "close">;
  readonly outbox: Pick<Outbox, "state" | "onState" | "flush" | "unsaved">;
  readonly search: Search;
  readonly usage: UsageReport;
  readonly blobs: Blobs;
  /** What screens remember, and what was typed into them. */
  readonly states: States;
  readonly inputs: Inputs;
  /** Out of this history and into it, as plain values. */
  readonly transfer: Transfer;
  /** Writes what waits, gives up what is owned, and ends. What could not be written comes back. */
  readonly close: () => Promise<readonly LogEntry[]>;
};

export type StoreOptions = {
  readonly now?: () => number;
  /** Keys that must never be written down, wherever they turn up. Asked at each write. */
  readonly secrets?: () => readonly string[];
  readonly self?: ProcessIdentity;
};

export function createStore(engine: Engine, options: StoreOptions = {}): Store {
  const { now = Date.now, secrets = () => [], self = thisProcess() } = options;
  const changes = createChanges(engine);
  const { write, tell } = telling(engine, changes.changed);
  const outbox = withShelter(engine, createOutbox({ write, storeError: engine.storeError }));
  const hide = (text: string, names = secrets()): string => names.reduce(hideSecret, text);
  const context: Context = {
    engine,
    db: engine.db,
    outbox,
    now,
    self,
    seal: (text) => encodeText(hide(text)),
    sealJson: (value) => hide(JSON.stringify(value), secrets().map(asInJson)),
    write,
    tell,
  };
  const ownership = createOwnership(context);
  return {
    engine,
    label: engine.label,
    warnings: engine.warnings,
    sessions: createSessions(context),
    agents: createAgents(context),
    history: createHistory(context),
    ownership,
    mail: createMail(context, changes),
    changes,
    outbox,
    search: createSearch(context),
    usage: createUsage(context),
    blobs: createBlobs(context),
    states: createStates(context),
    inputs: createInputs(context),
    transfer: createTransfer(context),
    async close() {
      await outbox.close();
      const unsaved = outbox.unsaved();
      // A database that is gone cannot be told; whoever comes next finds the process dead.
      await ownership.close().catch(() => undefined);
      changes.close();
      await engine.close();
      return unsaved;
    },
  };
}

/** Other processes are told by the engine as part of the transaction, this one after it. */
function telling(engine: Engine, changed: (change: Change) => void): Pick<Context, "write" | "tell"> {
  const told = new WeakMap<WriteTransaction, Change[]>();
  return {
    async write(run) {
      const changes: Change[] = [];
      const result = await engine.write((db) => {
        changes.length = 0;
        told.set(db, changes);
        return run(db);
      });
      for (const change of changes) changed(change);
      return result;
    },
    async tell(db, change) {
      told.get(db)?.push(change);
      await engine.announce(db, change);
    },
  };
}

function asInJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

function hideSecret(text: string, secret: string): string {
  return secret.length < secretLengthMin || !text.includes(secret) ? text : text.replaceAll(secret, "[secret]");
}

/** Shorter ones are words. */
const secretLengthMin = 8;
