import { defineConfig } from "vitest/config";

/** Thinking alone, held to complete coverage of the code that decides about it: `npm run test:thinking`. */
export default defineConfig({
  test: {
    include: ["test/thinking/**/*.test.ts", "test/core/thinking.test.ts", "test/llm/registry/matrix.test.ts"],
    isolate: false,
    testTimeout: 30_000,
    coverage: {
      enabled: true,
      provider: "v8",
      include: ["src/core/thinking.ts", "src/llm/protocols/*/thinking.ts"],
      reporter: ["text"],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
});
