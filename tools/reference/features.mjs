import { user } from "../../src/core/index.ts";
import { builtinProviders, project } from "../../src/llm/index.ts";
import { table } from "./markdown.mjs";

/** Which features a provider's wires take: found out by making the requests. */
export async function featureTable() {
  const wires = builtinProviders
    .filter(({ preset, local }) => preset !== true || local !== undefined)
    .flatMap(({ name, apis, default_model }) =>
      apis.map((api) => ({ name, api: api.name, model: default_model ?? "a-model" })),
    );
  const rows = [];
  for (const wire of wires) {
    const plain = await said(wire, {});
    const cells = [];
    for (const feature of Object.values(features)) cells.push(isTaken(await said(wire, feature), plain) ? "yes" : "–");
    rows.push([`${wire.name}: ${wire.api}`, ...cells]);
  }
  return table(["Provider: wire", ...Object.keys(features)], rows);
}

/** What is said of a request beside itself, as words; undefined where it cannot be made. */
async function said({ name, api, model }, feature) {
  const { blocks = [], ...rest } = feature;
  const [first] = [user("Hello")];
  const conversation = { messages: [{ ...first, content: [...blocks, ...first.content] }], ...rest };
  const settings = { providers: { [name]: { api, base_url: "http://localhost" } } };
  try {
    const { notes, losses } = await project(conversation, `${name}:${model}/low`, { settings });
    return [...notes, ...losses].map(({ code, message }) => `${code} ${message}`);
  } catch {
    return undefined;
  }
}

function isTaken(notes, plain) {
  return notes !== undefined && notes.every((note) => plain?.includes(note) === true);
}

const tool = {
  name: "clock",
  description: "The time",
  parameters: { type: "object", properties: {}, additionalProperties: false },
};
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const data = "JVBERi0xLjQK";

const features = {
  tools: { tools: [tool] },
  "one at a time": { tools: [tool], tool_choice: { mode: "auto", parallel_allowed: false } },
  "forced tool": { tools: [tool], tool_choice: { mode: "specific", name: "clock" } },
  images: { blocks: [{ type: "image", media_type: "image/png", data: "iVBORw0KGgo=" }] },
  PDF: { blocks: [{ type: "document", media_type: "application/pdf", data }] },
  "JSON schema": { output_format: { type: "json_schema", name: "place", schema } },
  "web search": { web_search: {} },
  "stop sequences": { stop_sequences: ["END"] },
  temperature: { temperature: 0.5 },
  seed: { seed: 7 },
  "long cache": { cache: "long" },
};
