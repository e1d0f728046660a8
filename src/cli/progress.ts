import type { AgentEvent, TurnEnd } from "../agent/index.ts";

/** Says on stderr what happens, a line each; what other agents do is marked with the beginning of their id. */
export function createProgress(root_uuid: string, write: (text: string) => void): (event: AgentEvent) => void {
  return (event) => {
    const line = lineOf(event);
    if (line === undefined) return;
    const who = event.agent_uuid === root_uuid ? "" : `${event.agent_uuid.slice(0, shownIdLength)} `;
    write(`${who}${line}\n`);
  };
}

function lineOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "warning":
      return `⚠ ${event.message}`;
    case "retrying": {
      const { attempt, attempts_max, delay_ms, error } = event;
      return `${error.category}: ${error.message}; retrying in ${delay_ms / 1000} s, ${attempt} of ${attempts_max}`;
    }
    case "tool_started":
      return `→ ${event.summary}`;
    case "tool_ended":
      return event.is_error ? `✗ ${event.name}` : undefined;
    case "limit_reached":
      return `⚠ ${event.message}`;
    case "mail":
      return `✉ from ${event.from_uuid?.slice(0, shownIdLength) ?? "you"}: ${event.text.split("\n")[0] ?? ""}`;
    case "forked":
      return `↳ ${event.child_uuid.slice(0, shownIdLength)}${event.model === undefined ? "" : ` ${event.model}`}`;
    case "turn_ended":
      return tokenLine(event);
    default:
      return undefined;
  }
}

function tokenLine({ usage, cost_usd, unpriced, duration_ms }: TurnEnd): string | undefined {
  if (usage === undefined) return undefined;
  const { cache_read_tokens: cached, output_tokens, thinking_tokens, total_tokens } = usage;
  const read = usage.input_tokens + cached + usage.cache_write_tokens;
  const parts = `${read} in + ${output_tokens} out + ${thinking_tokens} thinking (${cached} cached)`;
  const money = unpriced > 0 ? "$?" : `$${cost_usd.toFixed(4)}`;
  return `Tokens: ${parts} = ${total_tokens} · ${money} · ${(duration_ms / 1000).toFixed(1)} s`;
}

const shownIdLength = 4;
