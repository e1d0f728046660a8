/** A recording that is missing, does not fit, or must not be written. */
export class RecordingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RecordingError";
  }
}
