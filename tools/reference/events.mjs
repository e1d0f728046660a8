import { eventTable } from "../../src/agent/index.ts";

export function eventsPage() {
  const sections = Object.entries(eventTable).map(([type, { says, fields }]) => {
    const rows = Object.entries(fields).map(([name, text]) => `| \`${name}\` | ${text} |`);
    return [`## ${type}`, "", says, "", "| Field | Meaning |", "| --- | --- |", ...rows, ""].join("\n");
  });
  return [intro, ...sections].join("\n");
}

const intro = `# Events of agents

What happens to agents, as plain data. \`ikigai -p --json\` prints each as one line of JSON; whoever opens agents in a program
gets the same objects from \`subscribe\`. Every event has \`type\` and \`agent_uuid\`, the agent it is about; a field that has
nothing to say is absent. New fields and types may be added: ignore what you do not know.

The order within one agent: an \`entry\` is announced after it is in the log and before anything follows from it. An answer is
\`stream\` events, the last of them \`done\` or \`error\`, then its \`entry\`. A turn ends with exactly one \`turn_ended\`.

This page is made from the table of events in the code.
`;
