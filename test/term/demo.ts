import { compose } from "./composition.ts";
import { createTerminal } from "../../src/term/index.ts";

// Run by hand in a terminal, or by pty.test.ts in tmux: `node test/term/demo.ts`. Keys: composition.ts.
const terminal = createTerminal({ stdin: process.stdin, stdout: process.stdout, process });
const { say, stage } = compose(terminal, {
  // As a program has to: somebody ends us, so we end.
  ended() {
    process.exitCode = 143;
    stage.stop();
  },
});
say("greeting", "demo: type, PgUp, Ctrl+O, F2; Ctrl+D ends\n");
for (let index = 0; index < Number(process.env["DEMO_LINES"] ?? 0); index++) say(`line ${index}`, `demo line ${index}`);
if (process.env["DEMO_ANIMATE"] === "1") stage.animate("on");
