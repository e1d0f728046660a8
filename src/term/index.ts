export { createEditor } from "./editor.ts";
export type { OptionalMode, Size, Terminal, TerminalHandlers } from "./terminal.ts";
