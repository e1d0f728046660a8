import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { StoreError } from "../errors.ts";
import type { Connection } from "./connection.ts";

type Task = { readonly path: string; readonly sql: string; readonly values: readonly SQLInputValue[] };

/** Runs one statement that may take long on a thread and a connection of its own. Aborting ends the thread. */
export function runInWorker(task: Task, signal?: AbortSignal): Promise<readonly unknown[]> {
  if (signal?.aborted) return Promise.reject(aborted());
  // The thread gets the function as text: there is no second file that a bundle would have to find.
  // Before 24.15 Node announces its SQLite as experimental, in each thread anew.
  const execArgv = ["--disable-warning=ExperimentalWarning"];
  const worker = new Worker(`(${runTask.toString()})()`, { eval: true, workerData: task, execArgv });
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      void worker.terminate();
      reject(aborted());
    };
    signal?.addEventListener("abort", stop, { once: true });
    worker.once("message", (rows: readonly unknown[]) => {
      signal?.removeEventListener("abort", stop);
      resolve(rows);
    });
    worker.once("error", reject);
  });
}

/** About as many as there are entries. */
export function newestId({ statement }: Connection): number {
  return Number(statement("SELECT coalesce(max(id), 0) AS id FROM messages").get()?.["id"]);
}

/** Reading so many takes about as long as a worker takes to start. */
export const manyEntries = 50_000;

/** Only what a function can name without anything around it. */
function runTask(): void {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const { path, sql, values } = workerData as Task;
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    parentPort?.postMessage(
      database
        .prepare(sql)
        .all(...values)
        .map((row) => ({ ...row })),
    );
  } finally {
    database.close();
  }
}

function aborted(): StoreError {
  return new StoreError("aborted", "the search was given up");
}
