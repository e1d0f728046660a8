import type { Migration } from "../../engine.ts";
import { sql as history } from "./0001-history.ts";
import { sql as screens } from "./0002-screens.ts";

/** In order, never changed once released: a change is a new one. */
export const migrations: readonly Migration[] = [
  { version: 1, name: "history", sql: history },
  { version: 2, name: "screens", sql: screens },
];
