import { contract } from "./lab.ts";
import { toolScenarios } from "./scenarios/tools.ts";

contract(toolScenarios);
