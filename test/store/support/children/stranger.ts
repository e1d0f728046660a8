// Opens a history as somebody who may not write there. Root may always, so root becomes nobody first.
import { isStoreError, openStore } from "../../../../src/store/index.ts";

const { path } = JSON.parse(process.argv[2] ?? "") as { readonly path: string };
// Everything that has to be read is read before.
await (await openStore({ path: ":memory:" })).close();
if (process.getuid?.() === 0) {
  process.setegid?.(65_534);
  process.seteuid?.(65_534);
}
const error: unknown = await openStore({ path }).catch((failure: unknown) => failure);
process.stdout.write(JSON.stringify(isStoreError(error) ? { kind: error.kind, message: error.message } : {}));
