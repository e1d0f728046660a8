/** A conversation in no library's words. Drivers translate it into theirs before the clock starts. */
export type Turn =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly call?: HistoryCall }
  | { readonly role: "tool"; readonly call: HistoryCall; readonly text: string };

export type HistoryCall = { readonly id: string; readonly name: string; readonly arguments: HistoryArguments };
export type HistoryArguments = { readonly path: string; readonly content: string };

/** Rounds of question, call, result and answer until the texts are that long. */
export function longHistory(characters: number): readonly Turn[] {
  const turns: Turn[] = [];
  for (let round = 0, written = 0; written < characters; round++) {
    const call: HistoryCall = {
      id: `call_${String(round).padStart(24, "0")}`,
      name: "write_file",
      arguments: { path: `notes/${round}.md`, content: passage(round, 1_000) },
    };
    turns.push(
      { role: "user", text: passage(round, 1_000) },
      { role: "assistant", text: passage(round + 1, 1_000), call },
      { role: "tool", call, text: passage(round + 2, 6_000) },
      { role: "assistant", text: passage(round + 3, 1_000) },
    );
    written += 10_000;
  }
  return turns;
}

function passage(seed: number, characters: number): string {
  const sentence = `Line ${seed}: the file holds "notes" — and a path like src\\llm — once more.\n`;
  return sentence.repeat(Math.ceil(characters / sentence.length)).slice(0, characters);
}
