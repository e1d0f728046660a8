/**
 * 16 random bytes as 22 characters of base64url: the id of a session, an agent, a letter. People type these, so none looks
 * like an option of the command line.
 */
export function newUuid(): string {
  const uuid = base64url(crypto.getRandomValues(new Uint8Array(16)));
  return uuid.startsWith("-") ? newUuid() : uuid;
}

/** The same with the time in front, so that the index of a million entries grows at its end. */
export function newEntryUuid(now: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  new DataView(bytes.buffer).setUint32(0, Math.floor(now / 65_536));
  new DataView(bytes.buffer).setUint16(4, now % 65_536);
  return base64url(bytes);
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
