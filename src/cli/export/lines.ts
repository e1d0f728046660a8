import type { HistoryLine, Store } from "../../store/index.ts";

export type LineOptions = {
  /** Takes keys out of JSON. */
  readonly hideJson: (text: string) => string;
  /** Whether bytes hold a key. */
  readonly holdsSecret: (bytes: Uint8Array) => boolean;
  /** Told of each file whose bytes are not in the export. */
  readonly onLeftOut: (line: HistoryLine & { readonly type: "blob" }) => void;
};

/** A history as JSON Lines: imported and exported again, the lines are the same. */
export async function* jsonLines(
  store: Store,
  session_uuid: string | undefined,
  { hideJson, holdsSecret, onLeftOut }: LineOptions,
): AsyncGenerator<string, void, undefined> {
  for await (const line of store.transfer.lines(session_uuid)) {
    // With a part of them replaced, bytes would no longer be what their hash says.
    if (line.type === "blob" && holdsSecret(Buffer.from(line.base64, "base64"))) onLeftOut(line);
    else yield `${escaped(hideJson(JSON.stringify(line)))}\n`;
  }
}

/** Some readers take these for the end of a line, some terminals for orders. They stand in strings only. */
function escaped(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
