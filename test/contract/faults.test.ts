import { describe } from "vitest";
import { contract, contractAtOnce } from "./lab.ts";
import { faults, silences } from "./scenarios/faults.ts";

describe("faults", () => contract(faults));
describe("silences", () => contractAtOnce(silences));
