// Looks for what must never be committed: keys, hosts of package registries, paths of somebody's machine.
//
//   node tools/secrets.mjs

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { filesUnder, root } from "./files.mjs";

/** Shapes of real keys. A test that needs one joins it from pieces. */
const patterns = [
  { what: "an Anthropic key", pattern: /sk-ant-[\w-]{8,}/ },
  { what: "an OpenAI key", pattern: /sk-(?:proj|svcacct|admin)-[\w-]{8,}|\bsk-[A-Za-z0-9]{32,}/ },
  { what: "an OpenRouter key", pattern: /sk-or-[\w-]{8,}/ },
  { what: "a Google key", pattern: /AIza[\w-]{30,}|\bAQ\.[\w-]{20,}|\bya29\.[\w-]{20,}/ },
  { what: "an xAI key", pattern: /xai-[A-Za-z0-9]{20,}/ },
  { what: "a Groq key", pattern: /gsk_[A-Za-z0-9]{20,}/ },
  { what: "a Hugging Face key", pattern: /\bhf_[A-Za-z0-9]{20,}/ },
  { what: "a GitHub token", pattern: /\bgh[opsu]_[A-Za-z0-9]{30,}|github_pat_\w{30,}/ },
  { what: "an AWS key", pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/ },
  { what: "a private key", pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ },
  { what: "a bearer token", pattern: /[Bb]earer [\w.~+/-]{40,}/ },
  { what: "the host of a package registry", pattern: /\bregistry\.[a-z0-9-]+\.[a-z]+|"resolved": "https?:/ },
  {
    what: "a path of one machine",
    pattern: /\/(?:home|Users|root|work)\/(?!(?:somebody|me|you|user)\b)[A-Za-z][\w.-]*\//,
  },
];

/**
 * @param {string} text
 * @returns {{ line: number, what: string, text: string }[]}
 */
export function findSecrets(text) {
  return patterns.flatMap(({ what, pattern }) => {
    const found = pattern.exec(text);
    if (found === null) return [];
    return [{ what, line: text.slice(0, found.index).split("\n").length, text: `${found[0].slice(0, 12)}…` }];
  });
}

/** @returns {string[]} One line for every finding. */
export function scanRepository() {
  return filesUnder().flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return findSecrets(text).map((found) => `${path}:${found.line} looks like ${found.what}: ${found.text}`);
  });
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const findings = scanRepository();
  for (const finding of findings) console.error(finding);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
