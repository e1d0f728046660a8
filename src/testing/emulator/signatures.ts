/**
 * Signatures and encrypted blobs in the shape of the real ones, which the emulator can check later without having
 * kept them. A keyed checksum, not cryptography: it tells forgeries and edits in tests apart, nothing more.
 */
import { fingerprint } from "../../core/hash.ts";
import { seededRandom } from "./random.ts";

/** `plain` is base64 and nothing else. */
export type Shape = "anthropic" | "openai" | "google" | "plain";

export type Claim = {
  readonly shape: Shape;
  /** What the blob belongs to: thinking, redacted, reasoning, text, call:<name>. */
  readonly kind: string;
  readonly model: string;
  /** The conversation the block may stand in, where the model binds to it. */
  readonly prefix?: string;
  /** The text the blob vouches for. */
  readonly content: string;
};

export type Verdict = "good" | "malformed" | "foreign" | "modified" | "other_kind" | "other_model" | "other_prefix";

export type Signatures = {
  readonly sign: (claim: Claim, nonce: string) => string;
  readonly verify: (blob: string, claim: Claim) => Verdict;
};

export function makeSignatures(secret: string): Signatures {
  function mac(text: string): string {
    return [1, 2, 3].map((lane) => fingerprint(`${secret}|${text}`, lane)).join("");
  }
  function sign(claim: Claim, nonce: string): string {
    const head = [
      claim.shape,
      mac(claim.kind),
      mac(claim.model),
      claim.prefix ?? "",
      nonce,
      mac(nonce + claim.content),
    ];
    const payload = head.join("|");
    return wrap(claim.shape, `${payload}|${mac(payload)}|${seededRandom(nonce).letters(96)}`);
  }
  function verify(blob: string, claim: Claim): Verdict {
    const payload = unwrap(claim.shape, blob);
    if (payload === undefined) return "malformed";
    const fields = payload.split("|");
    const [shape, kind, model, prefix, nonce = "", content, seal] = fields;
    if (seal === undefined || mac(fields.slice(0, 6).join("|")) !== seal || shape !== claim.shape) return "foreign";
    if (kind !== mac(claim.kind)) return "other_kind";
    if (content !== mac(nonce + claim.content)) return "modified";
    if (model !== mac(claim.model)) return "other_model";
    if (claim.prefix !== undefined && prefix !== claim.prefix) return "other_prefix";
    return "good";
  }
  return { sign, verify };
}

/** Real ones are base64 of a message whose first field is number 2 (so they begin with E), or begin with gAAAAA. */
function wrap(shape: Shape, text: string): string {
  if (shape === "plain") return btoa(text);
  if (shape === "openai") return `gAAAAA${btoa(text).replaceAll("+", "-").replaceAll("/", "_")}`;
  return btoa(`\u0012${String.fromCharCode(text.length & 0x7f)}${text}`);
}

function unwrap(shape: Shape, blob: string): string | undefined {
  try {
    if (shape === "plain") return atob(blob);
    if (shape !== "openai") return atob(blob).slice(2);
    if (!blob.startsWith("gAAAAA")) return undefined;
    return atob(blob.slice(6).replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
}
