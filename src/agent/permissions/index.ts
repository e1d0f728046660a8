/** What agents may do: rules, what a call touches, and the answer of a person. */
export { decide, type PermissionContext, type Verdict } from "./decide.ts";
export { rulesFrom, type Rule } from "./rules.ts";
export { privateFoldersFor } from "./sensitive.ts";
export { sessionPermissions } from "./session.ts";
