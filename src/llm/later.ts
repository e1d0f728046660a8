/** What few requests need, in one piece that is loaded with the first that does. */
export { expandAlias } from "./aliases.ts";
export { prepareChain } from "./fallback.ts";
export { resolveLocally } from "./local-servers.ts";
export { refusalAdvice } from "./refusal-advice.ts";
export { retirementOnce } from "./retirement.ts";
export { structuredOutput } from "./structured.ts";
