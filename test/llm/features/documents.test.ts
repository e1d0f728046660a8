import { describe, expect, test } from "vitest";
import {
  ask,
  project,
  textOf,
  user,
  type Conversation,
  type DocumentBlock,
  type JsonObject,
  type Message,
} from "../../../src/index.ts";
import { providers, world } from "./world.ts";

const settings = { providers };
const chat = { providers: { ...providers, openai: { ...providers.openai, api: "chat" } } };
const pdf: DocumentBlock = {
  type: "document",
  media_type: "application/pdf",
  data: "JVBERi0xLjQK",
  title: "paper.pdf",
};
const words = "Grüße aus Köln, 東京.";
const note: DocumentBlock = {
  type: "document",
  media_type: "text/markdown",
  data: Buffer.from(words).toString("base64"),
  title: "note.md",
};
const remote: DocumentBlock = { type: "document", url: "https://example.com/paper.pdf" };

function asked(...documents: readonly DocumentBlock[]): Conversation {
  return { messages: [{ role: "user", content: [...documents, { type: "text", text: "Summarise." }] }] };
}

function answered(...documents: readonly DocumentBlock[]): Conversation {
  const call: Message = {
    role: "assistant",
    content: [{ type: "tool_call", id: "call_1", name: "read", arguments: {} }],
    origin: { provider: "nobody", api: "none", model: "none" },
  };
  const result: Message = {
    role: "tool",
    content: [{ type: "tool_result", tool_call_id: "call_1", content: documents, is_error: false }],
  };
  return { messages: [user("read it"), call, result], tools: [{ name: "read", parameters: { type: "object" } }] };
}

async function bodyFor(model: string, conversation: Conversation, how = settings): Promise<JsonObject> {
  const { body = {} } = await project(conversation, model, { settings: how });
  return body;
}

describe("a document", () => {
  test("is a block of its own on Messages: PDF by data or address, and text", async () => {
    const body = await bodyFor("claude-opus-5-5", asked(pdf, remote, note));
    expect(body["messages"]).toMatchObject([
      {
        content: [
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: pdf.data },
            title: "paper.pdf",
          },
          { type: "document", source: { type: "url", url: "https://example.com/paper.pdf" } },
          { type: "document", source: { type: "text", media_type: "text/plain", data: words }, title: "note.md" },
          { type: "text", text: "Summarise." },
        ],
      },
    ]);
  });

  test("is a file on Responses, and text where it is text", async () => {
    const body = await bodyFor("gpt-6.1-sol", asked(pdf, remote, note));
    expect(body["input"]).toEqual([
      {
        role: "user",
        content: [
          { type: "input_file", filename: "paper.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjQK" },
          { type: "input_file", file_url: "https://example.com/paper.pdf" },
          { type: "input_text", text: `<document title="note.md">\n${words}\n</document>` },
          { type: "input_text", text: "Summarise." },
        ],
      },
    ]);
  });

  test("is a file on Chat Completions where the server takes files", async () => {
    const own = await project(asked(pdf, remote, note), "gpt-5.4", { settings: chat });
    expect(own.body?.["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "file", file: { filename: "paper.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjQK" } },
          { type: "text", text: "[document at https://example.com/paper.pdf]" },
          { type: "text", text: `<document title="note.md">\n${words}\n</document>` },
          { type: "text", text: "Summarise." },
        ],
      },
    ]);
    expect(own.notes).toEqual([expect.objectContaining({ code: "document_url_unsupported" })]);
    const gateway = await bodyFor("anthropic/claude-opus-5.5", asked(remote));
    expect(gateway["messages"]).toMatchObject([
      { content: [{ type: "file", file: { file_data: "https://example.com/paper.pdf" } }, { type: "text" }] },
    ]);
  });

  test("is inline data on Gemini, by its own name", async () => {
    const body = await bodyFor("gemini-4-argon", asked(pdf, remote, { ...note, media_type: "application/json" }));
    expect(body["contents"]).toEqual([
      {
        role: "user",
        parts: [
          { text: "Document: paper.pdf" },
          { inlineData: { mimeType: "application/pdf", data: pdf.data } },
          { fileData: { mimeType: "application/pdf", fileUri: "https://example.com/paper.pdf" } },
          { text: "Document: note.md" },
          { inlineData: { mimeType: "text/plain", data: note.data } },
          { text: "Summarise." },
        ],
      },
    ]);
  });

  test("that a model cannot read is a loss, and the model is told", async () => {
    for (const model of ["grok-4.7", "ollama:llama3.2"]) {
      const { body, losses } = await project(asked(pdf), model, { settings });
      expect(losses).toEqual([
        expect.objectContaining({ code: "unsupported_block", message: expect.stringContaining("paper.pdf") }),
      ]);
      expect(JSON.stringify(body)).toContain("document left out");
      expect(JSON.stringify(body)).not.toContain(pdf.data);
    }
  });

  test("of text can be read by every model", async () => {
    for (const model of [
      "grok-4.7",
      "ollama:llama3.2",
      "claude-opus-5-5",
      "gpt-6.1-sol",
      "anthropic/claude-opus-5.5",
    ]) {
      const { body, losses } = await project(asked(note), model, { settings });
      expect(losses).toEqual([]);
      expect(JSON.stringify(body)).toContain(JSON.stringify(words).slice(1, -1));
    }
  });

  test("of another kind is left out of Messages", async () => {
    const odd: DocumentBlock = { type: "document", media_type: "application/zip", data: "UEsDBA==" };
    const { body, losses } = await project(asked(odd), "claude-opus-5-5", { settings });
    expect(losses).toEqual([expect.objectContaining({ code: "unsupported_block" })]);
    expect(body?.["messages"]).toMatchObject([
      { content: [{ type: "text", text: expect.stringContaining("application/zip") }, {}] },
    ]);
  });
});

