import { defineConfig } from "vitest/config";

/** Where a machine wants to read the result, besides the person at the terminal. */
const report = process.env["IKIGAI_TEST_REPORT"];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/store/support/global.ts"],
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
  },
});
