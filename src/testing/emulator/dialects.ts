/**
 * Who speaks which wire, under which path, and how its errors look. A provider that speaks another's protocol is one
 * more row: its path, its wires, its models, its error shape and its peculiarities as data. The wires never ask for a
 * name.
 */
import { compatibleDialects } from "./dialects-compatible.ts";
import { mebibyte, type Dialect } from "./dialect.ts";

const openai: Dialect = {
  name: "openai",
  prefix: "/openai",
  base_path: "/v1",
  plain: true,
  family: "openai",
  catalogue: "openai",
  wires: ["responses", "chat"],
  errors: "openai",
  auth: ["bearer"],
  key_optional: false,
  no_key: {
    status: 401,
    message:
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer " +
      "auth (i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from " +
      "https://platform.openai.com/account/api-keys.",
  },
  bad_key: {
    status: 401,
    code: "invalid_api_key",
    message:
      "Incorrect API key provided: {key}. You can find your API key at https://platform.openai.com/account/api-keys.",
  },
  bad_json:
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library " +
    "correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
  body_bytes_max: 64 * mebibyte,
  quirks: { padding: true, unfinished_encryption: true },
};

export const dialects: readonly Dialect[] = [
  {
    name: "anthropic",
    prefix: "/anthropic",
    base_path: "",
    plain: true,
    family: "messages",
    catalogue: "anthropic",
    wires: ["messages"],
    errors: "anthropic",
    auth: ["x-api-key", "bearer"],
    key_optional: false,
    no_key: { status: 401, message: "x-api-key header is required" },
    bad_key: { status: 401, message: "invalid x-api-key" },
    bad_json: "The request body is not valid JSON: unexpected character: line 1 column 1 (char 0)",
    body_bytes_max: 32 * mebibyte,
    quirks: {},
  },
  openai,
  // The same models behind another door.
  { ...openai, name: "azure", prefix: "/azure/openai", plain: false, auth: ["api-key", "bearer"] },
  {
    name: "google",
    prefix: "/google",
    base_path: "/v1beta",
    plain: true,
    family: "gemini",
    catalogue: "google",
    wires: ["gemini"],
    errors: "google",
    auth: ["x-goog-api-key", "query"],
    key_optional: false,
    no_key: {
      status: 403,
      message:
        "Method doesn't allow unregistered callers (callers without established identity). " +
        "Please use API Key or other form of API consumer identity to call this API.",
    },
    bad_key: {
      status: 400,
      message: "API key not valid. Please pass a valid API key.",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "API_KEY_INVALID",
          domain: "googleapis.com",
          metadata: { service: "generativelanguage.googleapis.com" },
        },
      ],
    },
    bad_json: "Invalid JSON payload received. Expected an object key or }.",
    body_bytes_max: 64 * mebibyte,
    quirks: {},
  },
  ...compatibleDialects,
];
