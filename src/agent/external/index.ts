/** Tools that do not come with us: executables of the project and the user, and MCP servers. */
export { executableTools } from "./executables.ts";
export { withoutClashes } from "./names.ts";
export { openMcpServers, type McpServers } from "./mcp.ts";
