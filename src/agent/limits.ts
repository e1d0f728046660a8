import { modelInfo } from "../llm/index.ts";
import { choiceOf, specOf } from "./conversation.ts";
import { setState, warn, type Engine, type Live } from "./engine.ts";
import { dollars, shortId } from "./feedback.ts";
import { treeTotals } from "./totals.ts";
import type { Stop } from "./world.ts";

/** Whether an agent may send a request; asks a person where one can be asked. */
export async function mayAsk(engine: Engine, live: Live, signal: AbortSignal): Promise<Stop | undefined> {
  const own = ownStop(engine, live);
  if (own !== undefined) {
    engine.emit({ type: "limit_reached", agent_uuid: live.uuid, ...own });
    return own;
  }
  const warning = engine.purse.warning();
  if (warning !== undefined) warn(engine, live, "budget", warning);
  for (let stop = await sharedStop(engine, live); stop !== undefined; stop = await sharedStop(engine, live)) {
    // One question at a time: a yes to the first may answer the others.
    if (!(await engine.counter.enter(signal))) return stop;
    try {
      const still = await sharedStop(engine, live);
      if (still !== undefined && !(await askPerson(engine, live, still, signal))) return still;
    } finally {
      engine.counter.leave();
    }
  }
  return undefined;
}

/** What it was given for itself and its descendants. */
function ownStop(engine: Engine, live: Live): Stop | undefined {
  for (let one: Live | undefined = live; one !== undefined; one = engine.agents.get(one.parent_uuid ?? "")) {
    const { budget_usd, requests_max } = one.limits;
    const { cost_usd } = treeTotals(engine, one.uuid);
    if (budget_usd !== undefined && cost_usd >= budget_usd) {
      return { limit: "agent_usd", message: `agent ${shortId(one.uuid)} has used up its ${dollars(budget_usd)}` };
    }
    if (one === live && requests_max !== undefined && one.totals.requests >= requests_max) {
      return { limit: "agent_requests", message: `agent ${one.uuid} has used up its ${requests_max} requests` };
    }
  }
  return undefined;
}

async function sharedStop(engine: Engine, live: Live): Promise<Stop | undefined> {
  return (await engine.purse.stop()) ?? unknownPrice(engine, live);
}

/** Where money is limited, a model nobody knows the price of is not used without asking. */
async function unknownPrice(engine: Engine, live: Live): Promise<Stop | undefined> {
  const { limits, llm } = engine.world;
  if (limits.session_usd === undefined && limits.day_usd === undefined) return undefined;
  const { model } = live.replay.settings();
  if (model === undefined || engine.accepted_models.has(specOf(model))) return undefined;
  const row = llm.providers?.find(({ name }) => name === model.provider);
  if (row?.local !== undefined) return undefined;
  const known = await modelInfo(specOf(model), llm).catch(() => undefined);
  // A name that cannot be resolved fails with its own words.
  if (known === undefined || known.prices !== undefined) return undefined;
  return { limit: "unknown_price", message: `the price of ${specOf(choiceOf(live))} is not known` };
}

async function askPerson(engine: Engine, live: Live, stop: Stop, signal: AbortSignal): Promise<boolean> {
  const agent_uuid = live.uuid;
  if (engine.world.unattended !== undefined) {
    if (stop.limit === "unknown_price") {
      warn(engine, live, "unknown_price", `${stop.message}; it counts as nothing against the limit`);
      engine.accepted_models.add(specOf(choiceOf(live)));
      return true;
    }
    engine.emit({ type: "limit_reached", agent_uuid, ...stop });
    return false;
  }
  let approval_id = "";
  setState(engine, live, "asking");
  const reply = await engine.questions.ask(signal, (id) => {
    approval_id = id;
    engine.emit({ type: "limit_reached", agent_uuid, ...stop, approval_id });
  });
  engine.emit({ type: "approval_settled", agent_uuid, approval_id, allowed: reply.allowed });
  if (!reply.allowed) return false;
  if (stop.limit === "unknown_price") engine.accepted_models.add(specOf(choiceOf(live)));
  else engine.purse.raise(stop.limit);
  return true;
}
