/** A conversation file is read here as the library reads it. */
export { importConversation as parseConversation } from "../../core/index.ts";
