import { codeOfError, StoreError, textOfError, type StoreErrorKind } from "../errors.ts";

/** What the server or the network said, in our words and without a password. */
export function postgresError(error: unknown, address: Address): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOfError(error);
  const text = scrub(textOfError(error), address);
  const kind = kindOf(code, text);
  const advice = (messages[kind] ?? "the database %s cannot be used").replace("%s", address.label);
  return new StoreError(kind, `${advice} (${text === "" ? (code ?? "no reason given") : text})`, code);
}

export type Address = {
  /** For people to read. */
  readonly label: string;
  /** Every way the password is written in the address. */
  readonly secrets: readonly string[];
  /** What is wrong with it. */
  readonly fault?: string;
};

/** `postgres://user:secret@host/db` → `postgres://user:***@host/db`. */
export function addressOf(url: string): Address {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  // What is not an address may still hold a password, and so may one that a password with `/`, `?` or `#` cuts in two.
  if (parsed === undefined || `${parsed.pathname}${parsed.search}${parsed.hash}`.includes("@")) {
    return { label: "the configured PostgreSQL address", secrets: [url], fault: unreadable };
  }
  const inQuery = parsed.searchParams.getAll("password");
  const secrets = [parsed.password, decoded(parsed.password), ...inQuery].filter((secret) => secret !== "");
  if (parsed.password !== "") parsed.password = "***";
  if (inQuery.length > 0) parsed.searchParams.set("password", "***");
  return { label: parsed.href, secrets };
}

/** Throws before anybody tries to reach what cannot be read. */
export function readableAddress(url: string): Address {
  const address = addressOf(url);
  if (address.fault !== undefined) throw new StoreError("invalid", `${address.label} ${address.fault}`);
  return address;
}

const unreadable =
  "cannot be read: it is postgres://user:password@host/database, with %40, %23, %2F and %3F for @, #, / and ? inside a name or password";

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function scrub(text: string, { secrets }: Address): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, "***"), text);
}

function kindOf(code: string | undefined, text: string): StoreErrorKind {
  if (code !== undefined) {
    const known = codeKinds[code] ?? classKinds[code.slice(0, 2)];
    if (known !== undefined) return known;
  }
  return /connection terminated|connection timeout|timeout exceeded|query read timeout|socket|ECONN|not queryable/i.test(
    text,
  )
    ? "connection"
    : "unknown";
}

const messages: { readonly [kind in StoreErrorKind]?: string } = {
  connection: "the database %s cannot be reached",
  auth: "the database %s does not accept this user or password",
  gone: "the database %s does not exist",
  disk_full: "the disk of the database %s is full: make room, and what waits in memory is written",
  read_only: "the database %s can be read but not written",
  permission: "this user may not do that in the database %s",
  locked: "somebody else holds rows of the database %s for longer than usual",
  corrupt: "the database %s is damaged",
  conflict: "the database %s refused a row that does not fit the others",
};

/** https://www.postgresql.org/docs/current/errcodes-appendix.html, and the names of Node's network errors. */
const codeKinds: { readonly [code: string]: StoreErrorKind | undefined } = {
  "25006": "read_only",
  "28000": "auth",
  "28P01": "auth",
  "3D000": "gone",
  "42501": "permission",
  "42P01": "gone",
  "40001": "locked",
  "40P01": "locked",
  "53100": "disk_full",
  "53300": "connection",
  "55P03": "locked",
  "57014": "aborted",
  "57P01": "connection",
  "57P02": "connection",
  "57P03": "connection",
  "57P04": "gone",
  "57P05": "connection",
  "58030": "io",
  ECONNREFUSED: "connection",
  ECONNRESET: "connection",
  EHOSTUNREACH: "connection",
  ENETUNREACH: "connection",
  ENOTFOUND: "connection",
  EAI_AGAIN: "connection",
  EPIPE: "connection",
  ETIMEDOUT: "connection",
};

const classKinds: { readonly [start: string]: StoreErrorKind | undefined } = {
  "08": "connection",
  "23": "conflict",
  "53": "io",
  XX: "corrupt",
};
