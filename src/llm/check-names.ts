import type { Finding, Settings } from "./settings.ts";

/** Aliases, routes and chains, as far as they can be judged without asking anybody. */
export function checkNames(settings: Settings): readonly Finding[] {
  const aliases: Readonly<Record<string, unknown>> = settings.aliases ?? {};
  const routes: Readonly<Record<string, unknown>> = settings.routes ?? {};
  const { fallback }: { readonly fallback?: unknown } = settings;
  const isChain = Array.isArray(fallback) && fallback.every(isName);
  return [
    ...Object.entries(aliases).flatMap(([name, model]) => aliasProblem(name, model, aliases)),
    ...Object.entries(routes).flatMap(([purpose, model]) =>
      isName(model) ? [] : [`routes.${purpose} must name a model or an alias`],
    ),
    ...(fallback === undefined || isChain ? [] : ["fallback must be a list of models"]),
  ].map((message): Finding => ({ provider: "", severity: "error", message }));
}

function aliasProblem(name: string, model: unknown, aliases: Readonly<Record<string, unknown>>): readonly string[] {
  if (name.trim() === "" || /[\s/:]/.test(name))
    return [`aliases: "${name}" cannot be a name; leave out blanks, / and :`];
  if (!isName(model)) return [`aliases.${name} must name a model`];
  const seen = [name];
  for (let next = targetOf(model); isName(aliases[next]) && next !== seen.at(-1); next = targetOf(aliases[next])) {
    if (seen.includes(next)) return circle(name, seen.slice(seen.indexOf(next)));
    seen.push(next);
  }
  return [];
}

/** Told once, of the first of its names, and not of those that only lead into it. */
function circle(name: string, names: readonly string[]): readonly string[] {
  if (names.toSorted()[0] !== name) return [];
  return [`aliases.${name} stands for itself: ${[...names, name].join(" → ")}`];
}

function targetOf(model: unknown): string {
  return String(model).replace(/\/[^/]*$/, "");
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
