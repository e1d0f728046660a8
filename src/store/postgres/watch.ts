import pg from "pg";
import { isJsonObject } from "../../core/index.ts";
import type { Change, Watch } from "../engine.ts";
import { clientConfig } from "./connection.ts";

/** Announcements carry the process they come from: nobody is woken by himself. */
export const channel = "ikigai";

/**
 * Listens on a connection of its own. When that is lost, anything may have happened meanwhile: after each new start the
 * listener is told so.
 */
export async function listen(url: string, self: string, listener: (change: Change) => void): Promise<Watch> {
  let closed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let attempts = 0;

  const start = async (): Promise<void> => {
    const opened = new pg.Client(clientConfig(url));
    client = opened;
    opened.on("notification", ({ payload }) => {
      const { from, change } = parse(payload);
      if (from !== self) listener(change);
    });
    opened.on("error", () => undefined);
    opened.on("end", () => {
      if (client === opened) restart();
    });
    try {
      await opened.connect();
      await opened.query(`LISTEN ${channel}`);
    } catch (error) {
      void opened.end().catch(() => undefined);
      throw error;
    }
    attempts = 0;
  };
  const restart = (): void => {
    if (closed || timer !== undefined) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        start().then(() => listener({}), restart);
      },
      Math.min(reconnectMaxMs, reconnectMinMs * 2 ** attempts++),
    );
    timer.unref();
  };

  // A server that is away at the first try is listened to when it is back, like one that was lost later.
  await start().catch(restart);
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      void client?.end().catch(() => undefined);
    },
  };
}

export function announcement(self: string, change: Change): string {
  return JSON.stringify({ from: self, change });
}

function parse(payload: string | undefined): { readonly from: unknown; readonly change: Change } {
  try {
    const parsed: unknown = JSON.parse(payload ?? "");
    if (isJsonObject(parsed) && isJsonObject(parsed["change"])) {
      return { from: parsed["from"], change: parsed["change"] };
    }
  } catch {
    // Somebody else's words on our channel: something may have changed.
  }
  return { from: undefined, change: {} };
}

const reconnectMinMs = 100;
const reconnectMaxMs = 5_000;
