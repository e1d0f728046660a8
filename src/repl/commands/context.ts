import { wrapText } from "../../term/index.ts";
import type { Host } from "../host.ts";
import type { SlashCommand } from "./command.ts";
import { sayUnseen } from "./where.ts";
import { freeText } from "./words.ts";

async function runSystem(host: Host, text: string): Promise<void> {
  if (text.trim() === "") {
    const { system } = host.agents().view(host.here());
    if (system === "") return host.say(["This agent has no system prompt of its own. /system TEXT sets one."]);
    return host.show("System prompt", (width) => wrapText(system, width));
  }
  const wanted = freeText(text);
  const { cache } = await host.agents().command({ type: "system", agent_uuid: host.here(), text: wanted });
  sayUnseen(host, [wanted === "" ? "The system prompt is empty now." : "The system prompt is set."], warned(cache));
}

async function runPin(host: Host, text: string): Promise<void> {
  const path = freeText(text);
  if (path === "") return host.say(pinLines(host.agents().view(host.here()).pins));
  const { pins, cache } = await host.agents().command({ type: "pin", agent_uuid: host.here(), path });
  const unreadable = await host.services.attach(path).then(
    () => [],
    (error: unknown) => [`⚠ ${error instanceof Error ? error.message : String(error)}: it is sent once it can be`],
  );
  sayUnseen(host, pinLines(pins), [...warned(cache), ...unreadable]);
}

async function runUnpin(host: Host, text: string): Promise<void> {
  const path = freeText(text);
  const { pins: before } = host.agents().view(host.here());
  if (before.length === 0) return host.say(["Nothing is pinned."]);
  if (path !== "" && !before.includes(path)) {
    return host.say([`${path} is not pinned; ${before.join(", ")} ${before.length === 1 ? "is" : "are"}.`], "warning");
  }
  const which = path === "" ? {} : { path };
  const { pins, cache } = await host.agents().command({ type: "unpin", agent_uuid: host.here(), ...which });
  sayUnseen(host, pinLines(pins), warned(cache));
}

function pinLines(pins: readonly string[]): readonly string[] {
  if (pins.length === 0) return ["Nothing is pinned."];
  return ["Pinned, read anew at each turn:", ...pins.map((path) => `  ${path}`)];
}

async function runToolset(host: Host, text: string): Promise<void> {
  const names = text.split(/[\s,]+/).filter((name) => name !== "");
  if (names.length === 0) {
    const { tools } = host.agents().view(host.here());
    return host.say([tools.length === 0 ? "This agent has no tools." : `Tools: ${tools.join(", ")}`]);
  }
  const [only] = names;
  const tools = names.length > 1 ? { tools: names } : only === "all" ? {} : { tools: only === "none" ? [] : names };
  const set = await host.agents().command({ type: "toolset", agent_uuid: host.here(), ...tools });
  const now = set.tools.length === 0 ? "No tools from now on." : `Tools: ${set.tools.join(", ")}`;
  sayUnseen(host, [now], warned(set.cache));
}

async function runTools(host: Host): Promise<void> {
  const own = host.agents().view(host.here()).tools;
  const known = new Map((await host.services.tools?.())?.map((row) => [row.name, row]));
  if (own.length === 0) return host.say(["This agent has no tools. /toolset all gives it all there are."]);
  const width = Math.max(...own.map(({ length }) => length));
  const lines = own.map((name) => {
    const row = known.get(name);
    return row === undefined ? name : `${name.padEnd(width)}  ${row.permission}. ${row.description}`;
  });
  const without = [...known.keys()].filter((name) => !own.includes(name));
  host.say([...lines, ...(without.length === 0 ? [] : [`Not for this agent: ${without.join(", ")}`])]);
}

/** What the provider has to read again. */
function warned({ message }: { readonly message: string }): readonly string[] {
  return message === "" ? [] : [`⚠ ${message}`];
}

export const contextCommands: readonly SlashCommand[] = [
  {
    name: "system",
    usage: "/system [text]",
    summary: "show or set this agent's system prompt",
    help: [
      "It stands after the base text and the AGENTS.md of the folder. An empty text in quotes takes it away.",
      "  /system Answer in French.",
      '  /system ""',
    ],
    completes: ["text"],
    run: runSystem,
  },
  {
    name: "pin",
    usage: "/pin [path]",
    summary: "a file the model always sees, as it is at that moment",
    help: ["Without a path: what is pinned.", "  /pin docs/plan.md"],
    completes: ["path", "text"],
    run: runPin,
  },
  {
    name: "unpin",
    usage: "/unpin [path]",
    summary: "take one pinned file away, or all",
    help: ["  /unpin docs/plan.md"],
    completes: ["pin", "text"],
    run: runUnpin,
  },
  {
    name: "toolset",
    usage: "/toolset [NAMES | all | none]",
    summary: "which tools this agent may use",
    help: ["Names with commas or spaces between. Without: what it has now.", "  /toolset file_read, grep"],
    completes: ["tool"],
    run: runToolset,
  },
  {
    name: "tools",
    usage: "/tools",
    summary: "the tools of this agent, and what they ask for",
    help: ["What becomes of a call is decided by the rules in config.json (`permissions`) and by your answers."],
    run: runTools,
  },
];
