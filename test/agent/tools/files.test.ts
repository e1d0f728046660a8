import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileEdit } from "../../../src/agent/tools/file-edit.ts";
import { fileRead } from "../../../src/agent/tools/file-read.ts";
import { fileWrite } from "../../../src/agent/tools/file-write.ts";
import { newBench, newFolder, textOf } from "./support.ts";

describe("file_read", () => {
  test("lines with numbers, a range, and how to read on", async () => {
    const { run, root } = newBench();
    writeFileSync(join(root, "a.txt"), "one\ntwo\n\nfour\n");
    expect(textOf(await run(fileRead, { path: "a.txt" }))).toBe("1\tone\n2\ttwo\n3\t\n4\tfour");
    const some = await run(fileRead, { path: "a.txt", offset: 2, limit: 2 });
    expect(textOf(some)).toBe("2\ttwo\n3\t\n[Lines 2 to 3 of 4. Read on with offset 4.]");
    expect((await run(fileRead, { path: "a.txt", offset: 5 })).is_error).toBe(true);
  });

  test("a large file comes in pages that add up to it", async () => {
    const { run, root } = newBench();
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1} ${"ü".repeat(20)}`);
    writeFileSync(join(root, "large.txt"), lines.join("\n"));
    const read: string[] = [];
    for (let offset = 1; offset <= lines.length;) {
      const outcome = await run(fileRead, { path: "large.txt", offset });
      expect(Buffer.byteLength(textOf(outcome))).toBeLessThan(31 * 1024);
      const page = textOf(outcome).split("\n");
      read.push(...page.filter((line) => /^\d+\t/.test(line)).map((line) => line.replace(/^\d+\t/, "")));
      offset = Number(outcome.data?.["to"]) + 1;
    }
    expect(read).toEqual(lines);
  });

  test("a very long line is cut", async () => {
    const { run, root } = newBench();
    writeFileSync(join(root, "long.txt"), `${"x".repeat(100_000)}\nend`);
    expect(textOf(await run(fileRead, { path: "long.txt" }))).toMatch(/98000 more characters in this line\]\n2\tend$/);
  });

  test("images are images, other binaries are refused", async () => {
    const { run, root } = newBench();
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    writeFileSync(join(root, "dot.png"), png);
    writeFileSync(join(root, "data.bin"), Buffer.from([1, 2, 0, 3]));
    const image = await run(fileRead, { path: "dot.png" });
    expect(image.content[1]).toEqual({ type: "image", media_type: "image/png", data: png.toString("base64") });
    const binary = await run(fileRead, { path: "data.bin" });
    expect([binary.is_error, textOf(binary)]).toEqual([true, expect.stringContaining("is binary, 4 bytes")]);
  });

  test("what cannot be read is a result that helps", async () => {
    const { run, root } = newBench();
    mkdirSync(join(root, "folder/inner"), { recursive: true });
    writeFileSync(join(root, "empty"), "");
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(textOf(await run(fileRead, { path: "absent" }))).toContain("there is no such file");
    expect(textOf(await run(fileRead, { path: "folder" }))).toContain("is a folder. It holds:\ninner/");
    expect(textOf(await run(fileRead, { path: "pipe" }))).toContain("is not a file");
    expect(textOf(await run(fileRead, { path: "empty" }))).toBe("[The file is empty.]");
    expect(textOf(await run(fileRead, {}))).toBe('"path" must be text.');
  });

  test("a path that leads elsewhere than permitted is not read", async () => {
    const { run, root } = newBench();
    const outside = newFolder();
    writeFileSync(join(outside, "secret.txt"), "hidden");
    mkdirSync(join(root, "sub"));
    writeFileSync(join(root, "sub/secret.txt"), "open");
    const permitted_paths = [join(root, "sub/secret.txt")];
    expect(textOf(await run(fileRead, { path: "sub/secret.txt" }, { permitted_paths }))).toContain("open");
    rmSync(join(root, "sub"), { recursive: true });
    symlinkSync(outside, join(root, "sub"));
    const outcome = await run(fileRead, { path: "sub/secret.txt" }, { permitted_paths });
    expect([outcome.is_error, textOf(outcome)]).toEqual([true, expect.stringContaining("leads elsewhere")]);
  });

  test("a link that changes while it is read never shows what lies outside", async () => {
    const { run, root } = newBench();
    const outside = newFolder();
    for (const folder of [outside, join(root, "inside")]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(outside, "file"), "hidden");
    writeFileSync(join(root, "inside/file"), "open");
    const permitted_paths = [join(root, "inside/file")];
    const flip = join(root, "inside");
    let texts = "";
    for (let round = 0; round < 60; round += 1) {
      const reading = run(fileRead, { path: "inside/file" }, { permitted_paths });
      execFileSync("sh", ["-c", 'mv "$1" "$1.away" && ln -s "$2" "$1"', "sh", flip, outside]);
      texts += textOf(await reading);
      execFileSync("sh", ["-c", 'rm "$1" && mv "$1.away" "$1"', "sh", flip]);
    }
    expect(texts).not.toContain("hidden");
  });
});

describe("file_write", () => {
  test("creates a file with its folders and says what it did", async () => {
    const { run, root, pre_images } = newBench();
    const outcome = await run(fileWrite, { path: "a/b/new.txt", content: "hello\n" });
    expect(outcome).toMatchObject({ is_error: false, data: { path: "a/b/new.txt", created: true, lines_added: 1 } });
    expect(readFileSync(join(root, "a/b/new.txt"), "utf8")).toBe("hello\n");
    expect(pre_images).toEqual([[join(root, "a/b/new.txt"), null]]);
    expect(readdirSync(join(root, "a/b"))).toEqual(["new.txt"]);
  });

  test("an existing file has to be read first, and must not have changed since", async () => {
    const { run, root, pre_images } = newBench();
    const path = join(root, "file.txt");
    writeFileSync(path, "old\n");
    expect(textOf(await run(fileWrite, { path, content: "new\n" }))).toContain("Read it before you write over it");
    await run(fileRead, { path });
    writeFileSync(path, "changed by somebody\n");
    expect(textOf(await run(fileWrite, { path, content: "new\n" }))).toContain("changed since you read it");
    await run(fileRead, { path });
    expect((await run(fileWrite, { path, content: "new\n" })).is_error).toBe(false);
    expect(pre_images).toEqual([[path, "changed by somebody\n"]]);
  });

  test("a link made after the permission is not written through", async () => {
    const { run, root } = newBench();
    const outside = newFolder();
    symlinkSync(outside, join(root, "sub"));
    symlinkSync(join(outside, "target"), join(root, "link"));
    for (const path of ["sub/file", "link"]) {
      const outcome = await run(fileWrite, { path, content: "x" }, { permitted_paths: [join(root, path)] });
      expect(textOf(outcome)).toContain("leads elsewhere");
    }
    expect(readdirSync(outside)).toEqual([]);
  });

  test("nothing is changed when what was there cannot be kept", async () => {
    const { run, root } = newBench();
    writeFileSync(join(root, "file"), "old");
    await run(fileRead, { path: "file" });
    const keepPreImage = (): Promise<void> => Promise.reject(new Error("the store is full"));
    const outcome = await run(fileWrite, { path: "file", content: "new" }, { keepPreImage });
    expect([outcome.is_error, textOf(outcome)]).toEqual([true, "the store is full"]);
    expect(readFileSync(join(root, "file"), "utf8")).toBe("old");
  });
});

describe("file_edit", () => {
  const edited = async (before: string, args: object): Promise<[string, string]> => {
    const { run, root } = newBench();
    writeFileSync(join(root, "file"), before);
    await run(fileRead, { path: "file" });
    const outcome = await run(fileEdit, { path: "file", ...args });
    return [readFileSync(join(root, "file"), "utf8"), textOf(outcome)];
  };

  test("replaces what stands there once", async () => {
    const [after] = await edited("a\nb\nc\n", { old_text: "b", new_text: "$& two" });
    expect(after).toBe("a\n$& two\nc\n");
  });

  test("twice is refused with the lines, unless all is wanted", async () => {
    const [after, text] = await edited("x\nb\nb\n", { old_text: "b\n", new_text: "c\n" });
    expect([after, text]).toEqual(["x\nb\nb\n", expect.stringContaining("2 times (lines 2, 3)")]);
    expect((await edited("x\nb\nb\n", { old_text: "b", new_text: "c", all: true }))[0]).toBe("x\nc\nc\n");
  });

  test("what is not there is refused with a hint", async () => {
    const [, text] = await edited("if (a) {\n\treturn  b;\n}\n", { old_text: "  return b;", new_text: "x" });
    expect(text).toContain("Line 2 is like its beginning");
  });

  test("a file with carriage returns keeps them", async () => {
    const [after] = await edited("a\r\nb\r\nc\r\n", { old_text: "a\nb", new_text: "x\ny" });
    expect(after).toBe("x\r\ny\r\nc\r\n");
  });

  test.each([{ old_text: "", new_text: "x" }, { old_text: "a", new_text: "a" }, { old_text: "a" }])(
    "%j",
    async (args) => {
      expect((await edited("a", args))[0]).toBe("a");
    },
  );

  test("keeps mode and links, stores the pre-image, gives a diff", async () => {
    const { run, root, pre_images } = newBench();
    const path = join(root, "script.sh");
    writeFileSync(path, "one\ntwo\nthree\n");
    chmodSync(path, 0o751);
    symlinkSync("script.sh", join(root, "link"));
    await run(fileRead, { path: "link" });
    const outcome = await run(fileEdit, { path: "link", old_text: "two", new_text: "2" });
    expect(readFileSync(path, "utf8")).toBe("one\n2\nthree\n");
    expect(statSync(path).mode & 0o777).toBe(0o751);
    expect(readdirSync(root).toSorted()).toEqual(["link", "script.sh"]);
    expect(pre_images).toEqual([[path, "one\ntwo\nthree\n"]]);
    expect(outcome.data).toMatchObject({ lines_added: 1, lines_removed: 1, replaced: 1 });
    expect(outcome.data?.["diff"]).toBe("--- a/link\n+++ b/link\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
  });

  test("a file that was not read, or changed since, is refused; an edit counts as reading", async () => {
    const { run, root } = newBench();
    writeFileSync(join(root, "file"), "a b c");
    const edit = (old_text: string): Promise<string> =>
      run(fileEdit, { path: "file", old_text, new_text: old_text.toUpperCase() }).then(textOf);
    expect(await edit("a")).toContain("read it before you edit it");
    await run(fileRead, { path: "file" });
    expect(await edit("a")).toContain("Edited");
    expect(await edit("b")).toContain("Edited");
    writeFileSync(join(root, "file"), "else c");
    expect(await edit("c")).toContain("changed since you read it");
  });

  test("a change between the look and the write is not lost", async () => {
    const { run, root } = newBench();
    writeFileSync(join(root, "file"), "a b");
    await run(fileRead, { path: "file" });
    const keepPreImage = (): Promise<void> => Promise.resolve(writeFileSync(join(root, "file"), "theirs"));
    const outcome = await run(fileEdit, { path: "file", old_text: "a", new_text: "x" }, { keepPreImage });
    expect(textOf(outcome)).toContain("changed while it was being edited");
    expect(readdirSync(root)).toEqual(["file"]);
    expect(readFileSync(join(root, "file"), "utf8")).toBe("theirs");
  });
});
