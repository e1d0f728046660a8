import { contract } from "./lab.ts";
import { faults } from "./scenarios/faults.ts";

contract(faults);
