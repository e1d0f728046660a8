import type { Agents } from "../../agent/index.ts";
import { createActivities, type Activities } from "../commands/activity.ts";
import type { Opened, Services, SessionChoice, ThinkingView } from "../services.ts";
import type { LineSource } from "./lines.ts";
import { createOutput, type Output } from "./output.ts";
import { askInLines, createApprovals, type Approvals, type Asking } from "./questions.ts";
import { createStops, type Stops } from "./stops.ts";
import { createVoice, type Voice } from "./voice.ts";
import type { PlainWorld } from "./world.ts";

/** The plain mode while it runs. */
export type Session = {
  readonly services: Services;
  readonly world: PlainWorld;
  readonly output: Output;
  readonly voice: Voice;
  readonly stops: Stops;
  readonly activities: Activities;
  readonly asking: (signal: AbortSignal) => Asking;
  /** Throws before the first conversation is open. */
  readonly agents: () => Agents;
  readonly open: (which: SessionChoice) => Promise<Opened>;
  readonly close: () => Promise<void>;
  /** Looks at another agent; `arrived` when that is done. */
  readonly goTo: (agent_uuid: string) => void;
  readonly arrived: () => Promise<void>;
  /** How much has happened to agents so far. */
  readonly happened: () => number;
  /** Called when it may be the person's turn: the agent that is looked at has ended one, or nothing is asked any more. */
  onFree?: () => void;
  here: string;
  thinking: ThinkingView;
  ended: boolean;
};

export function createSession(services: Services, world: PlainWorld, lines: LineSource): Session {
  const output = createOutput(world);
  const stops = createStops();
  const asking = (signal: AbortSignal): Asking => ({ lines, output, interactive: world.interactive, signal });
  let opened: Agents | undefined;
  let happened = 0;
  let stopHearing: (() => void) | undefined;
  let looking: Promise<void> = Promise.resolve();
  const agents = (): Agents => {
    if (opened === undefined) throw new Error("no conversation is open");
    return opened;
  };
  const approvals: Approvals = createApprovals(
    agents,
    (question, by) => stops.during((signal) => askInLines(question, asking(signal)), by),
    () => session.onFree?.(),
  );
  const activities = createActivities({ now: services.now, looking: () => session.here });
  const voice = createVoice({
    output,
    services,
    thinking: () => session.thinking,
    agents: () => agents().list(),
    echoes: world.interactive,
  });
  const close = async (): Promise<void> => {
    stopHearing?.();
    await opened?.close();
    opened = undefined;
  };
  const session: Session = {
    services,
    world,
    output,
    voice,
    stops,
    activities,
    asking,
    agents,
    async open(which) {
      // What was open stays so until the other one is: it may not be there at all.
      const found = await services.open(which);
      await close();
      opened = found.agents;
      session.here = opened.root_uuid;
      stopHearing = opened.subscribe((event) => {
        activities.hear(event);
        voice.hear(event);
        approvals.hear(event);
        happened += 1;
        if (event.type === "turn_ended" && event.agent_uuid === session.here) session.onFree?.();
      });
      await voice.look(session.here, found.resumed ? "say" : "skip");
      return found;
    },
    close,
    goTo(agent_uuid) {
      session.here = agent_uuid;
      activities.seen(agent_uuid);
      looking = voice.look(agent_uuid, "say");
    },
    arrived: () => looking,
    happened: () => happened,
    here: "",
    thinking: services.preferences.thinking,
    ended: false,
  };
  return session;
}
