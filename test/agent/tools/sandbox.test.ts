import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { bashTool } from "../../../src/agent/tools/bash.ts";
import { stopAllProcesses } from "../../../src/agent/tools/index.ts";
import { findBubblewrap, sandboxFor } from "../../../src/agent/tools/sandbox.ts";
import { newBench, newFolder, textOf } from "./support.ts";

const path = process.env["PATH"] ?? "";
const works = findBubblewrap(path) !== undefined;
if (!works) console.log("sandbox: skipped, bubblewrap is not installed or may not make namespaces here");

afterEach(stopAllProcesses);

describe("sandbox", () => {
  test("off and auto run without one, require refuses", async () => {
    const { run } = newBench();
    for (const mode of ["off", "auto"] as const) {
      const bash = bashTool(sandboxFor({ mode, path: "", network: true, hidden: [] }));
      expect(textOf(await run(bash, { command: "echo ran" }))).toBe("ran\n");
    }
    const required = bashTool(sandboxFor({ mode: "require", path: "", network: true, hidden: [] }));
    expect(textOf(await run(required, { command: "echo ran" }))).toContain("requires a sandbox");
  });

  test.skipIf(!works)("only the project can be written, keys cannot be seen, there is no network", async () => {
    const { run, root } = newBench();
    const outside = newFolder();
    const keys = join(outside, "keys");
    mkdirSync(keys);
    writeFileSync(join(keys, "credentials.json"), "hidden words");
    const bash = bashTool(sandboxFor({ mode: "require", path, network: false, hidden: [keys] }));
    const home = process.env["HOME"] ?? "/root";
    const script = [
      "echo inside > made.txt",
      `echo outside > ${home}/ikigai-sandbox-was-here`,
      `cat ${keys}/credentials.json`,
      "ls /sys/class/net 2>/dev/null | grep -v lo | wc -l; cat /proc/net/dev | wc -l",
      "ps -e 2>/dev/null | wc -l",
    ];
    const text = textOf(await run(bash, { command: script.join("\n") }));
    expect(readFileSync(join(root, "made.txt"), "utf8")).toBe("inside\n");
    expect(existsSync(join(home, "ikigai-sandbox-was-here"))).toBe(false);
    // A home in the folder of temporary files is not there at all.
    expect(text).toMatch(/was-here: (Read-only file system|No such file or directory)/);
    expect(text).not.toContain("hidden words");
  });

  test.skipIf(!works)("what the person's own commands would run later cannot be written", async () => {
    const { run, root } = newBench();
    for (const folder of [".git/hooks", ".ikigai/tools"]) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, ".git/config"), "[core]\n");
    const bash = bashTool(sandboxFor({ mode: "require", path, network: false, hidden: [] }));
    const places = [".git/hooks/post-commit", ".git/config", ".ikigai/tools/x-tool"];
    await run(bash, {
      command: [...places.map((place) => `echo run >> ${place}`), "mv .git/config .git/c"].join("\n"),
    });
    expect(readFileSync(join(root, ".git/config"), "utf8")).toBe("[core]\n");
    for (const place of [".git/hooks/post-commit", ".ikigai/tools/x-tool"]) {
      expect(existsSync(join(root, place))).toBe(false);
    }
    await run(bash, { command: "echo kept > .git/index" });
    expect(readFileSync(join(root, ".git/index"), "utf8")).toBe("kept\n");
  });

  test.skipIf(!works)(
    "what is hidden stays so inside of the project; caches can be written and are forgotten",
    async () => {
      const { run, root } = newBench();
      for (const folder of ["settings", "cache"]) mkdirSync(join(root, folder));
      for (const file of ["settings/a", "cache/b", ".netrc"]) writeFileSync(join(root, file), "hidden words");
      const hidden = [join(root, "settings"), join(root, ".netrc"), join(root, "absent")];
      const outer = bashTool(sandboxFor({ mode: "require", path, network: false, hidden }));
      const text = textOf(await run(outer, { command: "cat settings/a .netrc; ls settings | wc -l; echo ok" }));
      expect(text).not.toContain("hidden words");
      expect(text).toContain("0\nok");
      const scratch = [join(root, "cache")];
      const cached = bashTool(sandboxFor({ mode: "require", path, network: false, hidden: [], scratch }));
      const inner = { root: join(root, "settings"), cwd: join(root, "settings") };
      const command = `echo made > ${root}/cache/c && cat ${root}/cache/c; mktemp`;
      const made = textOf(await run(cached, { command }, inner));
      expect(made).toMatch(/^made\n\/tmp\//);
      expect(existsSync(join(root, "cache/c"))).toBe(false);
    },
  );

  test.skipIf(!works)("ends with everything in it", async () => {
    const { run } = newBench();
    const bash = bashTool(sandboxFor({ mode: "require", path, network: true, hidden: [] }));
    const outcome = await run(bash, { command: "setsid sleep 71.5 & sleep 71.5", timeout_ms: 400 });
    expect(outcome.data).toMatchObject({ stopped: "timeout" });
    expect(textOf(await run(bashTool(), { command: "pgrep -fx 'sleep 71.5' | wc -l" })).trim()).toBe("0");
  });
});
