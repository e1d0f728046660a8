/** What the Messages wire refuses about thinking: settings, efforts, signatures, and what they are bound to. */
import type { JsonObject } from "../../../../core/json.ts";
import { firstRefusal, type Rule } from "../../exchange.ts";
import { has, numberOf, objectOf, textOf } from "../../json.ts";
import type { Verdict } from "../../signatures.ts";
import type { Refusal } from "../../types.ts";
import type { MessagesContext, WireMessage } from "./read.ts";
import { invalid } from "./rules-request.ts";

const budgetMin = 1_024;
const bindingBeta = "thinking-binding-controls-2026-08-01";

export const thinkingRules: readonly Rule<MessagesContext>[] = [
  {
    id: "messages.thinking.type",
    about: "adaptive, enabled, disabled or between_tools",
    check({ body, thinking_type }) {
      if (!has(body, "thinking") || ["adaptive", "enabled", "disabled", "between_tools"].includes(thinking_type)) {
        return undefined;
      }
      return invalid(
        `thinking: Input tag '${thinking_type}' found using 'type' does not match any of the expected tags: ` +
          "'adaptive', 'between_tools', 'disabled', 'enabled'",
      );
    },
  },
  {
    id: "messages.thinking.unsupported",
    about: "a thinking type this model does not have",
    check({ body, model, thinking_type }) {
      if (!has(body, "thinking") || model.thinking_types.includes(thinking_type)) return undefined;
      if (thinking_type === "adaptive") return invalid("adaptive thinking is not supported on this model");
      return invalid(
        `"thinking.type.${thinking_type}" is not supported for this model. ` +
          'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
      );
    },
  },
  {
    id: "messages.thinking.budget_missing",
    about: "enabled thinking names its budget",
    check({ body, thinking_type }) {
      if (thinking_type !== "enabled" || has(objectOf(body["thinking"]), "budget_tokens")) return undefined;
      return invalid("thinking.enabled.budget_tokens: Field required");
    },
  },
  {
    id: "messages.thinking.budget_unknown",
    about: "a budget where there is none",
    check({ body, thinking_type }) {
      if (thinking_type === "enabled" || !has(objectOf(body["thinking"]), "budget_tokens")) return undefined;
      return invalid(`thinking.${thinking_type}.budget_tokens: Extra inputs are not permitted`);
    },
  },
  {
    id: "messages.thinking.budget_minimum",
    about: `a budget of at least ${budgetMin}`,
    check({ body, thinking_type }) {
      const budget = numberOf(objectOf(body["thinking"])["budget_tokens"]);
      if (thinking_type !== "enabled" || (budget !== undefined && budget >= budgetMin)) return undefined;
      return invalid(`thinking.enabled.budget_tokens: Input should be greater than or equal to ${budgetMin}`);
    },
  },
  {
    id: "messages.thinking.budget_max_tokens",
    about: "a budget below max_tokens",
    check({ body, thinking_type, exchange }) {
      const budget = numberOf(objectOf(body["thinking"])["budget_tokens"]) ?? 0;
      const limit = numberOf(body["max_tokens"]) ?? 0;
      if (thinking_type !== "enabled" || exchange.route.endpoint === "count" || budget < limit) return undefined;
      return invalid("`max_tokens` must be greater than `thinking.budget_tokens`.");
    },
  },
  {
    id: "messages.thinking.display",
    about: "summarized or omitted (updates with its beta)",
    check({ body, betas }) {
      const display = objectOf(body["thinking"])["display"];
      const allowed = ["summarized", "omitted"];
      if (betas.has("thinking-display-updates-2026-08-18")) allowed.push("updates");
      if (display === undefined || display === null || allowed.includes(textOf(display))) return undefined;
      return invalid(`thinking.display: Input should be ${allowed.map((word) => `'${word}'`).join(" or ")}`);
    },
  },
  {
    id: "messages.effort.model",
    about: "effort on a model that has none",
    check({ body, model }) {
      if (!has(objectOf(body["output_config"]), "effort") || model.efforts.length > 0) return undefined;
      return invalid("This model does not support the effort parameter.");
    },
  },
  {
    id: "messages.effort.level",
    about: "an effort this model does not have",
    check({ body, model }) {
      const effort = objectOf(body["output_config"])["effort"];
      if (effort === undefined || effort === null || model.efforts.includes(textOf(effort))) return undefined;
      const known = [...model.efforts].sort().join(", ");
      return invalid(`This model does not support effort level '${textOf(effort)}'. Supported levels: ${known}.`);
    },
  },
  {
    id: "messages.effort.off",
    about: "with thinking off no effort above high",
    check({ body, model, thinking_type }) {
      const effort = textOf(objectOf(body["output_config"])["effort"]);
      const off = thinking_type === "disabled" || thinking_type === "between_tools";
      if (!off || !model.off_effort_max_high || !["xhigh", "max"].includes(effort)) return undefined;
      return invalid(`"thinking.type.${thinking_type}" is not supported with effort level '${effort}' on this model.`);
    },
  },
  {
    id: "messages.thinking.binding_off",
    about: "binding controls and disabled thinking exclude each other",
    check({ body, thinking_type }) {
      if (thinking_type !== "disabled" || !has(objectOf(body["thinking"]), "block_binding")) return undefined;
      return invalid("thinking.disabled.block_binding: Extra inputs are not permitted");
    },
  },
  {
    id: "messages.thinking.signature_missing",
    about: "a thinking block carries its signature",
    check: (context) =>
      overThinking(context, (block, path) => {
        if (block["type"] !== "thinking" || has(block, "signature")) return undefined;
        return invalid(`${path}.thinking.signature: Field required`);
      }),
  },
  {
    id: "messages.thinking.text_missing",
    about: "a thinking block carries its text in `thinking`, empty or not",
    check: (context) =>
      overThinking(context, (block, path) => {
        if (block["type"] !== "thinking" || typeof block["thinking"] === "string") return undefined;
        return invalid(`${path}.thinking.thinking: Field required`);
      }),
  },
  {
    id: "messages.thinking.cache_control",
    about: "thinking cannot be a cache breakpoint",
    check: (context) =>
      overThinking(context, (block, path) => {
        if (!has(block, "cache_control")) return undefined;
        return invalid(`${path}.${textOf(block["type"])}.cache_control: Extra inputs are not permitted`);
      }),
  },
  {
    id: "messages.thinking.signature_invalid",
    about: "a signature nobody here has made",
    check: (context) =>
      overThinking(context, (block, path, turn) => {
        const verdict = verdictOf(context, block, turn);
        if (block["type"] !== "thinking" || !isForgery(verdict)) return undefined;
        return invalid(`${path}: Invalid \`signature\` in \`thinking\` block`);
      }),
  },
  {
    id: "messages.thinking.redacted_invalid",
    about: "redacted data nobody here has made",
    check: (context) =>
      overThinking(context, (block, path, turn) => {
        const verdict = verdictOf(context, block, turn);
        if (block["type"] !== "redacted_thinking" || !isForgery(verdict)) return undefined;
        return invalid(`${path}: Invalid \`data\` in \`redacted_thinking\` block`);
      }),
  },
  {
    id: "messages.thinking.modified",
    about: "the text is not the one that was signed",
    check: (context) =>
      overThinking(context, (block, path, turn) => {
        if (verdictOf(context, block, turn) !== "modified") return undefined;
        return invalid(
          `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. ` +
            "These blocks must remain as they were in the original response.",
        );
      }),
  },
  {
    id: "messages.thinking.model_binding",
    about: "5.5 family: thinking of another model",
    check: (context) => bindingRefusal(context, "other_model", "model_binding_mismatch"),
  },
  {
    id: "messages.thinking.prefix_binding",
    about: "5.5 family: thinking in another conversation than it was made in",
    check: (context) => bindingRefusal(context, "other_prefix", "prefix_binding_mismatch"),
  },
  {
    id: "messages.thinking.required",
    about: "budget thinking: a loop of calls and results begins with thinking",
    check(context) {
      if (context.thinking_type !== "enabled") return undefined;
      const turn = firstOfLoop(context.turns);
      const first = textOf(turn?.blocks[0]?.["type"]);
      if (turn === undefined || first === "thinking" || first === "redacted_thinking") return undefined;
      return invalid(
        `messages.${turn.index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, ` +
          `but found \`${first}\`. ` +
          "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the " +
          "lastmost set of `tool_use` and `tool_result` blocks). To avoid this requirement, disable `thinking`.",
      );
    },
  },
];

