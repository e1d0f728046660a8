import { describe, expect, test } from "vitest";
import { createServices } from "../../src/cli/repl-services.ts";
import { greeting } from "../../src/repl/screen/greeting.ts";

const visit = { first: true, model: "sim sim-think/low" };

describe("the greeting", () => {
  test("names the command that the person can type", () => {
    const started = greeting({ version: "1.0.0", without_key: true }, visit).join("\n");
    expect(started).toContain("  ikigai login anthropic");
    expect(started).toContain("`ikigai` comes back here");
  });

  test("out of its repository it is npm that starts it", () => {
    const io = { stdin: process.stdin, stdout: () => undefined, stderr: () => undefined };
    const { program = "" } = createServices(
      { ...io, env: { npm_lifecycle_event: "start", HOME: "/nowhere" } },
      { folder: "/nowhere" },
    );
    const started = greeting({ version: "1.0.0", without_key: true, program }, visit).join("\n");
    expect(started).toContain("  npm start -- login anthropic");
    expect(started).toContain("`npm start` comes back here");
  });
});
