import { isJsonObject, type JsonObject } from "../../../core/index.ts";

/**
 * `reasoning_details` arrive as fragments of entries. Neighbours of the same type and index are one entry: their text
 * is joined, and what only a later fragment has (the signature) is added. Encrypted entries stand by themselves.
 */
export type DetailsMerger = {
  readonly push: (fragment: JsonObject) => void;
  readonly flush: () => void;
};

type Entry = {
  readonly fields: Record<string, JsonObject[string]>;
  readonly pieces: string[];
  readonly part: "text" | "summary";
  signed: boolean;
};

export function createDetailsMerger(out: {
  /** A new entry begins. */
  readonly open: () => void;
  readonly text: (text: string) => void;
  /** The entry is whole. */
  readonly close: (entry: JsonObject) => void;
}): DetailsMerger {
  let open: Entry | undefined;
  const flush = (): void => {
    if (open === undefined) return;
    const { fields, part, pieces } = open;
    open = undefined;
    out.close(pieces.length === 0 ? fields : { ...fields, [part]: pieces.join("") });
  };
  return {
    push(fragment) {
      const part = fragment["type"] === "reasoning.summary" ? "summary" : "text";
      if (open !== undefined && !continues(open, fragment)) flush();
      if (open === undefined) {
        open = { fields: {}, pieces: [], part, signed: false };
        out.open();
      }
      add(open, fragment);
      const piece = fragment[open.part];
      if (typeof piece === "string" && piece !== "") out.text(piece);
      if (!isMerged(fragment)) flush();
    },
    flush,
  };
}

/** The readable part of a fragment. */
export function readableOf(fragment: JsonObject): string {
  const { text, summary } = fragment;
  return typeof text === "string" ? text : typeof summary === "string" ? summary : "";
}

export function detailsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function continues(entry: Entry, fragment: JsonObject): boolean {
  const { fields } = entry;
  if (fields["type"] !== fragment["type"] || !isMerged(fragment)) return false;
  if (differ(fields["index"], fragment["index"]) || differ(fields["id"], fragment["id"])) return false;
  // A signature ends its text; more text after it belongs to the next entry.
  return !(entry.signed && readableOf(fragment) !== "");
}

function isMerged({ type }: JsonObject): boolean {
  return type === "reasoning.text" || type === "reasoning.summary";
}

function differ(left: unknown, right: unknown): boolean {
  return left !== undefined && left !== null && right !== undefined && right !== null && left !== right;
}

function add(entry: Entry, fragment: JsonObject): void {
  for (const [key, value] of Object.entries(fragment)) {
    if (key === entry.part && typeof value === "string") {
      entry.pieces.push(value);
      // Holds the place of the text among the other fields.
      entry.fields[key] ??= "";
    } else if (!(key in entry.fields) || (value !== null && value !== "" && value !== undefined)) {
      entry.fields[key] = value;
    }
  }
  if (typeof fragment["signature"] === "string" && fragment["signature"] !== "") entry.signed = true;
}