/** The assistant's first turn of a loop that ends with results. Later steps of it are free to think or not. */
function firstOfLoop(turns: readonly WireMessage[]): WireMessage | undefined {
  if (!holds(turns.at(-1), "tool_result")) return undefined;
  const opening = turns.findLastIndex((turn) => turn.role === "user" && !holds(turn, "tool_result"));
  const turn = turns[opening + 1];
  return turn?.role === "assistant" && holds(turn, "tool_use") ? turn : undefined;
}

function holds(turn: WireMessage | undefined, type: string): boolean {
  return turn?.blocks.some((block) => block["type"] === type) ?? false;
}

export type DroppedBlock = { readonly type: "thinking_dropped"; readonly path: string; readonly reason: string };

/** With the beta, blocks bound to something else are left out and listed in place of a refusal. */
export function droppedBlocks(context: MessagesContext): readonly DroppedBlock[] {
  if (!dropsMismatches(context)) return [];
  const dropped: DroppedBlock[] = [];
  overThinking(context, (block, path, turn) => {
    const reason = bindingReasons[verdictOf(context, block, turn)];
    if (reason !== undefined && context.model.bound) dropped.push({ type: "thinking_dropped", path, reason });
    return undefined;
  });
  return dropped;
}

function bindingRefusal(context: MessagesContext, verdict: Verdict, reason: string): Refusal | undefined {
  if (!context.model.bound || dropsMismatches(context)) return undefined;
  return overThinking(context, (block, path, turn) => {
    if (verdictOf(context, block, turn) !== verdict) return undefined;
    return invalid(`${path}: this \`${textOf(block["type"])}\` block cannot be used in this request (${reason}).`);
  });
}

