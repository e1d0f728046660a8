import { fileURLToPath } from "node:url";
import { models } from "./traffic.ts";

/**
 * Small programs, for what a library weighs and how soon it answers: how it is imported to ask one vendor, and how its
 * first delta is got. `ORIGIN` stands for the server's address, `first()` for having it.
 */
export type Snippet = {
  readonly driver: string;
  /** Of the package, in the folder of the peers. */
  readonly package?: string;
  readonly imports: string;
  readonly first_delta: string;
};

const library = fileURLToPath(new URL("../dist/index.js", import.meta.url));
const body = `{ model: "${models.messages}", max_tokens: 1000, stream: true, messages: [{ role: "user", content: "Hello" }] }`;

/** All of them ask Anthropic, which everyone but the other vendors' clients can. */
export const snippets: readonly Snippet[] = [
  {
    driver: "floor",
    imports: "",
    first_delta: `
      const response = await fetch("ORIGIN/v1/messages", {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": "bench" },
        body: JSON.stringify(${body}),
      });
      const decoder = new TextDecoder();
      let rest = "";
      for await (const bytes of response.body) {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\\n");
        rest = lines.pop();
        for (const line of lines) {
          if (line.startsWith("data: ") && JSON.parse(line.slice(6)).delta?.text) first();
        }
      }`,
  },
  {
    driver: "ikigai",
    imports: `import { ask } from ${JSON.stringify(library)};`,
    first_delta: `
      const settings = { providers: { anthropic: { base_url: "ORIGIN" } } };
      for await (const event of ask("${models.messages}", "Hello", { key: "bench", settings })) {
        if (event.type === "text_delta") first();
      }`,
  },
  {
    driver: "@anthropic-ai/sdk",
    package: "@anthropic-ai/sdk",
    imports: `import Anthropic from "@anthropic-ai/sdk";`,
    first_delta: `
      const client = new Anthropic({ apiKey: "bench", baseURL: "ORIGIN" });
      for await (const event of client.messages.stream(${body})) if (event.type === "content_block_delta") first();`,
  },
  {
    driver: "ai (AI SDK)",
    package: "ai",
    imports: `import { streamText } from "ai"; import { createAnthropic } from "@ai-sdk/anthropic";`,
    first_delta: `
      const model = createAnthropic({ apiKey: "bench", baseURL: "ORIGIN/v1" })("${models.messages}");
      for await (const delta of streamText({ model, prompt: "Hello" }).textStream) if (delta) first();`,
  },
  {
    driver: "pi-ai",
    package: "@earendil-works/pi-ai",
    imports:
      `import { createModels } from "@earendil-works/pi-ai";` +
      `import { anthropicProvider } from "@earendil-works/pi-ai/providers/anthropic";`,
    first_delta: `
      const models = createModels();
      models.setProvider(anthropicProvider());
      const model = { ...models.getModels("anthropic")[0], id: "${models.messages}", baseUrl: "ORIGIN" };
      const context = { messages: [{ role: "user", content: "Hello", timestamp: 0 }] };
      const stream = models.stream(model, context, { apiKey: "bench" });
      for await (const event of stream) if (event.type === "text_delta") first();`,
  },
  {
    driver: "LangChain",
    package: "@langchain/anthropic",
    imports: `import { ChatAnthropic } from "@langchain/anthropic";`,
    first_delta: `
      const model = new ChatAnthropic({ apiKey: "bench", anthropicApiUrl: "ORIGIN", model: "${models.messages}" });
      for await (const chunk of await model.stream("Hello")) if (chunk.text) first();`,
  },
  {
    driver: "TanStack AI",
    package: "@tanstack/ai",
    imports: `import { chat } from "@tanstack/ai"; import { createAnthropicChat } from "@tanstack/ai-anthropic";`,
    first_delta: `
      const adapter = createAnthropicChat("${models.messages}", "bench", { baseURL: "ORIGIN" });
      for await (const chunk of chat({ adapter, messages: [{ role: "user", content: "Hello" }] })) {
        if (chunk.type === "TEXT_MESSAGE_CONTENT") first();
      }`,
  },
  {
    driver: "openai",
    package: "openai",
    imports: `import OpenAI from "openai";`,
    first_delta: "",
  },
  {
    driver: "@google/genai",
    package: "@google/genai",
    imports: `import { GoogleGenAI } from "@google/genai";`,
    first_delta: "",
  },
];
