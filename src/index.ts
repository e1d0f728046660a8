/** The public library: the internal format and the provider layer. No terminal, no database, no adapter is loaded by importing it. */
export * from "./core/index.ts";
export * from "./llm/index.ts";
// Both have one: the library's is the projection and the request in one.
export { project } from "./llm/index.ts";
