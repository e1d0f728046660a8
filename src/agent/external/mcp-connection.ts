import type { CallToolResult, Client, Tool as McpTool, Transport } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../core/index.ts";
import { endsWithUs } from "../tools/processes.ts";

/** How a server is reached: a program, or an address. */
export type McpServerConfig = {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string | undefined };
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string | undefined };
  readonly timeout_ms?: number;
  readonly disabled?: boolean;
};

export type McpWorld = {
  /** Allow-listed, as for every tool. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly timeout_ms: number;
  /** Nobody waits any more for servers that are not there yet. */
  readonly signal?: AbortSignal;
};

export type McpConnection = {
  readonly list: () => Promise<readonly McpTool[]>;
  readonly call: (
    name: string,
    args: JsonObject,
    options: { readonly signal: AbortSignal; readonly timeout_ms: number },
  ) => Promise<CallToolResult>;
  readonly close: () => Promise<void>;
};

/**
 * A server that is started when it is needed, and started again when it has died meanwhile. A call that was under way when
 * it died is not repeated: nobody knows what it has done.
 */
export function connectMcp(config: McpServerConfig, world: McpWorld): McpConnection {
  let current: Promise<Client> | undefined;
  let isClosed = false;
  const connected = (): Promise<Client> => {
    if (isClosed) return Promise.reject(new Error("the server was closed"));
    current ??= connect(config, world, () => {
      current = undefined;
    });
    return current;
  };
  return {
    async list() {
      const client = await connected();
      const options = waiting(config, world);
      const tools: McpTool[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < pagesMax; page += 1) {
        const listed = await client.listTools(cursor === undefined ? {} : { cursor }, options);
        tools.push(...listed.tools);
        cursor = listed.nextCursor;
        if (cursor === undefined) break;
      }
      return tools.slice(0, toolsMax);
    },
    async call(name, args, { signal, timeout_ms }) {
      const client = await connected();
      const timeout = Math.min(config.timeout_ms ?? timeout_ms, timeout_ms);
      return client.callTool({ name, arguments: { ...args } }, { signal, timeout });
    },
    async close() {
      isClosed = true;
      const client = await current?.catch(() => undefined);
      await client?.close();
    },
  };
}

async function connect(config: McpServerConfig, world: McpWorld, onGone: () => void): Promise<Client> {
  // Heavy, and needed only by those who have a server.
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client({ name: "ikigai", version: "1" });
  try {
    const transport = await transportOf(config, world);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
    client.onclose = onGone;
    await client.connect(transport, waiting(config, world));
    return client;
  } catch (error) {
    onGone();
    await client.close().catch(() => {});
    throw error;
  }
}

function waiting({ timeout_ms }: McpServerConfig, { timeout_ms: usual, signal }: McpWorld) {
  return { timeout: timeout_ms ?? usual, ...(signal === undefined ? {} : { signal }) };
}

async function transportOf(config: McpServerConfig, world: McpWorld): Promise<Transport> {
  if (config.command !== undefined) {
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    const transport = new StdioClientTransport({
      command: config.command,
      args: [...(config.args ?? [])],
      env: { ...world.env, ...defined(config.env), ...endsWithUs("mcp") },
      cwd: config.cwd ?? world.cwd,
      stderr: "ignore",
    });
    endWithUs(transport);
    return transport;
  }
  if (config.url === undefined) throw new Error("it has neither a command nor a url");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  return new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers: defined(config.headers) } });
}

function defined(values: McpServerConfig["env"]): Record<string, string> {
  const given = Object.entries(values ?? {});
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** A server is told to end when its input closes. One that does not listen is ended when we are. */
function endWithUs(transport: { readonly pid: number | null }): void {
  started.add(transport);
  if (started.size > 1) return;
  process.once("exit", () => {
    for (const { pid } of started) {
      try {
        if (pid !== null) process.kill(pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
  });
}

const started = new Set<{ readonly pid: number | null }>();
const pagesMax = 20;
const toolsMax = 500;
