import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attachment } from "../../src/cli/attach.ts";
import { UsageError } from "../../src/cli/io.ts";
import { user, type Message } from "../../src/core/index.ts";
import { project } from "../../src/llm/index.ts";

const folder = mkdtempSync(join(tmpdir(), "ikigai-attach-"));

function file(name: string, bytes: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

describe("what goes with a prompt", () => {
  test("an image, a document, a text, by path", () => {
    expect(attachment(file("a.PNG", "abc"))).toEqual({ type: "image", media_type: "image/png", data: "YWJj" });
    expect(attachment(file("b.pdf", "abc"))).toEqual({
      type: "document",
      media_type: "application/pdf",
      data: "YWJj",
      title: "b.pdf",
    });
    expect(attachment(file("c.txt", "hello"))).toMatchObject({ type: "text", text: expect.stringContaining("hello") });
  });

  test("an image or a document by address", () => {
    expect(attachment("https://example.com/x.jpg?size=1")).toMatchObject({
      type: "image",
      url: "https://example.com/x.jpg?size=1",
    });
    expect(attachment("https://example.com/paper")).toEqual({ type: "document", url: "https://example.com/paper" });
  });

  test("what cannot be read or understood is named", () => {
    expect(() => attachment(join(folder, "missing.pdf"))).toThrow(UsageError);
    expect(() => attachment(file("d.bin", Buffer.from([1, 0, 2])))).toThrow(/neither text nor/);
  });

  test("reaches every provider as a legal request", async () => {
    const blocks = [attachment(file("e.pdf", "abc")), attachment(file("f.png", "abc"))];
    const messages: Message[] = [{ role: "user", content: [...blocks, ...user("look").content] }];
    for (const model of ["claude-opus-5-5", "gpt-6.1-sol", "gemini-3.8-flash"]) {
      const { body, losses } = await project(messages, model);
      expect(losses).toEqual([]);
      expect(JSON.stringify(body)).toContain("YWJj");
    }
  });
});
