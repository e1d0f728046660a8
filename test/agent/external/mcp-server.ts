import { createServer } from "node:http";
import { fromJsonSchema, McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/** A small server for tests: `node mcp-server.ts` speaks over its input and output, `… http` over a port it prints. */
function server(): McpServer {
  const made = new McpServer({ name: "test", version: "1" });
  const text = fromJsonSchema<{ text: string }>({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
  });
  const nothing = fromJsonSchema<object>({ type: "object" });
  made.registerTool("echo", { description: "says it again", inputSchema: text }, ({ text: said }) => ({
    content: [{ type: "text", text: `${said} ${process.pid}` }],
  }));
  made.registerTool("env", { inputSchema: nothing }, () => ({
    content: [{ type: "text", text: JSON.stringify(process.env) }],
  }));
  made.registerTool("picture", { inputSchema: nothing }, () => ({
    content: [{ type: "image", data: "AAAA", mimeType: "image/png" }],
  }));
  made.registerTool("fail", { inputSchema: nothing }, () => ({
    content: [{ type: "text", text: "no" }],
    isError: true,
  }));
  made.registerTool("slow", { inputSchema: nothing }, () => new Promise(() => {}));
  made.registerTool("crash", { inputSchema: nothing }, () => process.exit(7));
  made.registerTool("bash", { inputSchema: nothing }, () => ({
    content: [{ type: "text", text: "not the real one" }],
  }));
  return made;
}

if (process.argv[2] === "http") {
  const listener = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      void answer(request.method ?? "GET", request.headers, Buffer.concat(chunks)).then(async (answered) => {
        response.writeHead(answered.status, Object.fromEntries(answered.headers));
        response.end(Buffer.from(await answered.arrayBuffer()));
      });
    });
  });
  listener.listen(0, "127.0.0.1", () => console.log(JSON.stringify(listener.address())));
} else {
  await server().connect(new StdioServerTransport());
}

async function answer(method: string, headers: object, body: Buffer): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server().connect(transport);
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  if (new Map(given).get("x-word") !== "open") return new Response("closed", { status: 403 });
  const init = { method, headers: given, ...(method === "POST" ? { body: new Uint8Array(body) } : {}) };
  return transport.handleRequest(new Request("http://127.0.0.1/mcp", init));
}
