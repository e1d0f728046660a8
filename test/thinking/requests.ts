import { isJsonObject, user, type Conversation, type JsonObject } from "../../src/core/index.ts";
import { explain, project } from "../../src/llm/index.ts";

/** The body a conversation becomes for `model/level`: what would be sent, as the server would parse it. */
export async function bodyFor(model: string, conversation: Partial<Conversation> = {}): Promise<JsonObject> {
  const { body } = await project({ messages: [user("6 × 7?")], ...conversation }, model);
  const parsed: unknown = JSON.parse(JSON.stringify(body));
  if (!isJsonObject(parsed)) throw new Error("The body is not an object");
  return parsed;
}

/** The budget the table gives, whatever is sent. */
export async function calculatedBudget(model: string): Promise<number | null> {
  return (await explain(model)).calculated_budget;
}

export const fourLevels = ["none", "low", "med", "high"] as const;
