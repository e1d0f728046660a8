import { existsSync, mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../../src/config/files.ts";

describe("folders", () => {
  test("are made one below the other, for their owner alone", () => {
    const path = join(mkdtempSync(join(tmpdir(), "ikigai-")), "a", "b", "c");
    makeFolder(path);
    makeFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  // Node's own recursive mkdir never returns here.
  test.skipIf(!existsSync("/proc/self"))("a file system that holds none is an error, not a hang", () => {
    expect(() => makeFolder("/proc/ikigai/below")).toThrow(/ENOENT|EACCES|EPERM/);
  });
});
