import { contract } from "./lab.ts";
import { refusals } from "./scenarios/refusals.ts";

contract(refusals);
