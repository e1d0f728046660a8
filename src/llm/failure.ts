import { errorInfo, type ErrorInfo } from "../core/index.ts";

/** Thrown inside the provider layer, caught once, handed out as a value. */
export class Failure extends Error {
  readonly info: ErrorInfo;
  constructor(info: ErrorInfo) {
    super(info.message);
    this.name = "Failure";
    this.info = info;
  }
}

/** A request that must not be sent. */
export function invalidArgument(message: string): Failure {
  return new Failure(errorInfo({ category: "invalid_argument", message }));
}
