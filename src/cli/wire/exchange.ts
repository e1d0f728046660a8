import { isJsonObject, type JsonObject } from "../../core/index.ts";

/** One recorded HTTP exchange, as far as reading its answer needs it. */
export type Exchange = {
  /** The recording's own words for who answered and through which API. */
  readonly provider: string;
  readonly api: string;
  /** The model that was asked for; the recording's label where the request does not say. */
  readonly model: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly framing: "sse" | "json" | "ndjson";
  /** When the answer came, in milliseconds since the epoch, for headers that name a point in time. */
  readonly received_at: number | undefined;
};

export type NotAnExchange = { readonly problem: string };

/** Reads `{provider, api, model, request, response: {status, headers, body | sse | ndjson | text}}` from data of any origin. */
export function readExchange(json: unknown): Exchange | NotAnExchange {
  if (!isJsonObject(json)) return { problem: "a recorded exchange is a JSON object with a response" };
  const { provider, api, response } = json;
  if (!isJsonObject(response))
    return { problem: "response: must be an object with status and body, sse, ndjson or text" };
  if (typeof provider !== "string") return { problem: "provider: must be a string" };
  if (typeof api !== "string") return { problem: "api: must be a string" };
  const { status } = response;
  if (typeof status !== "number" || !Number.isInteger(status))
    return { problem: "response.status: must be a whole number" };
  const content = contentOf(response);
  if (content === undefined) return { problem: "response: must hold body, sse, ndjson or text" };
  const headers = headersOf(response["headers"]);
  const received_at = timeOf(headers["date"]) ?? timeOf(json["recorded_at"]);
  return { provider, api, model: modelOf(json), status, headers, ...content, received_at };
}

/** Whether a JSON value wants to be read as one or more exchanges. */
export function looksLikeExchange(json: unknown): boolean {
  if (Array.isArray(json)) return json.length > 0 && json.every(looksLikeExchange);
  return isJsonObject(json) && isJsonObject(json["response"]);
}

function contentOf(response: JsonObject): Pick<Exchange, "text" | "framing"> | undefined {
  const { sse, ndjson, text, body } = response;
  if (typeof sse === "string") return { text: sse, framing: "sse" };
  if (typeof ndjson === "string") return { text: ndjson, framing: "ndjson" };
  if (typeof text === "string") return { text, framing: "json" };
  if (typeof body === "string") return { text: body, framing: "json" };
  return body === undefined ? undefined : { text: JSON.stringify(body), framing: "json" };
}

/** Names in lower case; what no HTTP header may hold is left out. */
function headersOf(given: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(given)) return {};
  const lines = Object.entries(given).flatMap(([name, value]): readonly [string, string][] => {
    const text = Array.isArray(value) ? value.join(", ") : value;
    return typeof text === "string" && isHeader(name, text) ? [[name.toLowerCase(), text]] : [];
  });
  return Object.fromEntries(lines);
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers({ [name]: value }).has(name);
  } catch {
    return false;
  }
}

/** The request's body names the model, or its address does: `…/models/NAME:method`, `…/deployments/NAME/…`. */
function modelOf(recording: JsonObject): string {
  const { request, model } = recording;
  const { body, url } = isJsonObject(request) ? request : {};
  if (isJsonObject(body) && typeof body["model"] === "string") return body["model"];
  const inUrl = typeof url === "string" ? /\/(?:models|deployments)\/([^/:?]+)/.exec(url)?.[1] : undefined;
  return inUrl ?? (typeof model === "string" ? model : "unknown");
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
