import { copyText } from "../../term/index.ts";
import { modelText, plural, shortId, stateText } from "../commands/figures.ts";
import { current } from "../commands/where.ts";
import type { Host, Tone } from "../host.ts";
import { transcriptText } from "../transcript/index.ts";
import type { Output } from "./output.ts";
import { askInLines, pickInLines } from "./questions.ts";
import type { Session } from "./session.ts";

/** What commands see of the plain mode. */
export function createHost(session: Session): Host {
  const { services, world, output, stops, voice, activities, asking } = session;
  const host: Host = {
    mode: "plain",
    services,
    agents: session.agents,
    here: () => session.here,
    goTo(agent_uuid) {
      if (agent_uuid === session.here) return;
      session.goTo(agent_uuid);
      output.line(whereText(host));
    },
    async reopen(which) {
      if (which.which === "id" && which.take_over !== true && session.agents().session_uuid.startsWith(which.id)) {
        output.line("This is the conversation that is open.");
        return;
      }
      const { notes, resumed } = await session.open(which);
      const id = session.agents().session_uuid.slice(0, sessionIdLength);
      output.lines([resumed ? `Going on with ${id}.` : `A new conversation: ${id}.`, ...notes]);
    },
    say: (rows, tone) => output.lines(rows.map((row, index) => (index === 0 ? toned(row, tone) : row))),
    show(title, body) {
      output.line(`${title}:`);
      output.lines(body(world.columns?.() ?? pageColumns));
    },
    pick: (title, items) => stops.during((signal) => pickInLines(title, items, asking(signal))),
    ask: (question) => stops.during((signal) => askInLines(question, asking(signal))),
    during: (rows, work) => stops.during((signal) => sayChanges(rows, output, () => work(signal))),
    stream: output.stream,
    activity: activities.of,
    draft(text) {
      if (world.interactive) output.line(`Not sent: ${text}`);
    },
    shownText: (what) => transcriptText(voice.items(), what),
    async copy(text) {
      const { env, platform } = world;
      const { copied, way } = await copyText(text, { env, platform });
      return copied ? `Copied by ${way}.` : `Not copied: ${way}.`;
    },
    thinking: () => session.thinking,
    setThinking: (view) => void (session.thinking = view),
    setMouse: () => false,
    setTheme: () => output.line("There are no colours to choose here."),
    find: (text) => output.lines(foundLines(transcriptText(voice.items(), "all"), text)),
    exit: () => void (session.ended = true),
  };
  return host;
}

function whereText(host: Host): string {
  const agent = current(host);
  const name = agent.name === undefined ? "" : ` ${agent.name}`;
  return `Now at agent ${shortId(agent.uuid)}${name}, ${modelText(agent.model)}, ${stateText(agent)}.`;
}

function toned(text: string, tone: Tone | undefined): string {
  if (tone === "error") return `error: ${text}`;
  return tone === "warning" ? `warning: ${text}` : text;
}

/** Lines that change are said again when they have. */
async function sayChanges<Result>(
  rows: () => readonly string[],
  output: Output,
  work: () => Promise<Result>,
): Promise<Result> {
  let before: readonly string[] = [];
  const say = (): void => {
    const now = rows();
    output.lines(now.filter((row) => !before.includes(row)));
    before = now;
  };
  say();
  const timer = setInterval(say, changesEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    output.end();
  }
}

function foundLines(all: string, wanted: string): readonly string[] {
  const rows = all.split("\n").filter((row) => row.toLowerCase().includes(wanted.toLowerCase()));
  if (rows.length === 0) return [`${JSON.stringify(wanted)} is not in what was read of this conversation.`];
  const shown = rows.slice(-foundMax).map((row) => `  ${row.trim()}`);
  return [`${plural(rows.length, "line")} with ${JSON.stringify(wanted)}:`, ...shown];
}

const sessionIdLength = 8;
const pageColumns = 80;
const changesEveryMs = 250;
const foundMax = 50;
