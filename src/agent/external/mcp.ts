import { isJsonObject, type ImageBlock, type TextBlock } from "../../core/index.ts";
import { cutMiddle, failure, outcomeOf, shownIn } from "../tools/output.ts";
import type { Tool, ToolOutcome } from "../tools/types.ts";
import type { FoundTools } from "./executables.ts";
import { connectMcp, type McpConnection, type McpServerConfig, type McpWorld } from "./mcp-connection.ts";
import { cleanSchema, toolName } from "./names.ts";

export type McpServers = FoundTools & { readonly close: () => Promise<void> };

/** Starts or reaches the MCP servers of the configuration and makes a tool of each of theirs, called `server__tool`. */
export async function openMcpServers(
  servers: { readonly [name: string]: McpServerConfig | undefined },
  world: McpWorld,
): Promise<McpServers> {
  const wanted = Object.entries(servers).flatMap(([name, config]) =>
    config === undefined || config.disabled === true ? [] : [{ name, config }],
  );
  const opened = await Promise.all(wanted.map(({ name, config }) => openServer(name, config, world)));
  return {
    tools: opened.flatMap(({ tools }) => tools),
    problems: opened.flatMap(({ problems }) => problems),
    close: async () => void (await Promise.all(opened.map(({ connection }) => connection.close()))),
  };
}

type Opened = FoundTools & { readonly connection: McpConnection };

async function openServer(name: string, config: McpServerConfig, world: McpWorld): Promise<Opened> {
  const connection = connectMcp(config, world);
  try {
    const listed = await connection.list();
    return { connection, tools: listed.map((tool) => mcpTool(name, tool, connection)), problems: [] };
  } catch (error) {
    await connection.close();
    const reason = error instanceof Error ? error.message : String(error);
    return { connection, tools: [], problems: [`the MCP server ${name} cannot be used: ${reason}`] };
  }
}

type Listed = Awaited<ReturnType<McpConnection["list"]>>[number];

/** What a server says of its own tools is a description, never a reason to trust them: each call asks. */
function mcpTool(server: string, listed: Listed, connection: McpConnection): Tool {
  const name = toolName(`${server}__${listed.name}`);
  return {
    definition: {
      name,
      description: (listed.description ?? "").slice(0, descriptionMax),
      parameters: cleanSchema(listed.inputSchema),
    },
    intent: (args) => ({
      effect: "unknown",
      summary: `${name} ${JSON.stringify(args)}`.slice(0, 200),
      detail: `${listed.name} of the MCP server ${server}\n${JSON.stringify(args, undefined, 2)}`,
    }),
    run: (args, context) =>
      outcomeOf(context.signal, async () => {
        const { signal, timeout_ms } = context;
        const result = await connection.call(listed.name, args, { signal, timeout_ms });
        return shortened(outcome(result), shownIn(context));
      }),
  };
}

function shortened(whole: ToolOutcome, bytes: number): ToolOutcome {
  const content = whole.content.map((block) =>
    block.type === "text" ? { ...block, text: cutMiddle(block.text, bytes, () => "Ask it for less.") } : block,
  );
  return { ...whole, content };
}

function outcome(result: Awaited<ReturnType<McpConnection["call"]>>): ToolOutcome {
  const blocks = result.content.map(blockOf);
  const structured = isJsonObject(result.structuredContent) ? result.structuredContent : undefined;
  const isEmpty = blocks.length === 0;
  if (isEmpty && structured === undefined) return { ...failure("[No output.]"), is_error: result.isError === true };
  const content = isEmpty ? [textBlock(JSON.stringify(structured))] : blocks;
  return {
    content,
    is_error: result.isError === true,
    ...(structured === undefined ? {} : { data: { structured } }),
  };
}

function blockOf(block: Awaited<ReturnType<McpConnection["call"]>>["content"][number]): TextBlock | ImageBlock {
  switch (block.type) {
    case "text":
      return textBlock(block.text);
    case "image":
      return { type: "image", media_type: block.mimeType, data: block.data };
    case "audio":
      return textBlock(`[Sound, ${block.mimeType}; it cannot be heard here.]`);
    case "resource_link":
      return textBlock(`[${block.name}: ${block.uri}]`);
    case "resource":
      return textBlock("text" in block.resource ? block.resource.text : `[${block.resource.uri}: binary]`);
    default:
      return textBlock(JSON.stringify(block));
  }
}

function textBlock(text: string): TextBlock {
  return { type: "text", text };
}

const descriptionMax = 4096;

export type { McpServerConfig, McpWorld };
