export type Summary = { readonly median: number; readonly low: number; readonly high: number; readonly count: number };

/** The middle, and the quarter below and above it. */
export function summarise(values: readonly number[]): Summary {
  const sorted = values.toSorted((left, right) => left - right);
  return { median: at(sorted, 0.5), low: at(sorted, 0.25), high: at(sorted, 0.75), count: sorted.length };
}

/** Each value against the one measured beside it, so that a busy moment of the machine touches both. */
export function ratios(values: readonly (number | undefined)[], base: readonly (number | undefined)[]): number[] {
  return values.flatMap((value, index) => {
    const other = base[index];
    return value === undefined || other === undefined || other === 0 ? [] : [value / other];
  });
}

function at(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? 0;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}
