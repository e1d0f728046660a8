// Regenerates src/llm/models/*.json from a published package of model data and our own table of what it does not say.
// Prints where the two differ and where a second package disagrees on prices. Same input, same output: no clock.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ikigai-models-"));

async function update(table) {
  const data = join(unpack(table.packages.data), "dist/providers/data");
  const check = await import(pathToFileURL(join(unpack(table.packages.check), "dist/index.js")).href);
  const { generatedAt } = JSON.parse(readFileSync(join(data, ".manifest.json"), "utf8"));
  const sources = [
    `${table.packages.data.name} ${table.packages.data.version} (MIT), generated ${generatedAt.slice(0, 10)}`,
    `${table.packages.check.name} ${table.packages.check.version} (MIT), for comparison of prices`,
    `tools/models-overrides.json, ${table.as_of}`,
  ];
  const done = {};
  for (const [provider, own] of Object.entries(table.providers)) {
    const published = readPublished(join(data, `${provider}.json`));
    const models = modelsOf({ provider, own, published, specs: table.thinking, done });
    done[provider] = models;
    writeFileSync(join(root, "src/llm/models", `${provider}.json`), fileText(table.as_of, sources, models));
    writeFileSync(join(root, "src/llm/models", `${provider}.d.json.ts`), declaration);
    say(`${provider}: ${models.length} models`);
    if (own.take_all) continue;
    for (const difference of differences(models, own, published)) say(`  package differs: ${difference}`);
    for (const difference of priceDoubts(check, checkNames[provider], models, table.as_of)) say(`  ${difference}`);
  }
}

