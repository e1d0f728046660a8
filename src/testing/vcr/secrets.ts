/** What must never be written to disk: keys of providers, in any of the shapes they have. */

export type SecretFinding = {
  /** Whose it looks like. */
  readonly what: string;
  /** Its first characters, enough to find it. */
  readonly shown: string;
};

/** Looks for keys by their shapes, and for the very values in `known` wherever they turn up. */
export function findSecrets(text: string, known: readonly string[] = []): readonly SecretFinding[] {
  const byShape = shapes.flatMap(({ what, pattern }) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [{ what, shown: beginning(found) }];
  });
  const byValue = known
    .filter((value) => value.length >= knownLengthMin && text.includes(value))
    .map((value) => ({ what: "the key that was sent", shown: beginning(value) }));
  return [...byShape, ...byValue];
}

/** The values of the headers that carry keys. */
export function keysIn(headers: Headers): readonly string[] {
  return keyHeaders.flatMap((name) => {
    const value = headers.get(name)?.replace(/^(Bearer|Basic)\s+/i, "");
    return value === undefined ? [] : [value];
  });
}

function beginning(secret: string): string {
  return `${secret.slice(0, 8)}…`;
}

/** A key for tests may be a common word; those of providers are longer. */
const knownLengthMin = 16;

const keyHeaders = ["authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie", "proxy-authorization"];

const shapes: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: "an Anthropic key", pattern: /sk-ant-[\w-]{8,}/ },
  { what: "an OpenAI key", pattern: /\bsk-(?:proj|svcacct|admin|None)-[\w-]{8,}|\bsk-[A-Za-z0-9]{32,}/ },
  { what: "an OpenRouter key", pattern: /\bsk-or-[\w-]{8,}/ },
  { what: "a Google key", pattern: /\bAIza[\w-]{20,}|\bAQ\.[\w-]{20,}|\bya29\.[\w-]{20,}/ },
  { what: "an xAI key", pattern: /\bxai-[A-Za-z0-9]{16,}/ },
  { what: "a Groq key", pattern: /\bgsk_[A-Za-z0-9]{16,}/ },
  { what: "a Perplexity key", pattern: /\bpplx-[A-Za-z0-9]{16,}/ },
  { what: "a Cerebras key", pattern: /\bcsk-[A-Za-z0-9]{16,}/ },
  { what: "an NVIDIA key", pattern: /\bnvapi-[\w-]{16,}/ },
  { what: "a Hugging Face token", pattern: /\bhf_[A-Za-z0-9]{16,}/ },
  { what: "a Databricks token", pattern: /\bdapi[a-f0-9]{32}/ },
  { what: "a Vercel key", pattern: /\bvck_[A-Za-z0-9]{16,}/ },
  { what: "a GitHub token", pattern: /\bgh[opsu]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{16,}/ },
  { what: "an AWS key", pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bABSK[A-Za-z0-9+/]{32,}/ },
  { what: "a signed token", pattern: /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/ },
  { what: "a bearer token", pattern: /\bBearer\s+[\w.~+/-]{16,}/i },
  { what: "a key in a header", pattern: /\b(?:x-api-key|x-goog-api-key|api-key)[\\"'\s:=]+[\w-]{16,}/i },
  { what: "a key in an address", pattern: /[?&](?:key|api_?key|access_token)=[^&\s"'*]{6,}/i },
];
