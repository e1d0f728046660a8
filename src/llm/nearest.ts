export { nearestWord } from "../core/index.ts";
