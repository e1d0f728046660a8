import { basename, sep } from "node:path";
import { isInside, realPath } from "./real-path.ts";
import { globMark, unknownMark } from "./shell-words.ts";

/** Why a path is never read or written without a question, whatever the rules say; undefined where it is not special. */
export function secretReason(path: string): string | undefined {
  const parts = path.toLowerCase().split(/[/\\]/);
  const name = parts.at(-1) ?? "";
  if (name.endsWith(".pub") || exampleNames.test(name)) return undefined;
  if (secretNames.test(name)) return `${basename(path)} may hold secrets`;
  const folder = parts.find((part) => secretFolders.has(part));
  if (folder !== undefined) return `${folder} holds keys and secrets`;
  return secretPaths.test(path) ? `${path} may hold secrets` : undefined;
}

/** Why a path is never written without a question: whoever writes there decides what runs later, or what is permitted. */
export function powerReason(path: string): string | undefined {
  return powerPaths.test(path) ? `what is in ${basename(path)} may be run, or decides what is permitted` : undefined;
}

/** Files of ours with keys in them: no tool ever touches them. */
export function isForbidden(path: string, privateFolders: readonly string[]): boolean {
  return basename(path).toLowerCase() === "credentials.json" && isPrivate(path, privateFolders);
}

/** Our settings and histories hold passwords of servers and databases, and decide what is permitted. */
export function privateReason(path: string, place: Place): string | undefined {
  const isOurs = isPrivate(path, privateFoldersFor(place));
  return isOurs ? `${path} is ikigai's own: it may hold secrets` : undefined;
}

/** A project inside of one of them is not ours for that. */
export function privateFoldersFor({ root, private_folders = [] }: Place): readonly string[] {
  return private_folders.map(realPath).filter((folder) => !isInside(realPath(root), folder));
}

type Place = { readonly root: string; readonly private_folders?: readonly string[] };

function isPrivate(path: string, privateFolders: readonly string[]): boolean {
  return privateFolders.some((folder) => isInside(path, folder) || isInside(path, realPath(folder)));
}

/** Whether what a word may become could be a secret: `cat cred*`, `cat ~/.s?h/id_rsa`, `$HOME/.ssh/x`. */
export function shapeReason(shape: string): string | undefined {
  if (!shape.includes(globMark) && !shape.includes(unknownMark)) return secretReason(shape);
  const parts = shape.split(sep);
  const known = secretReason(parts.map((part) => (isUnknown(part) ? "x" : part)).join(sep));
  if (known !== undefined) return known;
  const caught = parts.some((part, index) => {
    if (!part.includes(globMark) && !part.includes(unknownMark)) return false;
    if (part.replaceAll(unknownMark, "") === "") return false;
    const pattern = matcher(part);
    return (index === parts.length - 1 ? sampleNames : [...secretFolders]).some((name) => {
      // A star does not find what begins with a dot.
      return pattern.test(name) && !(name.startsWith(".") && part.startsWith(globMark));
    });
  });
  return caught ? "it may read a file with secrets" : undefined;
}

function isUnknown(part: string): boolean {
  return part.includes(globMark) || part.includes(unknownMark);
}

function matcher(part: string): RegExp {
  const escaped = part.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll(globMark, ".*").replaceAll(unknownMark, ".*")}$`, "s");
}

const secretNames = new RegExp(
  [
    "^credentials(?:\\.\\w+)?$",
    "^\\.env(?:\\..+)?$",
    "^\\.?(?:netrc|npmrc|pypirc|pgpass|git-credentials|htpasswd|dockercfg|vault-token|my\\.cnf)$",
    "^id_(?:rsa|dsa|ecdsa|ed25519)",
    "\\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$",
    "^(?:service[-_]?account|client_secret).*\\.json$",
    "^secrets?\\.(?:json|ya?ml|toml|env|txt)$",
    "^\\.(?:bash|zsh|python|node_repl|psql)_history$",
  ].join("|"),
);
const exampleNames = /^\.env\.(?:example|sample|template|dist)$/;
export const secretFolders: ReadonlySet<string> = new Set([
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".password-store",
  "gcloud",
]);
const secretPaths = /^\/etc\/(?:shadow|gshadow|sudoers)|^\/proc\/[^/]+\/(?:environ|mem|maps|fd)|\/\.config\/gh\//;

/** One name for each kind, to hold patterns against. */
const sampleNames = [
  "credentials",
  "credentials.json",
  ".env",
  ".env.local",
  ".netrc",
  ".npmrc",
  ".git-credentials",
  "id_rsa",
  "id_ed25519",
  "server.pem",
  "private.key",
  "environ",
  "shadow",
];

const powerPaths =
  /\/\.git\/(?:hooks\/|config$|info\/attributes$)|\/\.ikigai(?:\/|$)|\/ikigai\/config\.json$|\/\.(?:bash|zsh)rc$|\/\.(?:bash_|z)?profile$|\/\.gitconfig$|\/\.husky\/|\/\.vscode\/(?:tasks|settings)\.json$|\/\.envrc$|^\/etc\/|^\/dev\/(?!null$|stdout$|stderr$|tty$)/;
