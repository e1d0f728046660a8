import pg from "pg";
import { clientConfig } from "./connection.ts";
import { postgresError, readableAddress } from "./errors.ts";

/** Whether there is a history in a database; nothing is made or changed there. */
export async function hasHistory(url: string): Promise<boolean> {
  const address = readableAddress(url);
  try {
    const client = new pg.Client(clientConfig(url));
    client.on("error", () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query("SELECT 1 FROM pg_class WHERE oid = to_regclass('schema_migrations')");
      return rows.length > 0;
    } finally {
      await client.end().catch(() => undefined);
    }
  } catch (error) {
    throw postgresError(error, address);
  }
}
