// An answer in a form that a program can use, checked against its schema, whichever provider gives it.
//
//   node examples/structured-output.mjs "The Danube is 2,850 km long."

import { ask, user } from "ikigai";

const text = process.argv[2] ?? "The Danube is 2,850 km long and flows through ten countries.";
const schema = {
  type: "object",
  properties: {
    name: { type: "string" },
    length_km: { type: "number" },
    countries: { type: "integer" },
  },
  required: ["name", "length_km"],
};

for (const model of ["claude-opus-5-5/low", "gpt-6.1-sol/low", "gemini-3.8-flash/low"]) {
  const { output, output_error } = await ask(model, {
    system: "Extract the facts about the river.",
    messages: [user(text)],
    output_format: { type: "json_schema", name: "river", schema },
  });
  // What does not fit is said, with the place; it is never passed on as if it did.
  if (output_error === undefined) console.log(`${model}: ${output.name}, ${output.length_km} km`);
  else console.log(`${model}: ${output_error.code}: ${output_error.message}`);
}
