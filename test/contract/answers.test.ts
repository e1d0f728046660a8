import { contract } from "./lab.ts";
import { answers } from "./scenarios/answers.ts";

contract(answers);
