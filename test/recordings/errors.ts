import type { ErrorCategory } from "../../src/core/index.ts";

/**
 * The refusals of the recordings, each body read by eye: the end of the file's name, the status, and the category that
 * code, message and status together deserve, in that order. The reason where it is more than the status.
 */
export const recordedErrors: readonly (readonly [hash: string, status: number, category: ErrorCategory])[] = [
  // anthropic count_tokens
  ["daae2b85", 404, "not_found"],
  // anthropic messages
  ["38120753", 401, "auth"],
  ["19c6292e", 400, "invalid_request"],
  ["6353752f", 400, "invalid_request"],
  ["040b4a20", 401, "auth"],
  ["6a8054ce", 400, "invalid_request"],
  ["916374b8", 400, "context_length"], // the prompt is too long; no code says so
  ["5aea5d28", 400, "invalid_request"],
  ["49f8f269", 404, "not_found"],
  ["c6c77a3d", 400, "invalid_request"],
  ["43d6992e", 404, "not_found"],
  ["0303da91", 404, "not_found"],
  ["4ed3c46c", 404, "not_found"],
  ["65c41e98", 400, "invalid_request"],
  // azure chat
  ["ead683fd", 429, "rate_limit"],
  ["70c820c1", 422, "invalid_request"],
  ["e68c8745", 401, "auth"],
  ["de58f9e5", 404, "not_found"], // no such deployment
  // deepseek chat
  ["4903a026", 401, "auth"],
  ["8cd18cc6", 400, "invalid_request"],
  ["7e349858", 400, "invalid_request"],
  ["497ede1a", 400, "invalid_request"],
  // doubleword chat
  ["eafe4a27", 404, "not_found"],
  // google-vertex generateContent
  ["2690c906", 400, "context_length"], // input token count above the maximum
  ["fca7657c", 400, "invalid_request"],
  ["0f17f530", 404, "not_found"],
  ["0c7deb92", 400, "invalid_request"],
  // google generateContent
  ["9cc7749c", 400, "auth"], // a bad key is a 400 there
  ["e1b81b01", 404, "not_found"],
  ["d8b3b872", 404, "not_found"],
  ["d60233db", 429, "rate_limit"],
  ["cfe79acf", 404, "not_found"],
  ["93fb4451", 400, "invalid_request"],
  ["13d5fa91", 400, "auth"], // a bad key is a 400 there
  ["20137d12", 429, "rate_limit"],
  // google interactions
  ["f490f335", 400, "invalid_request"],
  // google streamGenerateContent
  ["845c7674", 404, "not_found"],
  ["216e55d2", 400, "auth"], // a bad key is a 400 there
  // groq chat
  ["8094db89", 400, "invalid_request"],
  ["5a98dd21", 401, "auth"],
  ["f917c24c", 400, "invalid_request"],
  ["0f9534b2", 404, "not_found"],
  // llama.cpp chat
  ["0ced8d78", 400, "invalid_request"],
  ["4fe098e0", 400, "invalid_request"],
  ["f9dac4af", 401, "auth"],
  ["6c195cb9", 500, "server"],
  ["5ee1ef44", 500, "server"],
  // mistral chat
  ["5855eb63", 400, "invalid_request"],
  ["91a32354", 401, "auth"],
  // ollama-cloud chat
  ["8ab0a66c", 401, "auth"],
  // ollama native-chat
  ["a55d89fb", 404, "not_found"],
  // openai-codex responses
  ["d81e3b59", 401, "auth"],
  // openai chat
  ["8357ddab", 401, "auth"],
  ["eba98ef1", 400, "invalid_request"],
  ["55b6b5bc", 400, "invalid_request"],
  ["f3f277ce", 404, "not_found"], // no code: the status decides
  ["e5338ebb", 404, "not_found"], // no code: the status decides
  ["1f8c6c78", 401, "auth"],
  ["2a16c63d", 400, "invalid_request"],
  ["cf68fc7e", 404, "not_found"],
  ["4f1f17b4", 404, "not_found"],
  ["742c67f8", 404, "not_found"],
  ["221ff80e", 400, "invalid_request"],
  ["2a0662f6", 404, "not_found"],
  ["889fd03e", 400, "invalid_request"],
  ["361fcf3f", 400, "invalid_request"],
  ["ebc7dad8", 401, "auth"],
  ["c33ab7bb", 400, "invalid_request"],
  ["56853489", 403, "auth"], // not allowed to use this model
  ["caa533db", 400, "invalid_request"],
  // openai responses
  ["46f90c3a", 401, "auth"],
  ["8d44eba8", 400, "invalid_request"],
  ["0b2d49d8", 400, "invalid_request"], // a reference to a response that is not kept
  ["59a39236", 400, "invalid_request"],
  ["e9532101", 400, "invalid_request"],
  ["abf868d4", 400, "invalid_request"],
  ["acc55d59", 400, "not_found"], // model_not_found is a 400 there
  ["5bee585f", 400, "invalid_request"],
  ["b3af4a59", 401, "auth"],
  ["68b5b3ee", 401, "auth"],
  // openrouter chat
  ["9ec3ed28", 400, "context_length"], // above the maximum context length
  ["2b394567", 404, "not_found"], // no endpoint with tools
  ["2024b838", 404, "not_found"], // no endpoint with tools
  ["83a27f4b", 400, "invalid_request"],
  ["01dd325d", 401, "auth"],
  ["f87333fc", 403, "content_filter"], // the body inside says: violates usage guidelines
  ["ef583e10", 400, "not_found"], // not a valid model id
  ["09b91246", 401, "auth"],
  ["8c185abd", 429, "rate_limit"],
  // perplexity chat
  ["e140067e", 401, "auth"],
  // xai chat
  ["bbfd86dd", 400, "invalid_request"],
  // xai responses
  ["20dd4a4c", 400, "auth"], // a bad key is a 400 there
];
