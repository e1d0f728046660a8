import { isJsonObject, type JsonObject, type Opaque, type ToolCallId } from "../../../core/index.ts";
import type { BlockWriter } from "../../writer.ts";
import { kindNamed, newItem, textIn, type Item, type Kind } from "./kinds.ts";
import type { ResponsesQuirks } from "./quirks.ts";

/**
 * The output items of one answer. They are found by `output_index`, never by id: some gateways give an item another id
 * in every event.
 */
export type Items = {
  readonly added: (index: number | undefined, item: JsonObject) => void;
  readonly done: (index: number | undefined, item: JsonObject) => void;
  /** The item that something was streamed of. One that nobody announced is made, where its kind is known from that. */
  readonly at: (index: number | undefined, kind?: Kind) => Item | undefined;
  /** Takes from the final response what the stream left out. */
  readonly finish: (output: unknown) => void;
  readonly flush: () => void;
  readonly hasCall: () => boolean;
  /** There is text, and all of it is a refusal. */
  readonly onlyRefusal: () => boolean;
};

type Slot = { readonly item: Item; readonly index: number; announced: boolean; done: boolean; id: string };

export function createItems(context: {
  readonly out: BlockWriter;
  readonly newId: () => ToolCallId;
  readonly opaque: (data: JsonObject) => Opaque;
  readonly quirks: Pick<ResponsesQuirks, "custom_tool_calls">;
}): Items {
  const kindFor = (kind: Kind): Kind =>
    kind === "custom_tool_call" && !context.quirks.custom_tool_calls ? "other" : kind;
  const kindOf = (type: unknown): Kind => kindFor(kindNamed(type));
  const slots: Slot[] = [];
  const byIndex = new Map<number, Slot>();
  const callIds = new Set<string>();
  let latest: Slot | undefined;

  const callId = (given: string): ToolCallId => {
    const id = given === "" || callIds.has(given) ? context.newId() : given;
    callIds.add(id);
    return id;
  };

  const make = (wanted: number | undefined, kind: Kind): Slot => {
    const next = slots.reduce((highest, slot) => Math.max(highest, slot.index), -1) + 1;
    const index = wanted === undefined || byIndex.has(wanted) ? next : wanted;
    const item = newItem(kind, index, { out: context.out, callId, opaque: context.opaque });
    latest = { item, index, announced: false, done: false, id: "" };
    slots.push(latest);
    byIndex.set(wanted ?? index, latest);
    return latest;
  };

  const find = (index: number | undefined): Slot | undefined => (index === undefined ? latest : byIndex.get(index));

  const added = (index: number | undefined, item: JsonObject): void => {
    const known = find(index);
    const kind = kindOf(item["type"]);
    // An index that is announced a second time, or after its end, is the next item of a server that does not count.
    const isNew = known === undefined || known.announced || known.done || known.item.kind !== kind;
    const slot = isNew ? make(index, kind) : known;
    slot.announced = true;
    slot.item.added?.(item);
  };

  const done = (index: number | undefined, item: JsonObject): void => {
    const known = find(index);
    const id = textIn(item, "id");
    if (known?.done === true && known.id === id) return;
    const fits = known !== undefined && !known.done && known.item.kind === kindOf(item["type"]);
    const slot = fits ? known : make(index, kindOf(item["type"]));
    slot.done = true;
    slot.id = id;
    slot.item.done(item);
  };

  return {
    added,
    done,
    at(index, kind) {
      const known = find(index);
      if (known === undefined) return kind === undefined ? undefined : make(index, kindFor(kind)).item;
      return known.done ? undefined : known.item;
    },
    finish(output) {
      const final = Array.isArray(output) ? output.filter(isJsonObject) : [];
      const missing = final.length > slots.filter((slot) => slot.done).length;
      const ids = new Set(slots.filter((slot) => slot.done && slot.id !== "").map((slot) => slot.id));
      final.forEach((item, index) => {
        if (missing && !ids.has(textIn(item, "id")) && byIndex.get(index)?.done !== true) done(index, item);
      });
      for (const { item, index, id } of slots) {
        const twin = final.find((candidate) => id !== "" && textIn(candidate, "id") === id) ?? final[index];
        item.finish?.(twin !== undefined && kindOf(twin["type"]) === item.kind ? twin : undefined);
      }
    },
    flush: () => slots.forEach(({ item }) => item.flush?.()),
    hasCall: () => slots.some(({ item }) => item.isCall?.() === true),
    onlyRefusal() {
      const said = slots.map(({ item }) => item.says?.());
      return said.some((says) => says?.refusal) && !said.some((says) => says?.text);
    },
  };
}
