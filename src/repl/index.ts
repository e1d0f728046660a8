/** The program people open: a screen over agents, or lines where there is no screen. */
export type * from "./host.ts";
export type * from "./services.ts";
export { runScreen, type ScreenWorld } from "./screen/index.ts";
