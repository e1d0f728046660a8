import type { ModelInfo } from "../../core/index.ts";

// What `import … with { type: "json" }` gives as its default; without this file every word of the data would be a type.
export declare const generated: string;
export declare const sources: readonly string[];
export declare const models: readonly ModelInfo[];
