import type { Io } from "../io.ts";
import type { Finding, Fixable } from "./finding.ts";

export function checkNode(version: string): readonly Fixable[] {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const enough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  if (enough) return [{ area: "node", severity: "ok", message: version }];
  const message = `${version} is too old: ${oldestNode.join(".")} or newer is needed`;
  return [{ area: "node", severity: "error", message, mend: "install a newer Node from https://nodejs.org" }];
}

export function checkTerminal(io: Io): readonly Fixable[] {
  const env = io.env ?? {};
  const found = (severity: Finding["severity"], message: string, mend?: string): Finding => ({
    area: "terminal",
    severity,
    message,
    ...(mend === undefined ? {} : { mend }),
  });
  if (io.screen === undefined) return [found("info", "the output is not a terminal")];
  const { columns, rows, colour_bits } = io.screen;
  const term = env["TERM"] ?? "";
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  const colours = env["NO_COLOR"]
    ? "no colours (NO_COLOR)"
    : colour_bits === 1
      ? "no colours"
      : `${2 ** colour_bits} colours`;
  return [
    found("ok", `${term === "" ? "unknown kind" : term}, ${columns}×${rows}, ${colours}`),
    ...(term === "dumb"
      ? [found("warning", "TERM is dumb: only plain output is possible", "set TERM to what your terminal is")]
      : []),
    ...(columns < columnsMin
      ? [found("warning", `${columns} columns are narrow`, `make the window at least ${columnsMin} columns wide`)]
      : []),
    ...(process.platform === "win32" || /utf-?8/i.test(locale)
      ? []
      : [found("warning", "the locale is not UTF-8: signs beyond ASCII may look wrong", "export LANG=C.UTF-8")]),
  ];
}

const oldestNode = [22, 19] as const;
const columnsMin = 40;
