import type { AgentEvent, AgentSummary } from "../../agent/index.ts";
import { modelText, shortId } from "../commands/figures.ts";
import type { Services, ThinkingView } from "../services.ts";
import {
  createSpeaker,
  createTranscript,
  exchangeLine,
  type Item,
  itemWords,
  type Speaker,
  type TranscriptModel,
  withoutFiles,
  type WordsContext,
} from "../transcript/index.ts";
import type { Output } from "./output.ts";

/** Says what happens to the agent that is looked at: texts while they grow, everything else once, in words. */
export type Voice = {
  /** Looks at an agent from now on. What was said last in it is said again, if wanted. */
  readonly look: (agent_uuid: string, past: "say" | "skip") => Promise<void>;
  readonly hear: (event: AgentEvent) => void;
  readonly items: () => readonly Item[];
  /** While a command runs it says itself what it did. */
  readonly quietly: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

export type VoiceOptions = {
  readonly output: Output;
  readonly services: Pick<Services, "page" | "now" | "folder">;
  readonly thinking: () => ThinkingView;
  readonly agents: () => readonly AgentSummary[];
  /** The terminal shows what a person types; a script's lines are shown by us. */
  readonly echoes: boolean;
};

export function createVoice(options: VoiceOptions): Voice {
  const { output, services, agents, thinking, echoes } = options;
  const context = (): WordsContext => ({ thinking: thinking(), nameOf: nameFrom(agents()), now: services.now });
  let here = "";
  let heard: Heard | undefined;
  /** What happens while the agent's last page is read. */
  let missed: AgentEvent[] = [];
  let commands = 0;

  function wanted({ type }: Item): boolean {
    // Totals and what waits are said when they come up; output of commands was written as it came.
    if (type === "exchange" || type === "queued" || type === "notice" || type === "command") return false;
    if (type === "user") return !echoes;
    return commands === 0 || !saidByCommands.has(type);
  }

  function hear(event: AgentEvent): void {
    if (event.agent_uuid !== here) return sayOfOther(event, options);
    if (heard === undefined) return void missed.push(event);
    heard.model.hear(event);
    for (const spoken of heard.speaker.news()) {
      if (spoken.type === "line") output.line(spoken.text);
      else if (spoken.type === "stream") output.stream(spoken.text);
      else output.end();
    }
    // Who types in the middle of an answer wants to know at once that it was taken.
    if (event.type === "queued") output.line(`queued: ${withoutFiles(event.text)}`);
    if (event.type === "turn_ended") sayTotals(event, output);
  }

  return {
    async look(agent_uuid, past) {
      here = agent_uuid;
      heard = undefined;
      missed = [];
      const { entries, older } = await services.page(agent_uuid, { limit: pageEntries });
      if (here !== agent_uuid) return;
      const model = createTranscript({ now: services.now, agent_uuid, folder: services.folder });
      model.add(entries, { older });
      const speaker = createSpeaker(model, context, wanted);
      if (past === "say") output.lines(lastTurn(model.items()).flatMap((item) => itemWords(item, context())));
      speaker.skip();
      heard = { model, speaker };
      for (const event of missed.splice(0)) hear(event);
    },
    hear,
    items: () => heard?.model.items() ?? [],
    async quietly(work) {
      commands += 1;
      try {
        return await work();
      } finally {
        commands -= 1;
      }
    },
  };
}

type Heard = { readonly model: TranscriptModel; readonly speaker: Speaker };

/** The last thing that was said to it and everything after. */
function lastTurn(items: readonly Item[]): readonly Item[] {
  const from = items.findLastIndex(({ type }) => type === "user" || type === "mail");
  return items.slice(Math.max(0, from));
}

function sayTotals(event: Extract<AgentEvent, { readonly type: "turn_ended" }>, output: Output): void {
  const { usage, cost_usd, unpriced, duration_ms } = event;
  if (usage !== undefined) output.line(exchangeLine({ usage, duration_ms, ...(unpriced > 0 ? {} : { cost_usd }) }));
}

/** Only what somebody who looks at another agent wants to know. */
function sayOfOther(event: AgentEvent, { output, agents }: VoiceOptions): void {
  const who = `agent ${nameFrom(agents())(event.agent_uuid)}`;
  const model = agents().find(({ uuid }) => uuid === event.agent_uuid)?.model;
  if (event.type === "turn_ended") {
    const why = event.error === undefined ? "" : `: ${event.error.message}`;
    const way = `/agents ${shortId(event.agent_uuid)} goes there`;
    output.aside(`${who} (${modelText(model)}) ${outcomeWords[event.outcome]}${why}; ${way}`);
  } else if (event.type === "killed") output.aside(`${who} was killed`);
}

function nameFrom(agents: readonly AgentSummary[]): (uuid: string) => string {
  return (uuid) => agents.find((agent) => agent.uuid === uuid)?.name ?? shortId(uuid);
}

const pageEntries = 200;

const saidByCommands: ReadonlySet<Item["type"]> = new Set([
  "mark",
  "rewind",
  "clear",
  "compact",
  "fork",
  "setting",
  "killed",
]);

const outcomeWords = {
  done: "is done",
  interrupted: "was interrupted",
  failed: "failed",
  limit: "has reached a limit",
} as const;
