import { contractAtOnce } from "./lab.ts";
import { silences } from "./scenarios/faults.ts";

contractAtOnce(silences);
