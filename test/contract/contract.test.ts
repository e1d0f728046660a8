import { describe } from "vitest";
import { contract } from "./lab.ts";
import { answers } from "./scenarios/answers.ts";
import { requests } from "./scenarios/requests.ts";
import { toolScenarios } from "./scenarios/tools.ts";

describe("answers", () => contract(answers));
describe("tools", () => contract(toolScenarios));
describe("requests", () => contract(requests, { cache_min_tokens: 64 }));
