/** What the victim of a kill reports. */
export type Report =
  | { readonly ready: true }
  | { readonly agent_uuid: string; readonly uuid: string }
  | { readonly agent_uuid: string; readonly draft: string; readonly turn: number; readonly characters: number };

/** The same words for the same turn, in any process. */
export function pieces(turn: number): readonly string[] {
  return Array.from({ length: 40 + (turn % 5) * 10 }, (_, index) => `turn ${turn} word ${index} `);
}

export function answerText(turn: number): string {
  return pieces(turn).join("");
}
