import type {
  Content,
  FunctionCallingConfig,
  FunctionCallingConfigMode,
  FunctionDeclaration,
  GenerationConfig,
  GoogleSearch,
  Part,
} from "@google/genai";
import type { JsonObject } from "../../../core/index.ts";

/**
 * The body on the wire, in the vendor's own types. The vendor's client nests all but `contents` in one `config`
 * object and takes it apart before sending; on the wire the pieces stand side by side, named as here. Enums are taken
 * as their words, since the types are erased and the words are what is sent.
 */
export type GeminiBody = {
  systemInstruction?: { parts: Part[] };
  tools?: ({ functionDeclarations: FunctionDeclaration[] } | { googleSearch: GoogleSearch })[];
  toolConfig?: {
    functionCallingConfig?: Omit<FunctionCallingConfig, "mode"> & { mode: `${FunctionCallingConfigMode}` };
    includeServerSideToolInvocations?: true;
  };
  generationConfig: GenerationConfig;
  /** Last, so that a longer conversation begins with the bytes of the shorter one. */
  contents: GeminiContent[];
};

export type GeminiContent = Content & { role: "user" | "model"; parts: Part[] };

/** A part that goes back as it came, or data of one that is sent along unread. */
export function asPart(data: JsonObject): Part {
  return data;
}

/** The vendor's interfaces have no index signature, so the compiler cannot see that they are JSON. */
export function asJson(value: object): JsonObject {
  return value as JsonObject;
}