function dropsMismatches(context: MessagesContext): boolean {
  const binding = objectOf(objectOf(context.body["thinking"])["block_binding"]);
  return context.betas.has(bindingBeta) && binding["prefix_mismatch_behavior"] === "drop_block";
}

function overThinking(
  context: MessagesContext,
  look: (block: JsonObject, path: string, turn: number) => Refusal | undefined,
): Refusal | undefined {
  return firstRefusal(context.turns, (turn, number) =>
    firstRefusal(turn.blocks, (block, index) => {
      if (block["type"] !== "thinking" && block["type"] !== "redacted_thinking") return undefined;
      return look(block, `messages.${turn.index}.content.${index}`, number);
    }),
  );
}

function verdictOf(context: MessagesContext, block: JsonObject, turn: number): Verdict {
  const { world } = context.exchange;
  const redacted = block["type"] === "redacted_thinking";
  const blob = textOf(block[redacted ? "data" : "signature"]);
  if (world.options.signatures === "any") return blob === "" ? "malformed" : "good";
  const verdict = world.signatures.verify(blob, {
    shape: "anthropic",
    kind: redacted ? "redacted" : "thinking",
    model: context.model.id,
    prefix: context.prefixes()[turn] ?? "",
    content: redacted ? "" : textOf(block["thinking"]),
  });
  const binding = verdict === "other_model" || verdict === "other_prefix";
  return binding && !context.model.bound ? "good" : verdict;
}

function isForgery(verdict: Verdict): boolean {
  return verdict === "malformed" || verdict === "foreign" || verdict === "other_kind";
}

const bindingReasons: { readonly [verdict in Verdict]?: string } = {
  other_model: "model_binding_mismatch",
  other_prefix: "prefix_binding_mismatch",
};
