/** What agents may do: rules, what a call touches, and the answer of a person. */
export { decide, strictest, type PermissionContext, type Verdict } from "./decide.ts";
export { type Decision, type Rule } from "./rules.ts";
export { sessionPermissions, type Answered, type PermissionOptions, type SessionPermissions } from "./session.ts";
