import { contract } from "./lab.ts";
import { requests } from "./scenarios/requests.ts";

contract(requests, { cache_min_tokens: 64 });
