// Answers every letter with a letter, and every byte on its standard input with a byte.
import { openStore } from "../../src/store/index.ts";

const [path = "", here = "", there = ""] = process.argv.slice(2);
const store = await openStore({ path });
process.stdin.on("data", () => process.stdout.write("!"));
process.stdout.write("ready");
for (;;) {
  await store.mail.wait(here);
  for (const _letter of await store.mail.take(here)) {
    await store.mail.send({ from_uuid: here, to_uuid: there, content: "!" });
  }
}
