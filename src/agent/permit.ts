import type { JsonObject, ToolCallBlock } from "../core/index.ts";
import { lineageOf, setState, type Engine, type Live } from "./engine.ts";
import type { Covered, Reply } from "./questions.ts";
import type { Tool, ToolIntent } from "./tools/types.ts";
import type { PermissionCall, Verdict } from "./world.ts";

/** Whether a call may be run, and where its paths really lead; or why not, in words for the model. */
export type Permission = Permitted | { readonly refused: string };

type Permitted = { readonly permitted_paths?: readonly string[] };

export type Wish = { readonly call: ToolCallBlock; readonly tool: Tool; readonly intent: ToolIntent };

/** What the rules say of a call, and where they ask, what a person says. */
export async function permission(engine: Engine, live: Live, wish: Wish, signal: AbortSignal): Promise<Permission> {
  const { permissions, unattended } = engine.world;
  const { call, intent } = wish;
  const asked: PermissionCall = { agent_uuid: live.uuid, lineage: lineageOf(engine, live), tool: call.name, intent };
  const verdict = await permissions.decide(asked);
  if (verdict.verdict === "deny") return { refused: `Not allowed: ${verdict.reason}` };
  let permitted = pathsOf(verdict);
  if (verdict.verdict === "allow" || unattended === "allow") return permitted;
  if (unattended === "deny") {
    return { refused: `Not allowed: ${intent.summary} needs a person's permission, and nobody can be asked` };
  }
  const covered = async (): Promise<boolean> => {
    const anew = await permissions.decide(asked);
    if (anew.verdict !== "allow") return false;
    // The rules have looked at where the paths lead now.
    permitted = pathsOf(anew);
    return true;
  };
  const reply = await askPerson(engine, live, { ...wish, verdict, ...permitted, covered }, signal);
  if (!reply.allowed) return { refused: `The user said no${reply.reason === undefined ? "" : `: ${reply.reason}`}` };
  if (reply.scope === "session" || reply.scope === "always") {
    await permissions.remember(asked, reply.scope);
    await engine.questions.reconsider();
  }
  return permitted;
}

function pathsOf({ real_paths }: Exclude<Verdict, { readonly verdict: "deny" }>): Permitted {
  return real_paths === undefined ? {} : { permitted_paths: real_paths };
}

type Question = Wish &
  Permitted & { readonly verdict: Verdict & { readonly verdict: "ask" }; readonly covered: Covered };

async function askPerson(engine: Engine, live: Live, question: Question, signal: AbortSignal): Promise<Reply> {
  const { call, intent, verdict, covered } = question;
  const { reason, proposal = [], proposal_text = [] } = verdict;
  setState(engine, live, "asking");
  const detail = await detailOf(engine, question);
  let approval_id = "";
  const show = (id: string): void => {
    approval_id = id;
    engine.emit({
      type: "approval_asked",
      agent_uuid: live.uuid,
      ...(live.name === undefined ? {} : { agent_name: live.name }),
      approval_id,
      tool_call_id: call.id,
      name: call.name,
      summary: intent.summary,
      ...(detail === undefined ? {} : { detail: shortened(detail) }),
      ...(reason === undefined ? {} : { reason }),
      ...(proposal.length === 0 ? {} : { proposal }),
      ...(proposal_text.length === 0 ? {} : { proposal_text }),
    });
  };
  const reply = await engine.questions.ask(signal, show, covered);
  engine.emit({ type: "approval_settled", agent_uuid: live.uuid, approval_id, allowed: reply.allowed });
  return reply;
}

/** The whole of what is about to be done: a command, a diff, or else the arguments themselves. */
async function detailOf({ world }: Engine, question: Question): Promise<string | undefined> {
  const { tool, call, intent, permitted_paths } = question;
  const { cwd, root } = world;
  const place = { cwd, root, ...(permitted_paths === undefined ? {} : { permitted_paths }) };
  // A file that cannot be read now is told about when the tool runs.
  const shown = await tool.preview?.(call.arguments, place).catch(() => undefined);
  return shown ?? intent.detail ?? (tool.preview === undefined ? undefined : argumentsText(call.arguments));
}

function argumentsText(args: JsonObject): string {
  return JSON.stringify(args, undefined, 2);
}

function shortened(text: string): string {
  if (text.length <= detailMax) return text;
  return `${text.slice(0, detailMax)}\n[… ${text.length - detailMax} more characters]`;
}

/** More than this nobody reads before saying yes. */
const detailMax = 200_000;
