import type { Rule } from "../agent/permissions/index.ts";
import { coordinationTools } from "../agent/tools/coordinate.ts";
import type { Tool, ToolEffect } from "../agent/tools/index.ts";
import type { ToolRow } from "../repl/index.ts";

/** Every tool with what becomes of its calls, for people. What really decides looks at each call by itself. */
export function toolRows(tools: readonly Tool[], rules: readonly Rule[], folder: string): readonly ToolRow[] {
  return [...tools, ...coordinationTools(nobody)].map(({ definition: { name, description }, intent }) => ({
    name,
    description: firstSentence(description ?? ""),
    permission: ruleWords(name, rules) ?? effectWords[intent(sample, { cwd: folder, root: folder }).effect],
  }));
}

/** They are described here, not run. */
function nobody(): never {
  throw new Error("there are no agents to coordinate");
}

/** A rule for the tool and nothing more holds for every call of it. */
function ruleWords(name: string, rules: readonly Rule[]): string | undefined {
  const own = rules.filter(({ tool, path, command, host }) => {
    return tool === name && path === undefined && command === undefined && host === undefined;
  });
  const decision = ["deny", "allow", "ask"].find((word) => own.some((rule) => rule.decision === word));
  return decision === undefined ? undefined : decisionWords[decision];
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0].replaceAll(/\s+/g, " ") ?? text;
}

/** Something for every tool to tell its effect by. */
const sample = {
  path: "a",
  pattern: "a",
  command: "true",
  url: "https://example.com/",
  content: "",
  old_text: "a",
  new_text: "b",
};

const effectWords: { readonly [effect in ToolEffect]: string } = {
  read: "reads in the project, asks outside",
  write: "asks",
  command: "asks",
  network: "asks",
  coordinate: "never asks",
  unknown: "asks",
};

const decisionWords: { readonly [decision: string]: string | undefined } = {
  deny: "refused by your rules",
  allow: "allowed by your rules",
  ask: "asks",
};
