// Lets a program that says "ikigai" run against the sources, as it would against the installed package.

import { registerHooks } from "node:module";

const entries = {
  ikigai: new URL("../../src/index.ts", import.meta.url).href,
  "ikigai/agents": new URL("../../src/agents.ts", import.meta.url).href,
  "ikigai/testing": new URL("../../src/testing/index.ts", import.meta.url).href,
};

registerHooks({
  resolve: (specifier, context, next) => next(entries[specifier] ?? specifier, context),
});
