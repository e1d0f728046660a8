import { addUsage, type Usage } from "./usage.ts";
import type { CostSource } from "./models.ts";

/** One exchange with a model, as far as money is concerned. What a failed hop of a chain used counts as one too. */
export type Expense = {
  readonly provider?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** Absent: the price is not known. */
  readonly cost_usd?: number;
  readonly cost_source?: CostSource;
};

export type CostLine = {
  readonly exchanges: number;
  /** What is known; see `unpriced`. */
  readonly cost_usd: number;
  /** How much of it the providers themselves have billed. */
  readonly billed_usd: number;
  /** Exchanges whose price nobody knows. */
  readonly unpriced: number;
  readonly usage?: Usage;
};

export type CostReport = {
  readonly total: CostLine;
  readonly providers: readonly (CostLine & { readonly provider: string })[];
  readonly models: readonly (CostLine & { readonly provider: string; readonly model: string })[];
};

/** What a conversation cost: in all, by provider, by model, the dearest first. */
export function costReport(expenses: readonly Expense[]): CostReport {
  const providers = grouped(expenses, ({ provider = unknownName }) => provider);
  const models = grouped(expenses, ({ provider = unknownName, model = unknownName }) => `${provider}\n${model}`);
  return {
    total: lineOf(expenses),
    providers: dearestFirst([...providers].map(([provider, list]) => ({ provider, ...lineOf(list) }))),
    models: dearestFirst(
      [...models].map(([key, list]) => {
        const [provider = unknownName, model = unknownName] = key.split("\n");
        return { provider, model, ...lineOf(list) };
      }),
    ),
  };
}

function grouped(
  expenses: readonly Expense[],
  keyOf: (expense: Expense) => string,
): ReadonlyMap<string, readonly Expense[]> {
  const groups = new Map<string, Expense[]>();
  for (const expense of expenses) {
    const key = keyOf(expense);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [expense]);
    else group.push(expense);
  }
  return groups;
}

function lineOf(expenses: readonly Expense[]): CostLine {
  let usage: Usage | undefined;
  let [cost_usd, billed_usd, unpriced] = [0, 0, 0];
  for (const expense of expenses) {
    if (expense.usage !== undefined) usage = usage === undefined ? expense.usage : addUsage(usage, expense.usage);
    cost_usd += expense.cost_usd ?? 0;
    if (expense.cost_usd === undefined) unpriced += 1;
    else if (expense.cost_source === "provider") billed_usd += expense.cost_usd;
  }
  return { exchanges: expenses.length, cost_usd, billed_usd, unpriced, ...(usage === undefined ? {} : { usage }) };
}

function dearestFirst<Line extends CostLine>(lines: readonly Line[]): readonly Line[] {
  return lines.toSorted((left, right) => right.cost_usd - left.cost_usd);
}

const unknownName = "unknown";