describe("a document in the result of a tool", () => {
  test("stays in it where that is possible", async () => {
    expect((await bodyFor("claude-opus-5-5", answered(pdf)))["messages"]).toMatchObject([
      {},
      {},
      { content: [{ type: "tool_result", content: [{ type: "document" }] }] },
    ]);
    expect((await bodyFor("gpt-6.1-sol", answered(pdf)))["input"]).toMatchObject([
      {},
      {},
      { type: "function_call_output", output: [{ type: "input_file" }] },
    ]);
    expect((await bodyFor("gemini-4-argon", answered(pdf)))["contents"]).toMatchObject([
      {},
      {},
      {
        parts: [
          {
            functionResponse: {
              response: { output: "See the document." },
              parts: [{ inlineData: { mimeType: "application/pdf" } }],
            },
          },
        ],
      },
    ]);
  });

  test("follows it elsewhere, and text takes its place at once", async () => {
    expect((await bodyFor("anthropic/claude-opus-5.5", answered(pdf)))["messages"]).toMatchObject([
      {},
      {},
      { role: "tool", content: "(documents in the next message)" },
      { role: "user", content: [{ type: "text", text: "Documents from read:" }, { type: "file" }] },
    ]);
    expect((await bodyFor("anthropic/claude-opus-5.5", answered(note)))["messages"]).toMatchObject([
      {},
      {},
      { role: "tool", content: expect.stringContaining(words) },
    ]);
    expect((await bodyFor("muse-spark-1.3", answered(pdf)))["input"]).toMatchObject([
      {},
      {},
      { output: "[a document in the next message]" },
      { role: "user", content: [{ type: "input_text" }, { type: "input_file" }] },
    ]);
  });

  test("that failed follows it on Messages, which takes words only in failures", async () => {
    const conversation = answered(pdf);
    const [first, call] = conversation.messages;
    if (first === undefined || call === undefined) throw new Error("unreachable");
    const failed: Message = {
      role: "tool",
      content: [
        { type: "tool_result", tool_call_id: "call_1", content: [{ type: "text", text: "no" }, pdf], is_error: true },
      ],
    };
    const body = await bodyFor("claude-opus-5-5", { ...conversation, messages: [first, call, failed] });
    expect(body["messages"]).toMatchObject([
      {},
      {},
      { content: [{ type: "tool_result", content: [{ type: "text" }], is_error: true }, { type: "document" }] },
    ]);
  });
});

describe("documents over the wires", () => {
  const models = [
    "claude-opus-5-5/low",
    "gpt-6.1-sol/low",
    "gemini-4-argon/low",
    "anthropic/claude-opus-5.5/low",
    "grok-4.7/low",
  ];

  test.each(models)("%s takes a question with documents, and a result with one", async (model) => {
    const { options } = world();
    expect(textOf((await ask(model, asked(pdf, note), options)).message)).toContain("Summarise.");
    expect((await ask(model, answered(pdf, note), options)).finish_reason).toBe("stop");
  });
});
