import type { Note } from "../../../core/index.ts";

/** Something that was asked for and has no place in this request. */
export function leftOut(name: string, why: string): Note {
  return { code: "parameter_left_out", message: `${name} was left out: ${why}` };
}
