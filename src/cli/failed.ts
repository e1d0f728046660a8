import { ConfigError, problemText } from "../config/index.ts";
import { own } from "../core/index.ts";
import { IkigaiError } from "../llm/index.ts";
import { StoreError } from "../store/errors.ts";
import { exitCodes } from "./exit-codes.ts";
import { UsageError, type Io } from "./io.ts";

/** Says on stderr what went wrong and returns the exit code for it. */
export function failed(error: unknown, io: Io): number {
  if (error instanceof IkigaiError) {
    io.stderr(`ikigai: ${error.category}: ${error.message}\n`);
    return exitCodes[error.category];
  }
  if (error instanceof ConfigError) {
    for (const problem of error.problems) io.stderr(`ikigai: ${problemText(problem)}\n`);
    return exitCodes.invalid_argument;
  }
  if (error instanceof StoreError) {
    io.stderr(`ikigai: ${error.message}\n`);
    return own(storeExitCodes, error.kind) ?? 1;
  }
  if (error instanceof UsageError || isParseArgsError(error)) {
    io.stderr(`ikigai: ${error.message}\n`);
    return 2;
  }
  io.stderr(`ikigai: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}

/** Where a history cannot be used at all, 1. */
const storeExitCodes: { readonly [kind: string]: number } = {
  invalid: exitCodes.invalid_argument,
  not_found: exitCodes.not_found,
  auth: exitCodes.auth,
  connection: exitCodes.network,
  aborted: exitCodes.aborted,
};

function isParseArgsError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
