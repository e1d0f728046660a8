/** What the Gemini wire refuses among its contents: roles, parts, calls and responses, signatures. */
import type { JsonObject } from "../../../../core/json.ts";
import { firstRefusal, type Rule } from "../../exchange.ts";
import { has, objectOf, textOf } from "../../json.ts";
import type { Refusal } from "../../types.ts";
import type { Content, GeminiContext } from "./read.ts";
import { invalid, unknownName } from "./rules-request.ts";

/** Google's own word for "this call was not made by me": accepted in place of a signature. */
const sentinels = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

export const contentRules: readonly Rule<GeminiContext>[] = [
  {
    id: "gemini.role",
    about: "user or model (function is still understood)",
    check({ contents }) {
      const wrong = contents.some((content) => !["user", "model", "function"].includes(content.role));
      return wrong ? invalid("Please use a valid role: user, model.") : undefined;
    },
  },
  {
    id: "gemini.parts.empty",
    about: "every content has parts",
    check: ({ contents }) =>
      firstRefusal(contents, ({ parts, index }) => {
        if (parts.length > 0) return undefined;
        return invalid(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`);
      }),
  },
  {
    id: "gemini.part.empty",
    about: "every part holds something",
    check: (context) =>
      overParts(context.contents, (part, place) => {
        if (dataFields.some((field) => has(part, field))) return undefined;
        const rule = "required oneof field 'data' must have one initialized field";
        return invalid(`* GenerateContentRequest.${place}.data: ${rule}\n`);
      }),
  },
  {
    id: "gemini.part.unknown",
    about: "no other fields inside a part",
    check: (context) =>
      overParts(context.contents, (part, place) => {
        const unknown = Object.keys(part).find((field) => !dataFields.includes(field) && !partFlags.includes(field));
        return unknown === undefined ? undefined : unknownName(unknown, place);
      }),
  },
  {
    id: "gemini.response.name",
    about: "a function response names its function",
    check: (context) =>
      overParts(context.contents, (part, place) => {
        if (!has(part, "functionResponse") || textOf(objectOf(part["functionResponse"])["name"]) !== "")
          return undefined;
        return invalid(`* GenerateContentRequest.${place}.function_response.name: Name cannot be empty.\n`);
      }),
  },
  {
    id: "gemini.response.object",
    about: "a function response is an object",
    check: (context) =>
      overParts(context.contents, (part, place) => {
        const response = objectOf(part["functionResponse"])["response"];
        const good = typeof response === "object" && response !== null && !Array.isArray(response);
        if (!has(part, "functionResponse") || good) return undefined;
        const path = `${place}.function_response.response`;
        return invalid(
          `Invalid value at '${path}' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(response)}`,
        );
      }),
  },
  {
    id: "gemini.call.args",
    about: "arguments are an object",
    check: (context) =>
      overParts(context.contents, (part, place) => {
        const args = objectOf(part["functionCall"])["args"];
        const good = args === undefined || (typeof args === "object" && !Array.isArray(args));
        if (!has(part, "functionCall") || good) return undefined;
        const path = `${place}.function_call.args`;
        return invalid(
          `Invalid value at '${path}' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(args)}`,
        );
      }),
  },
  {
    id: "gemini.order.call",
    about: "a call follows a user turn or the responses before it",
    check({ turns }) {
      const first = turns[0];
      if (first === undefined || first.role !== "model" || count(first, "functionCall") === 0) return undefined;
      return invalid(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    },
  },
  {
    id: "gemini.order.response",
    about: "responses follow their calls directly",
    check: ({ turns }) =>
      firstRefusal(turns, (turn, number) => {
        const before = turns[number - 1];
        if (count(turn, "functionResponse") === 0) return undefined;
        if (before !== undefined && before.role === "model" && count(before, "functionCall") > 0) return undefined;
        return invalid("Please ensure that function response turn comes immediately after a function call turn.");
      }),
  },
  {
    id: "gemini.response.count",
    about: "as many responses as calls",
    check: ({ turns }) =>
      firstRefusal(turns, (turn, number) => {
        const calls = turn.role === "model" ? count(turn, "functionCall") : 0;
        const after = turns[number + 1];
        const responses = after === undefined ? 0 : count(after, "functionResponse");
        if (calls === 0 || calls === responses) return undefined;
        return invalid(
          "Please ensure that the number of function response parts is equal to the number of function call parts " +
            "of the function call turn.",
        );
      }),
  },
  {
    id: "gemini.signature.missing",
    about: "Gemini 3 and later: the first call of every step of the current turn is signed",
    check(context) {
      if (!context.model.signatures_required) return undefined;
      return firstRefusal(context.contents.slice(currentTurn(context.contents)), (content) => {
        const call = content.parts.findIndex((part) => has(part, "functionCall"));
        const part = content.parts[call];
        if (content.role !== "model" || part === undefined || has(part, "thoughtSignature")) return undefined;
        const name = textOf(objectOf(part["functionCall"])["name"]);
        return invalid(
          "Function call is missing a thought_signature in functionCall parts. This is required for tools to work " +
            "correctly, and missing thought_signature may lead to degraded model performance. Additional data, " +
            `function call \`default_api:${name}\` , position ${content.index + 1}. Please refer to ` +
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
        );
      });
    },
  },
  {
    id: "gemini.signature.base64",
    about: "a signature is base64",
    check: (context) =>
      overSignatures(context, (signature, place) => {
        if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(signature) && signature.length % 4 === 0) return undefined;
        return invalid(
          `Invalid value at '${place}.thought_signature' (TYPE_BYTES), Base64 decoding failed for "${signature}"`,
        );
      }),
  },
  {
    id: "gemini.signature.corrupted",
    about: "a signature nobody here has made, or moved to another part",
    check: (context) =>
      overSignatures(context, (signature, _place, part) => {
        const verdict = verdictOf(context, signature, part);
        return verdict === "good" || verdict === "other_model" ? undefined : invalid("Corrupted thought signature.");
      }),
  },
  {
    id: "gemini.signature.model",
    about: "a signature of another model",
    check: (context) =>
      overSignatures(context, (signature, _place, part) =>
        verdictOf(context, signature, part) === "other_model" ? invalid("Invalid thought signature.") : undefined,
      ),
  },
];

