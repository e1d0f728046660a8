import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addUsage, unreportedUsage, usageFrom, usageParts, type Usage, type UsagePart } from "../../src/core/index.ts";

describe("usage", () => {
  test("B43 the parts sum to the total", () => {
    expect(
      usageFrom({
        input_tokens: 10,
        cache_read_tokens: 20,
        cache_write_tokens: 30,
        output_tokens: 40,
        thinking_tokens: 50,
        cache_write_1h_tokens: 5,
      }),
    ).toEqual({
      input_tokens: 10,
      cache_read_tokens: 20,
      cache_write_tokens: 30,
      output_tokens: 40,
      thinking_tokens: 50,
      total_tokens: 150,
      cache_write_1h_tokens: 5,
    });
  });

  test("a part nobody reported is zero and named", () => {
    const usage = usageFrom({ ...parts(1), cache_write_tokens: undefined, thinking_tokens: undefined });
    expect(usage).toMatchObject({ cache_write_tokens: 0, thinking_tokens: 0, total_tokens: 3 });
    expect(usage.unreported).toEqual(["cache_write_tokens", "thinking_tokens"]);
    expect(usage).not.toHaveProperty("cache_write_1h_tokens");
  });

  test("nothing reported at all", () => {
    expect(unreportedUsage).toMatchObject({ total_tokens: 0, unreported: [...usageParts] });
  });

  test("adding keeps what was not reported and the one-hour part", () => {
    const left = usageFrom({ ...parts(1), cache_write_1h_tokens: 1 });
    const right = usageFrom({ ...parts(2), thinking_tokens: undefined });
    expect(addUsage(left, right)).toEqual({
      input_tokens: 3,
      cache_read_tokens: 3,
      cache_write_tokens: 3,
      output_tokens: 3,
      thinking_tokens: 1,
      total_tokens: 13,
      cache_write_1h_tokens: 1,
      unreported: ["thinking_tokens"],
    });
    expect(addUsage(usageFrom(parts(1)), usageFrom(parts(1)))).not.toHaveProperty("unreported");
  });

  test("sums stay sums", () => {
    fc.assert(
      fc.property(usages, usages, usages, (one, two, three) => {
        const total = addUsage(addUsage(one, two), three);
        expect(total).toEqual(addUsage(one, addUsage(two, three)));
        expect(total.total_tokens).toBe(usageParts.reduce((sum, part) => sum + total[part], 0));
      }),
    );
  });
});

const usages: fc.Arbitrary<Usage> = fc
  .record(
    Object.fromEntries(usageParts.map((part) => [part, fc.option(fc.nat(1_000_000), { nil: undefined })])) as Record<
      UsagePart,
      fc.Arbitrary<number | undefined>
    >,
  )
  .map(usageFrom);

function parts(count: number): { readonly [part in UsagePart]: number } {
  return {
    input_tokens: count,
    cache_read_tokens: count,
    cache_write_tokens: count,
    output_tokens: count,
    thinking_tokens: count,
  };
}
