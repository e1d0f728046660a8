import { isBusy, modelText, shortId } from "../commands/figures.ts";
import { submit } from "../commands/submit.ts";
import { current } from "../commands/where.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import { createHost } from "./host.ts";
import { createLines, type LineSource } from "./lines.ts";
import { createSession, type Session } from "./session.ts";
import type { PlainWorld } from "./world.ts";

export type { PlainWorld } from "./world.ts";

/**
 * The program for screen readers, dumb terminals and pipes: lines in, text out, nothing is taken back. Ends with the input,
 * once everything is answered. Returns the exit code.
 */
export async function runPlain(services: Services, world: PlainWorld): Promise<number> {
  const lines = createLines(world.input);
  const session = createSession(services, world, lines);
  const host = createHost(session);
  const quit = Promise.withResolvers<"quit">();
  let pressedAt = -Infinity;
  const stopListening = world.onInterrupt?.(() => {
    const before = pressedAt;
    pressedAt = services.now();
    if (pressedAt - before <= twiceWithinMs) quit.resolve("quit");
    else interrupt(session, host);
  });
  try {
    const talk = converse(session, host, { lines, typed: () => void (pressedAt = -Infinity) });
    const how = await Promise.race([talk, quit.promise]);
    return how === "quit" ? interruptedCode : 0;
  } finally {
    stopListening?.();
    lines.close();
    await session.close();
    await services.close();
  }
}

type Talk = { readonly lines: LineSource; readonly typed: () => void };

async function converse(session: Session, host: Host, { lines, typed }: Talk): Promise<"ended"> {
  const { output, voice, world } = session;
  await greet(session, host);
  const prompt = (): void => {
    if (!isBusy(current(host))) output.prompt(`${promptText(host)}> `);
  };
  session.onFree = prompt;
  prompt();
  while (!session.ended) {
    const text = await nextMessage(lines);
    if (text === undefined) break;
    output.answered();
    typed();
    const command = isCommand(text);
    if (!world.interactive && command) output.line(`> ${text}`);
    // A history that cannot be written is no reason not to speak.
    if (text.trim() !== "") await session.services.keepTyped(text).catch(() => undefined);
    const done = await (command ? voice.quietly(() => submit(host, text)) : submit(host, text));
    await session.arrived();
    // A script is read like a conversation: nothing is said before the last answer is there.
    if (!world.interactive) await settle(session);
    else if (command || done === "kept" || text.trim() === "") prompt();
  }
  if (!session.ended) await settle(session);
  return "ended";
}

async function greet({ services, world, output, open }: Session, host: Host): Promise<void> {
  const { notes, resumed, later } = await open(world.which);
  const { writeError } = world;
  const complain = writeError === undefined ? output.line : (text: string) => writeError(`${services.hide(text)}\n`);
  for (const problem of [...services.problems, ...((await later) ?? [])]) complain(problem);
  if (world.interactive) {
    const words = resumed ? "going on" : "a new conversation";
    output.line(`ikigai ${services.version}, ${modelText(current(host).model)}, ${words} in ${services.folder_label}.`);
    output.line("Type a message and Enter; /help lists the commands; Ctrl-C ends the running turn, twice quits.");
  }
  if (services.without_key) output.line(simulation(services.program));
  output.lines(notes);
}

/** Where there are several agents, it says to whom one speaks. */
function promptText(host: Host): string {
  const agent = current(host);
  const several = host.agents().list().length > 1;
  const capture = agent.captured === undefined ? "" : "capturing";
  return [several ? (agent.name ?? shortId(agent.uuid)) : "", capture].filter((word) => word !== "").join(", ");
}

/** A line that ends in a backslash goes on in the next one. */
async function nextMessage(lines: LineSource): Promise<string | undefined> {
  const parts: string[] = [];
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    if (!line.endsWith("\\")) return [...parts, line].join("\n");
    parts.push(line.slice(0, -1));
  }
  return parts.length === 0 ? undefined : parts.join("\n");
}

function isCommand(text: string): boolean {
  return /^\s*(?:\/(?!\/)|!)/.test(text);
}

/** Until nobody works any more, and nobody was woken by the last one; who asks is answered meanwhile. */
async function settle({ agents, happened }: Session): Promise<void> {
  for (let before = -1; before !== happened();) {
    before = happened();
    const own = agents()
      .list()
      .filter(({ owner }) => owner === undefined);
    for (const { uuid } of own) await agents().settled(uuid);
    await new Promise((resolve) => setTimeout(resolve, settleEveryMs));
  }
}

/** Ends what somebody waits for: a question, a command, the running turn. */
function interrupt({ stops, output, here, agents }: Session, host: Host): void {
  if (stops.giveUp()) return;
  output.aside("Ctrl-C again quits.");
  // Before anything is open there is nothing to end.
  if (here === "" || !isBusy(current(host))) return;
  void agents()
    .command({ type: "interrupt", agent_uuid: here })
    .catch(() => undefined);
}

const simulation = (program = "ikigai"): string =>
  `No key was found: a simulation answers by rule. \`${program} login PROVIDER\` adds a key.`;
const interruptedCode = 130;
const twiceWithinMs = 2_000;
const settleEveryMs = 5;
