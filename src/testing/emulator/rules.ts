/** Every rejection rule by its id, for tests and for whoever wants to know what is checked. */
import type { Rule } from "./exchange.ts";
import { gateRules } from "./gate.ts";
import { chatRules } from "./wires/chat/index.ts";
import { geminiRules } from "./wires/gemini/index.ts";
import { messagesRules } from "./wires/messages/index.ts";
import { responsesRules } from "./wires/responses/index.ts";

export type RuleInfo = { readonly id: string; readonly about: string };

export function ruleList(): readonly RuleInfo[] {
  return [
    infoOf(gateRules),
    infoOf(messagesRules),
    infoOf(responsesRules),
    infoOf(chatRules),
    infoOf(geminiRules),
  ].flat();
}

function infoOf<Context>(rules: readonly Rule<Context>[]): readonly RuleInfo[] {
  return rules.map(({ id, about }) => ({ id, about }));
}
