import type { Recording } from "../load.ts";
import { readChat } from "./chat.ts";
import { readGemini } from "./gemini.ts";
import { readMessages } from "./messages.ts";
import type { Reading } from "./reading.ts";
import { readResponses } from "./responses.ts";

/** The plain reading of a successful exchange, or undefined for an API that is none of the four wires. */
export function plainReading({ api, provider, response }: Recording): Reading | undefined {
  switch (api) {
    case "messages":
    case "anthropic-messages":
      return readMessages(response);
    case "responses":
      return readResponses(response);
    case "chat":
      return readChat(response, provider);
    case "generateContent":
    case "streamGenerateContent":
      return readGemini(response);
    default:
      return undefined;
  }
}
