/** The program people open: a screen over agents, or lines where there is no screen. */
export type * from "./host.ts";
export type * from "./services.ts";
export type { PlainWorld } from "./plain/world.ts";
export type { ScreenWorld } from "./screen/state.ts";
/** `runScreen` */
export const loadScreen = () => import("./screen/index.ts");
/** `runPlain` */
export const loadPlain = () => import("./plain/index.ts");
