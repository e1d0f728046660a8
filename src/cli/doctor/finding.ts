/** One thing the doctor looked at. Plain data for `--json`; holds no secrets. */
export type Finding = {
  readonly area: Area;
  readonly severity: "ok" | "info" | "warning" | "error";
  readonly message: string;
  /** What to do about it. */
  readonly mend?: string;
  /** It was wrong and is not any more. */
  readonly fixed?: true;
};

export type Area = "node" | "config" | "credentials" | "keys" | "model" | "database" | "terminal" | "network";

/** What `--fix` may do about a finding. */
export type Fixable = Finding & { readonly fix?: () => void };

/** Carries out what can be mended, where that was asked for. */
export function settle(findings: readonly Fixable[], fix: boolean): readonly Finding[] {
  return findings.map(({ fix: mendIt, ...finding }) => {
    if (mendIt === undefined) return finding;
    if (!fix) return { ...finding, mend: "ikigai doctor --fix" };
    try {
      mendIt();
      return { area: finding.area, severity: "ok", message: `${finding.message}; mended`, fixed: true };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { ...finding, severity: "error", mend: `could not be mended: ${reason}` };
    }
  });
}

export function report(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ area, severity, message, mend }) => [
    `${signs[severity]} ${area.padEnd(areaWidth)}${message}`,
    ...(mend === undefined ? [] : [`  ${" ".repeat(areaWidth)}→ ${mend}`]),
  ]);
  const count = (severity: Finding["severity"]): number => findings.filter((one) => one.severity === severity).length;
  const sum = `${plural(count("error"), "error")}, ${plural(count("warning"), "warning")}`;
  return `${[...lines, "", sum].join("\n")}\n`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

const areaWidth = 13;
const signs: { readonly [severity in Finding["severity"]]: string } = { ok: "✓", info: "·", warning: "⚠", error: "✗" };