/** Fetches a package without installing it, refuses it if it is not the one we looked at, and returns its folder. */
function unpack({ name, version, integrity }) {
  const packed = execFileSync("npm", ["pack", `${name}@${version}`, "--json", "--pack-destination", folder], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [file] = JSON.parse(packed);
  if (file.integrity !== integrity) throw new Error(`${name}@${version} has integrity ${file.integrity}`);
  const target = mkdtempSync(join(folder, "package-"));
  execFileSync("tar", ["xzf", join(folder, file.filename), "-C", target]);
  return join(target, "package");
}

/** A provider that the package does not know has our table alone. */
function readPublished(file) {
  if (!existsSync(file)) return new Map();
  const groups = Object.values(JSON.parse(readFileSync(file, "utf8")));
  const chats = groups.flatMap((group) => Object.values(group)).filter((model) => (model.type ?? "chat") === "chat");
  return new Map(chats.map((model) => [model.id, model]));
}

function modelsOf({ provider, own, published, specs, done }) {
  const ours = own.models.map((entry) => modelFrom({ provider, own, specs, entry, found: published.get(entry.id) }));
  const named = new Set(own.models.flatMap((entry) => [entry.id, ...(entry.aliases ?? [])]));
  const rest = [...published.values()].filter((model) => !named.has(model.id) && !isSkipped(own, model.id));
  if (!own.take_all && rest.length > 0) {
    throw new Error(`${provider}: name or skip ${rest.map((model) => model.id).join(", ")}`);
  }
  const taken = rest
    .map((found) => modelFrom({ provider, own, specs, entry: routedEntry(own, found, done), found }))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
  return [...ours, ...taken];
}

function isSkipped(own, id) {
  return id in own.skip || (own.skip_suffixes ?? []).some((suffix) => id.endsWith(suffix));
}

/** A model reached through a router behaves as it does at home, as far as home is known. */
function routedEntry(own, found, done) {
  const [vendor, name = ""] = found.id.replace(/^~/, "").split("/");
  const home = (done[own.vendors?.[vendor]] ?? []).find((model) => loose(model.id) === loose(name.replace(/:.*$/, "")));
  const { sampling, forced_tools, stop_sequences } = home?.capabilities ?? {};
  return { id: found.id, sampling, forced_tools, stop_sequences };
}

function loose(id) {
  return id.replaceAll(".", "-");
}

function modelFrom({ provider, own, specs, entry, found }) {
  const { tools, sampling, forced_tools, stop_sequences } = entry;
  const vision = entry.vision ?? found?.input.includes("image");
  const unpriced = (own.unpriced_prefixes ?? []).some((prefix) => entry.id.startsWith(prefix));
  const model = {
    id: entry.id,
    provider,
    display_name: entry.display_name ?? found?.name,
    aliases: entry.aliases ?? [],
    spellings: entry.spellings,
    context_tokens: entry.context_tokens ?? found?.contextWindow,
    output_tokens_max: entry.output_tokens_max ?? found?.maxTokens,
    thinking: entry.thinking === undefined ? publishedThinking(found) : specs[entry.thinking],
    capabilities: merged(own.capabilities, { tools, vision, sampling, forced_tools, stop_sequences }),
    prices: unpriced ? undefined : pricesOf(entry.prices ?? publishedPrices(found?.cost), own.cache_write_1h_factor),
    price_tiers: tiersOf(entry, found, own.cache_write_1h_factor),
    retires_at: entry.retires_at,
    successor: entry.successor,
    traits: entry.traits,
  };
  for (const field of ["display_name", "context_tokens", "output_tokens_max", "thinking"]) {
    if (model[field] === undefined) throw new Error(`${provider} ${entry.id}: ${field} is not known`);
  }
  return model;
}

function merged(base, extra) {
  return { ...base, ...Object.fromEntries(Object.entries(extra).filter(([, value]) => value !== undefined)) };
}

/** The package maps its own levels to efforts; null means refused, a missing word means taken (strong ones: refused). */
function publishedThinking(found) {
  if (!found.reasoning) return { kind: "none" };
  return { kind: "effort", efforts: publishedEfforts(found) };
}

function publishedEfforts(found) {
  const map = found.thinkingLevelMap ?? {};
  const usual = { off: "none", low: "low", medium: "medium", high: "high" };
  return ["off", "minimal", "low", "medium", "high", "xhigh", "max"]
    .map((level) => (level in map ? map[level] : usual[level]))
    .filter((effort) => typeof effort === "string")
    .map((effort) => effort.toLowerCase());
}

/** Zero for a cache price means that there is none, except where everything is free. */
function publishedPrices(cost) {
  if (cost === undefined) return undefined;
  const free = cost.input === 0;
  return [cost.input, cost.output, cost.cacheRead, cost.cacheWrite].map((price, part) =>
    part >= 2 && (price === 0 || free) ? undefined : price,
  );
}

function pricesOf(prices, oneHourFactor) {
  if (prices === undefined) return undefined;
  const [input, output, cache_read, cache_write] = prices;
  const oneHour = oneHourFactor === undefined || cache_write === undefined ? undefined : oneHourFactor * input;
  return { input, output, cache_read, cache_write, cache_write_1h: oneHour };
}

function tiersOf(entry, found, oneHourFactor) {
  const published = found?.cost.tiers?.map((tier) => [tier.inputTokensAbove, ...publishedPrices(tier)]);
  const tiers = entry.tiers ?? published;
  return tiers?.map(([above_input_tokens, ...prices]) => ({ above_input_tokens, ...pricesOf(prices, oneHourFactor) }));
}

/** One line a model: small files, and a change of one model is a change of one line. */
function fileText(generated, sources, models) {
  const lines = models.map((model) => `    ${JSON.stringify(model)}`).join(",\n");
  const head = `  "generated": ${JSON.stringify(generated)},\n  "sources": ${JSON.stringify(sources)},`;
  return `{\n${head}\n  "models": [\n${lines}\n  ]\n}\n`;
}

function differences(models, own, published) {
  return models.flatMap((model) => {
    const found = published.get(model.id);
    if (found === undefined) return [`${model.id} is only in our table`];
    const pairs = [
      ["context_tokens", model.context_tokens, found.contextWindow],
      ["output_tokens_max", model.output_tokens_max, found.maxTokens],
      ["prices", model.prices, pricesOf(publishedPrices(found.cost), own.cache_write_1h_factor)],
      ["price_tiers", model.price_tiers, tiersOf({}, found, own.cache_write_1h_factor)],
      ["vision", model.capabilities.vision, found.input.includes("image")],
      ["efforts", ...effortsToCompare(model, found)],
    ];
    return pairs
      .map(([field, ours, theirs]) => [field, JSON.stringify(ours), JSON.stringify(theirs)])
      .filter(([, ours, theirs]) => ours !== theirs)
      .map(([field, ours, theirs]) => `${model.id} ${field}: ours ${ours}, theirs ${theirs}`);
  });
}

/** The package writes down only what its callers need, so only what it does write down can be compared. */
function effortsToCompare({ thinking }, found) {
  const ours = thinking.efforts ?? thinking.levels;
  if (ours === undefined || found.thinkingLevelMap === undefined) return [undefined, undefined];
  const stated = new Set(Object.keys(found.thinkingLevelMap).map((level) => (level === "off" ? "none" : level)));
  const theirs = publishedEfforts(found).filter((effort) => stated.has(effort));
  return [ours.filter((effort) => stated.has(effort)), theirs];
}

function priceDoubts(check, name, models, asOf) {
  if (name === undefined) return [];
  const timestamp = new Date(`${asOf}T12:00:00Z`);
  return models.flatMap((model) => {
    const found = check.calcPrice({ input_tokens: 1 }, model.id, { providerId: name, timestamp });
    if (found === null || model.prices === undefined) return [`second source does not know ${model.id}`];
    return Object.entries(checkFields).flatMap(([field, theirField]) => {
      const price = found.model_price[theirField];
      const theirs = typeof price === "object" ? price.base : price;
      const ours = model.prices[field];
      return theirs === ours ? [] : [`second source differs: ${model.id} ${field}: ours ${ours}, theirs ${theirs}`];
    });
  });
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

const declaration = `import type { ModelInfo } from "../../core/index.ts";

// What \`import … with { type: "json" }\` gives as its default; without this file every word of the data would be a type.
export declare const generated: string;
export declare const sources: readonly string[];
export declare const models: readonly ModelInfo[];
`;

const checkNames = { anthropic: "anthropic", openai: "openai", google: "google", xai: "x-ai" };

const checkFields = {
  input: "input_mtok",
  output: "output_mtok",
  cache_read: "cache_read_mtok",
  cache_write: "cache_write_mtok",
  cache_write_1h: "cache_write_1h_mtok",
};

try {
  await update(JSON.parse(readFileSync(join(root, "tools/models-overrides.json"), "utf8")));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
