import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJson } from "../../src/config/json-text.ts";

function valueOf(text: string): unknown {
  const read = readJson(text);
  return "problem" in read ? undefined : read.value;
}

function problemOf(text: string): string {
  const read = readJson(text);
  return "problem" in read ? `${read.problem.line}:${read.problem.column} ${read.problem.message}` : "no problem";
}

describe("JSON with places", () => {
  test("reads every value as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(valueOf(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("accepts and refuses the same texts as JSON.parse", () => {
    const piece = fc.constantFrom(...'{}[]:,"\'\\/#-+.0123456789eEtruefalsn \n\tu{"a":1}'.split(""));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        let legal = true;
        try {
          JSON.parse(text);
        } catch {
          legal = false;
        }
        expect(!("problem" in readJson(text)), text).toBe(legal);
      }),
      { numRuns: 3000 },
    );
  });

  test("a name of the language is a name like any other", () => {
    const value = valueOf('{"__proto__": {"a": 1}, "constructor": 2}');
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect({}).not.toHaveProperty("a");
  });

  test.each([
    ["", "1:1 a value is missing before the end of the file"],
    ["{", "1:2 a name in double quotes is missing before the end of the file"],
    ['{\n  "a": 1,\n}', '2:9 a comma before "}"; remove it'],
    ['{\n  "a": 1\n  "b": 2\n}', '2:9 "," or "}" is missing before a text'],
    ["{'a': 1}", '1:2 a name in double quotes is missing before "\'"'],
    ["{\"a\": 'b'}", "1:7 text stands in double quotes"],
    ['{"a" 1}', '1:6 ":" is missing after the name'],
    ['{"a": }', '1:7 a value is missing before "}"'],
    ['{"a": True}', "1:7 this is no value; write true"],
    ['{"a": hello}', "1:7 this is no value; text stands in double quotes"],
    ['{"a": 01}', "1:7 this is no value; text stands in double quotes"],
    ['{"a": 1', '1:8 the file ends here; "}" is missing'],
    ['{"a": "x\n"}', "1:7 the closing quote of this text is missing"],
    ['{"path": "C:\\Users"}', "1:13 this is no escape; a backslash in a text is written \\\\"],
    ['// mine\n{"a": 1}', "1:1 JSON has no comments; remove it"],
    ['{"a": 1}\r\n{', '2:1 nothing may follow the end of the value, but "{" does'],
    ["[".repeat(200), "1:102 nested deeper than 100 levels"],
  ])("%j: %s", (text, expected) => {
    expect(problemOf(text)).toBe(expected);
  });

  test("what is wrong is never repeated: it may be a key", () => {
    const secret = ["sk", "live", "9".repeat(20)].join("-");
    for (const text of [`{"a": ${secret}}`, `{"${secret}"}`, `{"a": "${secret}\n"}`, secret, `{"a": '${secret}'}`]) {
      expect(problemOf(text)).not.toContain("999");
    }
  });

  test("knows where names and values stand", () => {
    const read = readJson('{\n  "a": [10, {"b/c": true}]\n}');
    if ("problem" in read) throw new Error(read.problem.message);
    expect(read.placeOf(["a"], "name")).toEqual({ line: 2, column: 3 });
    expect(read.placeOf(["a"])).toEqual({ line: 2, column: 8 });
    expect(read.placeOf(["a", 1, "b/c"])).toEqual({ line: 2, column: 21 });
    expect(read.placeOf(["nowhere"])).toBeUndefined();
  });

  test("notices a name that stands twice", () => {
    const read = readJson('{"a": 1, "b": {"c": 1, "c": 2}}');
    if ("problem" in read) throw new Error(read.problem.message);
    expect(read.repeated).toEqual([["b", "c"]]);
    expect(read.value).toEqual({ a: 1, b: { c: 2 } });
  });
});
