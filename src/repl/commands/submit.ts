import type { Host } from "../host.ts";
import { WrongUse } from "./command.ts";
import { withFiles } from "./mentions.ts";
import { runShell } from "./shell.ts";
import { commandNamed, unknownCommand } from "./table.ts";
import { current } from "./where.ts";

/**
 * What Enter does with what was typed: `/command`, `!command`, `!!command`, or a message with `@files` in it. Done when the
 * command is; a message is answered later. What could not be used is given back (`host.draft`) to be mended: "kept".
 */
export async function submit(host: Host, typed: string): Promise<"taken" | "kept"> {
  const text = typed.trim();
  if (text === "") return "taken";
  try {
    await perform(host, text);
    return "taken";
  } catch (error) {
    const message = host.services.hide(error instanceof Error ? error.message : String(error));
    const usage = usageOf(error, text);
    host.say([message, ...(usage === undefined ? [] : [`Usage: ${usage}`])], "error");
    if (!(error instanceof WrongUse) && isCommand(text)) return "taken";
    host.draft(typed);
    return "kept";
  }
}

async function perform(host: Host, text: string): Promise<void> {
  const called = commandLine.exec(text);
  if (called !== null) {
    const [whole, name = ""] = called;
    const command = commandNamed(name);
    if (command === undefined) throw new WrongUse(unknownCommand(name));
    return command.run(host, text.slice(whole.length).trimStart());
  }
  if (text === "/") throw new WrongUse("a slash and a name make a command; /help lists them all");
  if (text.startsWith("!")) {
    const told = text.startsWith("!!");
    const command = text.slice(told ? 2 : 1).trim();
    if (command === "") throw new WrongUse("! runs a command: !ls");
    return runShell(host, command, { told });
  }
  return sayOrCapture(host, text.startsWith("//") ? text.slice(1) : text);
}

async function sayOrCapture(host: Host, text: string): Promise<void> {
  const agent_uuid = host.here();
  if (current(host).captured !== undefined) {
    await host.agents().command({ type: "capture", agent_uuid, text });
    return;
  }
  const content = await withFiles(text, host.services);
  await host.agents().command({ type: "say", agent_uuid, content });
}

function usageOf(error: unknown, text: string): string | undefined {
  return error instanceof WrongUse ? commandNamed(commandLine.exec(text)?.[1] ?? "")?.usage : undefined;
}

function isCommand(text: string): boolean {
  return commandLine.test(text) || text.startsWith("!");
}

/** A path at the beginning of a message is none. */
const commandLine = /^\/([a-z?][\w-]*)(?=\s|$)/i;
