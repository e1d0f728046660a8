/** Tools that do not come with us: executables of the project and the user, and MCP servers. */
export { executableTools, type FoundTools } from "./executables.ts";
export { withoutClashes } from "./names.ts";
