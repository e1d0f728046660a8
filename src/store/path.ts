import { sql } from "kysely";
import { summaries } from "../core/index.ts";
import type { Database } from "./engine.ts";
import { notFound } from "./errors.ts";

/** A stretch of one agent's log, both ends included. */
export type Range = { readonly agent_uuid: string; readonly first_id: number; readonly last_id: number };

/** A place in a log: the entry with this id, or the newest before it. */
export type Place = { readonly agent_uuid: string; readonly id: number };

/** An entry after which reading backwards does not simply go on with the one before it. */
type Jump = Place & {
  readonly kind: "clear" | "rewind" | "compact";
  readonly uuid: string;
  readonly target: (Place & { readonly uuid: string }) | undefined;
};

/**
 * The stretches that are in force at a place, newest first. Only jumps and forks are looked at, never what lies between:
 * the cost depends on how often somebody changed his mind, not on how much was said.
 */
export async function rangesInForce(db: Database, start: Place): Promise<readonly Range[]> {
  const ranges: Range[] = [];
  const open: Jump[] = [];
  let place: Place | undefined = start;
  while (place !== undefined) {
    const { agent_uuid, id: last_id }: Place = place;
    const jump = await jumpBefore(db, place);
    const first_id: number = jump === undefined ? 0 : jump.kind === "compact" ? jump.id + 1 : jump.id;
    const end = keptEnd(open, { agent_uuid, first_id, last_id });
    if (end !== undefined) {
      ranges.push({ agent_uuid, first_id: end.id, last_id });
      open.length = end.level + 1;
      break;
    }
    if (first_id <= last_id) ranges.push({ agent_uuid, first_id, last_id });
    if (jump?.kind === "compact") open.push(jump);
    place = jump === undefined ? await forkPlace(db, agent_uuid) : placeBefore(jump);
  }
  const beginning = summaries(open, (compact, uuid) => compact.target?.uuid === uuid);
  return [...ranges, ...beginning.map(({ agent_uuid, id }) => ({ agent_uuid, first_id: id, last_id: id }))];
}

/** Where the walk ends because a summary stands for everything older: the newest such entry of this stretch. */
function keptEnd(open: readonly Jump[], range: Range): { readonly id: number; readonly level: number } | undefined {
  let end: { readonly id: number; readonly level: number } | undefined;
  open.forEach(({ target }, level) => {
    if (target === undefined || target.agent_uuid !== range.agent_uuid) return;
    const within = target.id >= range.first_id && target.id <= range.last_id;
    if (within && (end === undefined || target.id > end.id)) end = { id: target.id, level };
  });
  return end;
}

function placeBefore(jump: Jump): Place | undefined {
  if (jump.kind === "clear") return undefined;
  if (jump.kind === "rewind") return jump.target;
  return jump.target === undefined ? undefined : { agent_uuid: jump.agent_uuid, id: jump.id - 1 };
}

async function jumpBefore(db: Database, { agent_uuid, id }: Place): Promise<Jump | undefined> {
  const row = await db
    .selectFrom("messages as m")
    .leftJoin("messages as target", "target.id", "m.target_id")
    .select(["m.id", "m.uuid", "m.kind", "target.id as target_id", "target.uuid as target_uuid"])
    .select("target.agent_uuid as target_agent")
    .where("m.agent_uuid", "=", agent_uuid)
    .where("m.id", "<=", id)
    // Written out, as the index says it: with parameters in it the planner cannot tell that the index will do.
    .where(sql<boolean>`m.kind IN ('clear', 'rewind', 'compact')`)
    .orderBy("m.id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { target_id, target_uuid, target_agent } = row;
  const target =
    target_id === null || target_uuid === null || target_agent === null
      ? undefined
      : { agent_uuid: target_agent, id: target_id, uuid: target_uuid };
  return { agent_uuid, id: row.id, uuid: row.uuid, kind: row.kind as Jump["kind"], target };
}

/** Where an agent's log goes on above its own beginning. */
export async function forkPlace(db: Database, agent_uuid: string): Promise<Place | undefined> {
  const row = await db
    .selectFrom("agents")
    .leftJoin("messages", "messages.id", "agents.fork_message_id")
    .select(["messages.id", "messages.agent_uuid"])
    .where("agents.uuid", "=", agent_uuid)
    .executeTakeFirst();
  if (row === undefined) throw notFound("agent", agent_uuid);
  return row.id === null || row.agent_uuid === null ? undefined : { id: row.id, agent_uuid: row.agent_uuid };
}

/** The logs an agent's own goes back to, itself first: everything that was ever said on the way here, in force or not. */
export async function lineage(db: Database, start: Place): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (let place: Place | undefined = start; place !== undefined; place = await forkPlace(db, place.agent_uuid)) {
    places.push(place);
  }
  return places;
}
