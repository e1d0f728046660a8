import { describe } from "vitest";
import { testProcesses } from "./support/processes.ts";

describe("several processes on postgres", () => {
  testProcesses("postgres");
});
