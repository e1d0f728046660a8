import { decideThinking, thinkingLevels } from "../../src/core/index.ts";
import { builtinProviders, knownModels } from "../../src/llm/index.ts";
import { featureTable } from "./features.mjs";
import { code, page, table } from "./markdown.mjs";

export async function modelsPage() {
  const models = await knownModels();
  const named = builtinProviders.filter(({ name }) => models.some(({ provider }) => provider === name));
  const about =
    "What the registry knows, and what each thinking level becomes. A number is a budget of tokens, a word an effort in the provider's " +
    "own spelling, `off` an explicit switch, – nothing at all. ⚠ marks a level that was moved to what the model has; `ikigai explain " +
    "MODEL/LEVEL` shows the exact parameters and says why. Models that are not listed can be used by their id, with what is known of " +
    "their family.";
  const features = await featureTable();
  return page("Models and providers", about, [
    "## Providers\n",
    table(
      ["Provider", "Speaks", "Key", "Default model", "Models known"],
      builtinProviders.map((row) => providerRow(row, models)),
    ),
    "## What each provider takes\n",
    "Asked of the code: a request with each feature, made for the provider's default model on each of its wires. – means that it is left " +
      "out or changed, and that `notes` or `losses` of the answer say so.\n",
    features,
    ...named.flatMap(({ name, display_name }) => [
      `## ${display_name}\n`,
      modelTable(models.filter(({ provider }) => provider === name)),
    ]),
  ]);
}

function providerRow({ name, display_name, apis, key_variables, default_model, local, preset }, models) {
  const known = models.filter(({ provider }) => provider === name).length;
  return [
    `${code(name)} ${display_name}`,
    apis.map((api) => api.name).join(", "),
    key_variables.length === 0 ? (local === undefined ? "–" : "not needed") : code(key_variables[0]),
    default_model === undefined ? "–" : code(default_model),
    known > 0 ? String(known) : local === undefined && preset !== true ? "–" : "what it lists",
  ];
}

function modelTable(models) {
  return table(
    ["Model", "Context", "Output", "$ in/out", "Tools", "Images", ...thinkingLevels, ""],
    models.map((model) => [
      code(model.id),
      short(model.context_tokens),
      short(model.output_tokens_max),
      model.prices === undefined ? "?" : `${model.prices.input}/${model.prices.output}`,
      model.capabilities.tools ? "yes" : "–",
      model.capabilities.vision ? "yes" : "–",
      ...thinkingLevels.map((level) => settingWords(model, level)),
      model.retires_at === undefined ? "" : `until ${model.retires_at}`,
    ]),
  );
}

function settingWords(model, level) {
  if (model.thinking.kind === "none") return "–";
  const decision = decideThinking(model, { level }, {});
  if ("problem" in decision) return "–";
  const { setting, warnings } = decision;
  const mark = warnings.length === 0 ? "" : " ⚠";
  if (setting.type === "budget") return `${setting.tokens}${mark}`;
  if (setting.type === "effort") return `${setting.effort}${mark}`;
  return `${setting.type === "off" ? "off" : "–"}${mark}`;
}

function short(tokens) {
  if (tokens >= 1_000_000) return `${Math.round(tokens / 10_000) / 100}M`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens);
}
