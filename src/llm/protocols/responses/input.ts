import {
  documentAsText,
  documentName,
  type DocumentBlock,
  type ImageBlock,
  type JsonObject,
  type Loss,
  type Message,
  type Note,
  type OutputFormat,
  type ToolMessage,
  type ToolResultBlock,
  type UserBlock,
} from "../../../core/index.ts";
import type { Target } from "../../adapter.ts";
import type { ResponsesQuirks } from "./quirks.ts";
import { replayTurn } from "./replay.ts";
import type { WireCustomResult, WireMessage, WirePart, WireResult } from "./wire.ts";

export type Input = { readonly items: readonly JsonObject[]; readonly losses: readonly Loss[] };

/** The messages as input items. Appending a message never changes the items before it. */
export function inputItems(messages: readonly Message[], target: Target, quirks: ResponsesQuirks): Input {
  const { provider, model } = target;
  const losses: Loss[] = [];
  const models = [model.id, ...model.aliases, ...(model.spellings ?? [])];
  const context = { provider, models, quirks, used_ids: new Set<string>(), losses };
  let latest: readonly JsonObject[] = [];
  const items = messages.flatMap((message, message_index): readonly JsonObject[] => {
    const place: Place = { message_index, losses, quirks };
    if (message.role === "assistant") return (latest = replayTurn(message.content, message_index, context));
    if (message.role === "tool") return resultItems(message, latest, place);
    const content = parts(message.content, place);
    const item: WireMessage = { role: "user", content };
    return content.length === 0 ? [] : [item];
  });
  return { items, losses };
}

/** What stands before the conversation: the system prompt, for servers that have no field for it. */
export function openingItems(
  system: string,
  format: OutputFormat | undefined,
  quirks: ResponsesQuirks,
): readonly WireMessage[] {
  const isField = quirks.system_role === "instructions";
  // Everyone knows this role; not every server knows developers.
  const role = isField ? "system" : quirks.system_role;
  const words = formatWords(format, quirks);
  return [
    ...(system === "" || isField ? [] : [{ role, content: system }]),
    ...(words === undefined ? [] : [{ role, content: words }]),
  ];
}

/**
 * What the input has to say about the form of the answer. The API refuses its JSON mode where the input, in which
 * instructions do not count, never says the word; a schema that has no place of its own is at least told.
 */
function formatWords(format: OutputFormat | undefined, quirks: ResponsesQuirks): string | undefined {
  if (format === undefined || quirks.output_schema === "none") return undefined;
  if (format.type === "json") return "Answer with one JSON object.";
  if (quirks.output_schema !== "object") return undefined;
  return `Answer with one JSON object that satisfies this JSON Schema: ${JSON.stringify(format.schema)}`;
}

/** A note on something that was asked for and not sent. */
export function noteLeftOut(name: string, reason: string): Note {
  return { code: "parameter_left_out", message: `${name} was left out: ${reason}` };
}

type Place = { readonly message_index: number; readonly losses: Loss[]; readonly quirks: ResponsesQuirks };

function parts(content: readonly UserBlock[], place: Place): WirePart[] {
  return content.flatMap((block): WirePart[] => {
    if (block.type === "text") return block.text === "" ? [] : [{ type: "input_text", text: block.text }];
    return [block.type === "image" ? imagePart(block, place) : documentPart(block, place)];
  });
}

function imagePart(block: ImageBlock, place: Place): WirePart {
  if ("data" in block) {
    return { type: "input_image", image_url: `data:${block.media_type};base64,${block.data}`, detail: "auto" };
  }
  if (place.quirks.image_urls) return { type: "input_image", image_url: block.url, detail: "auto" };
  return notFetched(block, place);
}

/** Text goes as text: not every server that takes files takes those. */
function documentPart(block: DocumentBlock, place: Place): WirePart {
  const text = documentAsText(block);
  if (text !== undefined) return { type: "input_text", text };
  if ("data" in block) {
    const file_data = `data:${block.media_type};base64,${block.data}`;
    return { type: "input_file", filename: documentName(block), file_data };
  }
  if (place.quirks.documents === "all") return { type: "input_file", file_url: block.url };
  return notFetched(block, place);
}

function notFetched(block: { readonly type: "image" | "document"; readonly url: string }, place: Place): WirePart {
  const { message_index } = place;
  const what = block.type === "image" ? "An image" : "A document";
  const message = `${what} was left out: this server does not fetch addresses, it needs the data`;
  place.losses.push({ code: "unsupported_block", message, message_index });
  return { type: "input_text", text: `[${block.type} at ${block.url}]` };
}

/** Results in the words of their calls. Where a result can hold text only, all else follows as a message of the user. */
function resultItems(message: ToolMessage, calls: readonly JsonObject[], place: Place): readonly JsonObject[] {
  const custom = new Set(calls.filter(({ type }) => type === "custom_tool_call").map(({ call_id }) => call_id));
  const aside: WirePart[] = [];
  const items = message.content.map((result): JsonObject => {
    const call_id = result.tool_call_id;
    const output = outputOf(result, place, aside);
    const item: WireResult = { type: "function_call_output", call_id, output };
    const customItem: WireCustomResult = { type: "custom_tool_call_output", call_id, output };
    return custom.has(call_id) ? customItem : item;
  });
  const media: WireMessage = { role: "user", content: aside };
  return aside.length === 0 ? items : [...items, media];
}

function outputOf(result: ToolResultBlock, place: Place, aside: WirePart[]): string | WirePart[] {
  const content = parts(result.content, place);
  const texts = content.flatMap((part) => (part.type === "input_text" ? [part.text] : []));
  const media = content.filter((part) => part.type !== "input_text");
  // There is no field that says so: the model has to read it.
  const mark = result.is_error && !/^\W*error\b/i.test(texts[0] ?? "") ? "Error: " : "";
  if (media.length === 0) return mark + texts.join("\n\n");
  if (place.quirks.tool_result_parts) return mark === "" ? content : [{ type: "input_text", text: mark }, ...content];
  const [one, many] = media.some((part) => part.type === "input_file")
    ? (["a document", "documents"] as const)
    : (["an image", "images"] as const);
  const heading = `${many === "images" ? "Images" : "Documents"} of the result of ${result.tool_call_id}:`;
  aside.push({ type: "input_text", text: heading }, ...media);
  return mark + [...texts, `[${media.length === 1 ? one : many} in the next message]`].join("\n\n");
}
