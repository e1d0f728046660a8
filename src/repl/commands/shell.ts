import type { JsonObject } from "../../core/index.ts";
import { clean } from "../../term/index.ts";
import type { Host } from "../host.ts";

/**
 * A person's own command. Its output is shown while it comes and kept in the log beside the conversation; the model does
 * not see it, unless it is `told`: then what was run and what came out is said to it as a message.
 */
export async function runShell(host: Host, command: string, { told }: { readonly told: boolean }): Promise<void> {
  const { services } = host;
  let tail = "";
  const lines = (): readonly string[] => [`$ ${command}`, ...(host.stream === undefined ? lastLines(tail) : [])];
  const result = await host.during(lines, (signal) =>
    services.shell(command, {
      signal,
      output(text) {
        const safe = services.hide(text);
        tail = (tail + safe).slice(-tailMax);
        host.stream?.(safe);
      },
    }),
  );
  const output = clean(services.hide(result.output));
  const { exit_code } = result;
  const data: JsonObject = { output: lastPart(output, keptMax), ...(exit_code === null ? {} : { exit_code }) };
  await host.agents().command({ type: "note", agent_uuid: host.here(), text: `!${command}`, data });
  if (host.stream !== undefined && exit_code !== 0) {
    host.say([exit_code === null ? "The command was stopped." : `The command ended with exit code ${exit_code}.`]);
  }
  if (!told) return;
  const content = toldText(command, lastPart(output, toldMax), exit_code);
  await host.agents().command({ type: "say", agent_uuid: host.here(), content });
}

function lastLines(text: string): readonly string[] {
  return clean(text).trimEnd().split("\n").slice(-linesShown);
}

function lastPart(text: string, max: number): string {
  if (text.length <= max) return text;
  return `… ${text.length - max} characters before\n${text.slice(-max)}`;
}

function toldText(command: string, output: string, exit_code: number | null): string {
  const ended = exit_code === null ? "it was stopped" : `exit code ${exit_code}`;
  // Longer than any fence in it.
  const longest = Math.max(2, ...[...output.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `I ran \`${command}\` (${ended}):\n\n${fence}\n${output.trimEnd()}\n${fence}`;
}

const linesShown = 8;
const tailMax = 4_000;
const keptMax = 100_000;
const toldMax = 30_000;
