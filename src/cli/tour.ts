import { toolResult, user, type Message, type ToolCallBlock, type ToolDefinition, type Usage } from "../core/index.ts";
import { ask, type Answer } from "../llm/index.ts";
import { simProvider } from "../testing/sim/index.ts";
import type { Io } from "./io.ts";

/** A first look without a key: one short conversation with a simulated model, and what to do next. */
export async function runTour(
  io: Io,
  options: { readonly colour: boolean } = { colour: wantsColour() },
): Promise<number> {
  const style = options.colour ? colours : plain;
  const providers = [simProvider()];
  const messages: Message[] = [];
  io.stdout(`${style.strong("ikigai")}: one conversation, every model.\n`);
  io.stdout(
    `No key is needed for this: the built-in ${style.strong("sim")} models answer by rule, through the real wire code.\n`,
  );
  for (const { model, say } of steps) {
    io.stdout(`\n${style.strong(`${model} ›`)} ${say}\n`);
    messages.push(user(say));
    // The simulated tool user is given one tool; its result goes back as any tool's would.
    for (let round = 0; round < roundsMax; round++) {
      const answer = await show(ask(model, { messages, tools: [clock] }, { providers }), io, style);
      messages.push(answer.message);
      const calls = answer.message.content.filter((block): block is ToolCallBlock => block.type === "tool_call");
      if (calls.length === 0) break;
      messages.push({
        role: "tool",
        content: calls.map((call) => toolResult(call.id, timeIn(call.arguments["city"]))),
      });
    }
  }
  io.stdout(`\n${next}`);
  return 0;
}

async function show(stream: ReturnType<typeof ask>, io: Io, style: Style): Promise<Answer> {
  let thinking = false;
  for await (const event of stream) {
    if (event.type === "thinking_delta") io.stdout(style.faint(event.text));
    if (event.type === "text_delta") io.stdout(thinking ? `\n${event.text}` : event.text);
    if (event.type === "tool_call_done") io.stdout(style.strong(`\n→ clock ${JSON.stringify(event.arguments)}`));
    thinking = event.type === "thinking_delta" || (thinking && event.type !== "text_delta");
  }
  const answer = await stream;
  io.stdout(`\n${style.faint(tokenLine(answer.usage, answer.cost_usd))}\n`);
  return answer;
}

function tokenLine(usage: Usage, cost: number | undefined): string {
  const cached = usage.cache_read_tokens + usage.cache_write_tokens;
  const money = cost === undefined ? "$?" : `$${cost.toFixed(4)}`;
  const parts = `${usage.input_tokens + cached} in + ${usage.output_tokens} out + ${usage.thinking_tokens} thinking (${cached} cached)`;
  return `Tokens: ${parts} = ${usage.total_tokens} · ${money}`;
}

/** The one tool of the tour: knows the time where it is asked for, and says so in words a model can use. */
function timeIn(city: unknown): string {
  const zone = typeof city === "string" ? zones[city.toLowerCase()] : undefined;
  if (zone === undefined) return `Unknown city: ${String(city)}. Known: ${Object.keys(zones).join(", ")}.`;
  return new Date().toLocaleTimeString("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
}

function wantsColour(): boolean {
  return process.stdout.isTTY && process.env["NO_COLOR"] === undefined && process.env["TERM"] !== "dumb";
}

type Style = { readonly strong: (text: string) => string; readonly faint: (text: string) => string };

const plain: Style = { strong: (text) => text, faint: (text) => text };
const colours: Style = {
  strong: (text) => `\u001b[1m${text}\u001b[22m`,
  faint: (text) => `\u001b[2m${text}\u001b[22m`,
};

const steps = [
  { model: "sim-echo", say: "hello" },
  { model: "sim-think/low", say: "think about switching models in the middle of a conversation" },
  { model: "sim-tools", say: 'call clock {"city": "Kyoto"}' },
] as const;

const clock: ToolDefinition = {
  name: "clock",
  description: "The time of day in a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};

const zones: { readonly [city: string]: string | undefined } = {
  kyoto: "Asia/Tokyo",
  berlin: "Europe/Berlin",
  lima: "America/Lima",
};

const roundsMax = 3;

const next = `What to try next
  ikigai explain claude-opus-5-5/high     what a thinking level becomes on the wire, without a key
  ikigai models gemini                    what is known of each model: context, price, thinking
  ikigai mock                             a stand-in for the providers, for your own tests
With a key (ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY) the library speaks to the real ones:
  import { ask } from "ikigai";
  const answer = await ask("claude-opus-5-5/high", "Why is the sky blue?");
From a clone, \`npm start -- explain …\` is the same as \`ikigai explain …\`.
`;