/** What a signature vouches for: that it stands on a part of this kind, and on a call of this function. */
export function signedKind(part: JsonObject): string {
  if (has(part, "functionCall")) return `call:${textOf(objectOf(part["functionCall"])["name"])}`;
  return "text";
}

function verdictOf(context: GeminiContext, signature: string, part: JsonObject): string {
  const { world } = context.exchange;
  if (world.options.signatures === "any" || sentinels.includes(signature)) return "good";
  const claim = { shape: "google", kind: signedKind(part), model: context.model.id, content: "" } as const;
  return world.signatures.verify(signature, claim);
}

/** Where the current turn begins: behind the last thing the user said that is not a function response. */
function currentTurn(contents: readonly Content[]): number {
  const said = (content: Content): boolean =>
    content.role === "user" && content.parts.some((part) => !has(part, "functionResponse"));
  return contents.findLastIndex(said) + 1;
}

function count(content: Content, field: string): number {
  return content.parts.filter((part) => has(part, field)).length;
}

function overParts(
  contents: readonly Content[],
  look: (part: JsonObject, place: string) => Refusal | undefined,
): Refusal | undefined {
  return firstRefusal(contents, (content) =>
    firstRefusal(content.parts, (part, index) => look(part, `contents[${content.index}].parts[${index}]`)),
  );
}

function overSignatures(
  context: GeminiContext,
  look: (signature: string, place: string, part: JsonObject) => Refusal | undefined,
): Refusal | undefined {
  return overParts(context.contents, (part, place) =>
    has(part, "thoughtSignature") ? look(textOf(part["thoughtSignature"]), place, part) : undefined,
  );
}

const dataFields = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
];
const partFlags = ["thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"];
