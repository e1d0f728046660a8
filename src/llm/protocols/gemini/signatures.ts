import type { JsonObject, ModelInfo, Opaque } from "../../../core/index.ts";

/** Stands in for a signature that this model did not make; the provider documents it for histories from elsewhere. */
export const signaturePlaceholder = "skip_thought_signature_validator";

/** All names of a model: what was made under any of them is its own. */
export function namesOf(model: ModelInfo): readonly string[] {
  return [model.id, ...model.aliases];
}

/** What the target itself once attached to a block, as it may be sent back. */
export function ownData(
  opaque: Opaque | undefined,
  target: { readonly provider: string; readonly model: ModelInfo },
): JsonObject | undefined {
  if (opaque === undefined || opaque.provider !== target.provider) return undefined;
  if (!namesOf(target.model).includes(opaque.model)) return undefined;
  const { thoughtSignature, ...rest } = opaque.data;
  if (thoughtSignature === undefined || isSignature(thoughtSignature)) return opaque.data;
  return rest;
}

/** Base64. The URL-safe alphabet is written without padding, so its length says nothing. */
function isSignature(value: unknown): value is string {
  if (typeof value !== "string" || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return false;
  return value.length % 4 === 0 || /[_-]/.test(value);
}
