import { isJsonObject, type JsonObject } from "../../../core/index.ts";
import type { Adapter, Call, ListedModel } from "../../adapter.ts";
import { Failure } from "../../failure.ts";
import { decodeError } from "./errors.ts";
import { encodeBody, modelUrl } from "./request.ts";
import { asJson } from "./wire.ts";

export const listModels: NonNullable<Adapter["listModels"]> = {
  encode: (base_url, page) => {
    const query = new URLSearchParams({
      pageSize: String(pageSize),
      ...(page === undefined ? {} : { pageToken: page }),
    });
    return getCall(`${base_url.replace(/\/+$/, "")}/models?${query.toString()}`);
  },
  decode: (body) => {
    const { models, nextPageToken } = isJsonObject(body) ? body : {};
    const listed = Array.isArray(models) ? models.filter(isJsonObject).filter(canAnswer) : [];
    return {
      models: listed.flatMap(listedModel),
      ...(typeof nextPageToken === "string" && nextPageToken !== "" ? { next_page: nextPageToken } : {}),
    };
  },
};

/** With a system prompt or tools the whole request is counted; the plain form has no place for them. */
export const countTokens: NonNullable<Adapter["countTokens"]> = {
  encode: (request, target) => {
    const { body, notes } = encodeBody(request, target);
    const { systemInstruction, tools, contents } = body;
    const plain = systemInstruction === undefined && tools === undefined;
    const model = target.model.id.includes("/") ? target.model.id : `models/${target.model.id}`;
    const whole = {
      model,
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      ...(tools === undefined ? {} : { tools }),
      contents,
    };
    return {
      method: "POST",
      url: `${modelUrl(target)}:countTokens`,
      headers: { "content-type": "application/json" },
      body: plain ? asJson({ contents }) : asJson({ generateContentRequest: whole }),
      framing: "json",
      notes,
    };
  },
  decode: (body) => {
    const total = isJsonObject(body) ? body["totalTokens"] : undefined;
    if (typeof total === "number") return total;
    throw new Failure(decodeError({ status: 200, headers: new Headers(), text: JSON.stringify(body), now: 0 }));
  },
};

function getCall(url: string): Call {
  return { method: "GET", url, headers: {}, framing: "json", notes: [] };
}

/** The list also holds models that only embed or draw. */
function canAnswer({ supportedGenerationMethods: methods }: JsonObject): boolean {
  return !Array.isArray(methods) || methods.includes("generateContent");
}

function listedModel({ name, displayName, inputTokenLimit, outputTokenLimit }: JsonObject): ListedModel[] {
  if (typeof name !== "string") return [];
  return [
    {
      id: name.replace(/^models\//, ""),
      ...(typeof displayName === "string" ? { display_name: displayName } : {}),
      ...(typeof inputTokenLimit === "number" ? { context_tokens: inputTokenLimit } : {}),
      ...(typeof outputTokenLimit === "number" ? { output_tokens_max: outputTokenLimit } : {}),
    },
  ];
}

/** As many as one page may hold. */
const pageSize = 1_000;
