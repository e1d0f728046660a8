// Opens a history, which may not exist yet, at the same moment as others do, and says which version it has.
import { openStore } from "../../../../src/store/index.ts";
import type { Target } from "../engines.ts";

const { target } = JSON.parse(process.argv[2] ?? "") as { readonly target: Target };
const store = await openStore(target);
const rows = await store.engine.db.selectFrom("schema_migrations").select("version").execute();
await store.close();
process.stdout.write(String(rows.length));
