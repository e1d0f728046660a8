import type { Field } from "./compare.ts";

/** Where our decoding may disagree with the plain reading, and why. An entry that no longer differs fails the suite. */
export const decodeDifferences: readonly {
  readonly file: string;
  readonly fields: readonly Field[];
  readonly reason: string;
}[] = [
  {
    file: "google-openai-compat/chat/google-openai-compat-chat-test-compatible-api-with-tool-calls-without-id-1-95232c4f.json",
    fields: ["usage"],
    reason: "its total counts 28 thoughts that no part names; ours books them as thinking",
  },
  {
    file: "mistral/chat/mistral-chat-streaming-agent-sends-audio-0-bd3a930d.json",
    fields: ["usage"],
    reason: "prompt_tokens leaves out the audio that its total counts; ours books it as input",
  },
  {
    file: "mistral/chat/mistral-chat-streaming-mistral-small-low-agent-0-5fe23dc7.json",
    fields: ["tool_calls"],
    reason: "the length limit cut the call off before its first argument: not a call without arguments",
  },
  {
    file: "openrouter/chat/openrouter-chat-streaming-gpt41-low-agent-0-660c57aa.json",
    fields: ["finish"],
    reason: "finish_reason says tool_calls, native_finish_reason that the length limit cut the call off",
  },
  {
    file: "openrouter/chat/openrouter-chat-streaming-gpt4o-mid-agent-0-9f7d3b1c.json",
    fields: ["finish"],
    reason: "finish_reason says tool_calls, native_finish_reason that the length limit cut the call off",
  },
  {
    file: "openai/responses/openai-responses-openai-shell-container-1-0-adc5f145.json",
    fields: ["text"],
    reason: "a shortened fixture: its deltas are no beginning of the finished text, and what was shown stays",
  },
  {
    file: "xai/responses/xai-responses-x-search-streaming-0-e0340add.json",
    fields: ["tool_calls", "finish"],
    reason: "a search of posts, told as a custom call that the server answered itself before it wrote on",
  },
];

/** Recorded replays that our request does not repeat in everything the provider checks, and why. */
export const replayDifferences: readonly { readonly file: string; readonly reason: string }[] = [
  {
    file: "bedrock-mantle/responses/bedrock-mantle-responses-test-reused-tool-call-ids-stream-1-dcc533ec.json",
    reason: "the client made up a call id with a colon in it; ours renames ids that break the pattern, pairs intact",
  },
  {
    file: "google/streamGenerateContent/google-streamgeneratecontent-test-tools-2-898fdcf0.json",
    reason: "the client made up the id; Gemini 2.x gives none and is sent none",
  },
  {
    file: "openai/responses/openai-responses-test-apply-patch-2-d4c481dd.json",
    reason: "apply_patch_call is answered by an item our format has no place for; a call without its answer is refused",
  },
  {
    file: "openai/responses/openai-responses-test-openai-execution-client-round-trip-1-5d38f9a1.json",
    reason: "a tool search run by the client: the same, a call whose answer our format has no place for",
  },
];
