import type { AgentSummary, Totals } from "../../agent/index.ts";
import { elapsed } from "../../term/index.ts";
import type { Activity } from "../host.ts";
import { modelText, money, plural, shortCount, shortId, stateText } from "./figures.ts";

export type TreeRow = {
  readonly agent: AgentSummary;
  /** Branches, id, name, model and what it does. */
  readonly label: string;
  /** Tokens and money, its own and of its tree; letters. */
  readonly hint: string;
};

export type TreeView = {
  readonly here: string;
  readonly now: number;
  readonly activity: (agent_uuid: string) => Activity | undefined;
};

/** Parents before children, each child below its parent. */
export function treeRows(all: readonly AgentSummary[], view: TreeView): readonly TreeRow[] {
  const known = new Set(all.map(({ uuid }) => uuid));
  const below = Map.groupBy(all, ({ parent_uuid }) => (known.has(parent_uuid ?? "") ? parent_uuid : undefined));
  const rows = (uuid: string | undefined, indent: string): readonly TreeRow[] => {
    const children = below.get(uuid) ?? [];
    return children.flatMap((agent, index) => {
      const last = index === children.length - 1;
      const branch = uuid === undefined ? "" : last ? "└ " : "├ ";
      const deeper = uuid === undefined ? "" : last ? "  " : "│ ";
      const grandchildren = (below.get(agent.uuid) ?? []).length;
      return [
        treeRow(agent, { ...view, before: indent + branch, grandchildren }),
        ...rows(agent.uuid, indent + deeper),
      ];
    });
  };
  return rows(undefined, "");
}

function treeRow(
  agent: AgentSummary,
  {
    here,
    now,
    activity,
    before,
    grandchildren,
  }: TreeView & { readonly before: string; readonly grandchildren: number },
): TreeRow {
  const { tool, since, unread = 0 } = activity(agent.uuid) ?? {};
  const name = agent.name ?? (agent.parent_uuid === undefined ? "root" : undefined);
  const time = since === undefined ? "" : ` ${elapsed(now - since)}`;
  const words = [shortId(agent.uuid), name, modelText(agent.model), `${stateText(agent, tool)}${time}`];
  const hints = [
    spentText(agent.totals),
    ...(grandchildren === 0 ? [] : [`tree ${spentText(agent.tree_totals)}`]),
    ...(agent.queued === 0 ? [] : [`${agent.queued} queued`]),
    ...(unread === 0 ? [] : [`✉ ${plural(unread, "letter")}`]),
    ...(agent.uuid === here ? ["you are here"] : []),
  ];
  return { agent, label: before + words.filter((word) => word !== undefined).join(" "), hint: hints.join(" · ") };
}

function spentText(totals: Totals): string {
  return `${shortCount(totals.usage?.total_tokens ?? 0)} tok ${money(totals)}`;
}
