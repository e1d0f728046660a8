/**
 * The environment that tools are given: what programs need to run, and nothing that opens a door. A name that looks like
 * a secret stays out even where a person has allowed it by a pattern.
 */
export function toolEnvironment(
  env: { readonly [name: string]: string | undefined },
  alsoAllowed: readonly string[] = [],
): Readonly<Record<string, string>> {
  const allowed = new Set([...allowedNames, ...alsoAllowed]);
  const passed = Object.entries(env).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    if (value === undefined || looksSecret(name) || hasCredentials(value)) return [];
    return allowed.has(name) || allowedStarts.some((start) => name.startsWith(start)) ? [[name, value]] : [];
  });
  return { ...Object.fromEntries(passed), ...forcedValues };
}

function looksSecret(name: string): boolean {
  return secretWords.test(name);
}

/** An address with a password in it: `http://user:word@proxy`. */
function hasCredentials(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/\s@]*:[^/\s@]+@/i.test(value);
}

const secretWords = /KEY|TOKEN|SECRET|PASS|PWD$(?<!^PWD|^OLDPWD)|CREDENTIAL|AUTH|COOKIE|SESSION(?!_TYPE)|PRIVATE|DSN/i;

const allowedStarts = ["LC_", "XDG_"];

const allowedNames = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TERM",
  "COLORTERM",
  "TZ",
  "TMPDIR",
  "TMP",
  "TEMP",
  "PWD",
  "HOSTNAME",
  "EDITOR",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "CI",
  "NO_COLOR",
  "NODE_ENV",
  "NVM_DIR",
  "JAVA_HOME",
  "GOPATH",
  "GOROOT",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "PYENV_ROOT",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  // Windows cannot start a program without these.
  "SystemRoot",
  "ComSpec",
  "PATHEXT",
  "APPDATA",
  "LOCALAPPDATA",
  "USERPROFILE",
  "PROGRAMFILES",
];

/** Nobody is there to press a key, to leave a pager or to type a password. */
const forcedValues = { PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", DEBIAN_FRONTEND: "noninteractive" };
