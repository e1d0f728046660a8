/** What is answered: the script first, then the rule in code, then an echo. */
import { objectOf } from "./json.ts";
import { sampleOf } from "./schemas.ts";
import type { Answer, Match, MockRequest, ScriptEntry } from "./types.ts";

export type Script = {
  readonly add: (entries: readonly ScriptEntry[]) => void;
  readonly take: (request: MockRequest) => ScriptEntry | undefined;
  readonly clear: () => void;
  readonly size: () => number;
};

type Waiting = { readonly entry: ScriptEntry; left: number };

export function makeScript(): Script {
  let queue: Waiting[] = [];

  function add(entries: readonly ScriptEntry[]): void {
    for (const entry of entries) {
      queue.push({ entry, left: entry.times === "always" ? Number.POSITIVE_INFINITY : (entry.times ?? 1) });
    }
  }

  function take(request: MockRequest): ScriptEntry | undefined {
    const found = queue.find((waiting) => waiting.left > 0 && matches(waiting.entry.match, request));
    if (found === undefined) return undefined;
    found.left--;
    queue = queue.filter((waiting) => waiting.left > 0);
    return found.entry;
  }

  function clear(): void {
    queue = [];
  }

  return { add, take, clear, size: () => queue.length };
}

function matches(match: Match | undefined, request: MockRequest): boolean {
  if (match === undefined) return true;
  const text = lastUserText(request);
  return (
    (match.wire === undefined || match.wire === request.wire) &&
    (match.dialect === undefined || match.dialect === request.dialect) &&
    (match.model === undefined || match.model === request.model) &&
    (match.stream === undefined || match.stream === request.stream) &&
    (match.text === undefined || text.includes(match.text)) &&
    (match.pattern === undefined || new RegExp(match.pattern).test(text)) &&
    (match.tool_results === undefined || match.tool_results === endsWithResults(request))
  );
}

export function lastUserText(request: MockRequest): string {
  return request.messages.findLast((message) => message.role === "user" && message.text !== "")?.text ?? "";
}

export function endsWithResults(request: MockRequest): boolean {
  return (request.messages.at(-1)?.tool_results.length ?? 0) > 0;
}

/** Says back what it heard; calls a tool when it is made to; follows a schema when it is given one. */
export function echo(request: MockRequest): Answer {
  const heard = lastUserText(request);
  const thinking = `The user says ${JSON.stringify(shorten(heard))}. I will say it back.`;
  const results = request.messages.at(-1)?.tool_results ?? [];
  if (results.length > 0) {
    const said = results.map((result) => shorten(result.text)).join("; ");
    return { thinking, text: `The tool answered: ${said}` };
  }
  const tool = forcedTool(request);
  if (tool !== undefined) {
    return { thinking, tool_calls: [{ name: tool.name, arguments: objectOf(sampleOf(tool.schema)) }] };
  }
  if (request.format_schema !== undefined) return { thinking, text: JSON.stringify(sampleOf(request.format_schema)) };
  return { thinking, text: `You said: ${shorten(heard)}` };
}

function forcedTool(request: MockRequest): MockRequest["tools"][number] | undefined {
  const choice = request.tool_choice;
  if (choice === "auto" || choice === "none") return undefined;
  return choice === "required" ? request.tools[0] : request.tools.find((tool) => tool.name === choice.name);
}

const heardMax = 400;

function shorten(text: string): string {
  return text.length <= heardMax ? text : `${text.slice(0, heardMax)}…`;
}
