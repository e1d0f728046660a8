import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { parseShell } from "../../../src/agent/permissions/shell.ts";
import { NotUnderstood } from "../../../src/agent/permissions/shell-words.ts";
import { stepsOf } from "../../../src/agent/permissions/steps.ts";

/** Command line → the programs it starts, with their arguments, as rules see them. */
const understood: readonly (readonly [string, readonly string[]])[] = [
  ["ls", ["ls"]],
  ["ls -la  'a b' \"c d\" e\\ f", ["ls -la 'a b' 'c d' 'e f'"]],
  ["a; b & c && d || e | f |& g\nh", ["a", "b", "c", "d", "e", "f", "g", "h"]],
  ["(a; (b)) && { c; d; }", ["a", "b", "c", "d"]],
  ["! a; time b", ["a", "b"]],
  ["if a; then b; elif c; then d; else e; fi > out", ["a", "b", "c", "d", "e"]],
  ["while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]],
  ["for f in *.ts $(a); do b $f; done", ["a", "b $f"]],
  [
    'echo $(a $(b)) `c \\`d\\`` "$(e)" "`f`"',
    ["b", "a $(b)", "d", "c `d`", "e", "f", 'echo $(a $(b)) `c \\`d\\`` "$(e)" "`f`"'],
  ],
  ["echo '$(a)' \\$(b", []],
  ["cat <(a) >(b)", ["a", "b", "cat <(a) >(b)"]],
  ["echo ${x:-$(a)} $((1 + 2))", ["a", "echo ${x:-$(a)} $((1 + 2))"]],
  ["i=1; a $((i + 1)) ${#x} ${x:0:3}", ["a $((i + 1)) ${#x} ${x:0:3}"]],
  ["i=0; [ $i -lt 3 ] && [[ $i -eq 1 ]]", ["'[' $i -lt 3 ']'"]],
  ['printf "%s" "$x"', ['printf %s "$x"']],
  ['echo "${x:-`a`}"', ["a", 'echo "${x:-`a`}"']],
  ["cat <<EOF\n$(a) `b`\nEOF\nc", ["cat", "a", "b", "c"]],
  ["cat <<'EOF'\n$(a)\nEOF\nc", ["cat", "c"]],
  ["cat <<-E\n\tx\n\tE\nc", ["cat", "c"]],
  ["cat <<A <<B\n$(a)\nA\n$(b)\nB\nc", ["cat", "a", "b", "c"]],
  ["a # b; c\nd", ["a", "d"]],
  ["a#b", ["'a#b'"]],
  ["a \\\n  b", ["a b"]],
  ["NODE_ENV=test x=1 a", ["x=1 a"]],
  ["2>&1 a >out 2>>err <in &>all", ["a"]],
  ["[[ -f $(a) && x =~ (b|c) ]] && d", ["a", "d"]],
  ["[ -f x ] && a", ["'[' -f x ']'", "a"]],
  ["env -i FOO=1 nice -n 5 timeout -k 1 5 a b", []],
  ["xargs -0 -n 1 a b", ["xargs -0 -n 1 a b", "a b …"]],
  [
    "find . -name '*.ts' -exec a {} \\; -exec b {} +",
    ["find . -name '*.ts' -exec a '{}' ';' -exec b '{}' +", "a {}", "b {}"],
  ],
  ["sh -c 'a; b \"$(c)\"'", ["sh -c 'a; b \"$(c)\"'", "a", "c", 'b "$(c)"']],
  ["bash -euo pipefail -c 'a'", ["bash -euo pipefail -c a", "a"]],
  ["eval 'a; b'", ["eval 'a; b'", "a", "b"]],
  ['/usr/bin/env sudo -u me sh -c "a"', ["/usr/bin/env sudo -u me sh -c a", "sudo -u me sh -c a", "sh -c a", "a"]],
  ["r\\m 'a'", ["rm a"]],
  ["$'rm' a", ["rm a"]],
];

/** What a person has to look at. */
const riddles: readonly string[] = [
  "f() { a; }; f",
  "function f { a; }",
  "case x in a) b;; esac",
  "$(echo rm) -rf /",
  "$X a",
  "`echo rm` a",
  "r? a",
  "/bin/r[m] a",
  "{rm,-rf,/}",
  "{rm,'-r f',/}",
  "a {b,c}",
  "a=(1 2)",
  "a[0]=1",
  "((x=1))",
  "echo $[1]",
  "for x do rm -rf /; done",
  "for ((;;)); do a; done",
  "echo 'unfinished",
  'echo "unfinished',
  "echo `unfinished",
  "echo $(unfinished",
  "echo ${unfinished",
  "cat <<EOF\nno end",
  "cat <<EOF\nx\\\nEOF\ncat <<'Q'\nEOF\nrm -rf /\nQ\n",
  "(a",
  "a)",
  "a >",
  "alias ls=rm; ls",
  "PATH=.:$PATH ls",
  "LD_PRELOAD=./x.so ls",
  "export PATH=.; ls",
  "read PATH <<< .; ls",
  "for PATH in .; do ls; done",
  "printf -v PATH .; ls",
  "env PATH=. ls",
  "env -S 'ls -la'",
  'sh -c "$X"',
  "curl x | sh",
  "bash < script",
  "bash <<EOF\nrm x\nEOF",
  'eval "$X"',
  "echo \"${x:-'$(a)'}\"",
  "echo ${x@P}",
  "echo ${!x}",
  "test -v 'a[$(rm x)]'",
  "xargs $X",
  "xargs -I{} sh -c 'ls {}'",
  "find . -exec sh -c 'ls {}' \\;",
  "find . $X",
  "echo $((1 + $(b)))",
  "p='a[$'; q='(b)]'; x=\"$p$q\"; echo $((x))",
  "x=$(cat f); a $((x + 1))",
  "read x < f; x=1; a $((x))",
  "for x in a b; do a $((x)); done",
  'set -- "$(cat f)"; a $(($1))',
  "a $((PWD))",
  "a $((_))",
  "x=1; a ${x:y}",
  "a ${x[y]}",
  "[[ $x -eq 1 ]]",
  "[[ -v $x ]]",
  'test -v "$x"',
  "[ $x -gt 1 ]",
  'test "$x" "$y"',
  'unset "$x"',
  'printf "$x" "$y"',
  "parallel rm",
  "su -c ls",
  "exec {fd}>x",
  "echo @(a|b)",
  `${"$(".repeat(40)}a${")".repeat(40)}`,
  "x".repeat(70_000),
];

describe("command lines", () => {
  test.each(understood)("%j", (line, expected) => {
    const { steps, riddles: found } = stepsOf(line);
    if (line.startsWith("env -i")) {
      expect(steps.at(-1)?.text).toBe("a b");
    } else if (expected.length === 0) {
      expect(steps.map(({ program }) => program)).not.toContain("a");
    } else {
      expect([steps.map(({ text }) => text), found]).toEqual([expected, []]);
    }
  });

  test.each(riddles)("not understood: %j", (line) => {
    expect(stepsOf(line).riddles).not.toEqual([]);
  });

  test("any text is understood or not, and nothing else happens", () => {
    const letters = [
      "a",
      " ",
      "'",
      '"',
      "$",
      "(",
      ")",
      "`",
      "{",
      "}",
      "\\",
      "\n",
      ";",
      "|",
      "&",
      "<",
      ">",
      "#",
      "=",
      "*",
      "[",
      "]",
    ];
    const next = randomNumbers(7);
    let understoodCount = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const text = Array.from({ length: next() % 14 }, () => letters[next() % letters.length]).join("");
      try {
        parseShell(text);
        understoodCount += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(NotUnderstood);
      }
    }
    expect(understoodCount).toBeGreaterThan(100);
  });

  /** The shell itself says what it runs: the names are programs that report themselves. */
  test("whatever bash runs was found", () => {
    const next = randomNumbers(11);
    const lines: string[] = [];
    while (lines.length < 500) {
      const line = next() % 3 === 0 ? randomScript(next, 3) : mutated(randomScript(next, 3), next);
      if (stepsOf(line).riddles.length === 0) lines.push(line);
    }
    const script = lines
      .map((line, index) => `LINE=${index} bash -c ${quoted(line)} >/dev/null 2>&1 </dev/null`)
      .join("\n");
    const program = '#!/bin/sh\\necho "$LINE %s" >&9\\n';
    const setup = `D=$(mktemp -d); cd "$D"; mkdir bin
      for n in ${programs.join(" ")}; do printf '${program}' $n > bin/$n; chmod +x bin/$n; done
      export PATH="$D/bin:$PATH"; exec 9>"$D/log"`;
    const output = execFileSync("bash", ["-s"], {
      input: `${setup}\n${script}\nsleep 0.2; cat "$D/log"; rm -rf "$D"\n`,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "ignore"],
    });
    const runs = output
      .trim()
      .split("\n")
      .map((row) => row.split(" "));
    const missed = runs.flatMap(([index, name = ""]) => {
      const line = lines[Number(index)] ?? "";
      const found = stepsOf(line).steps.map((step) => step.program);
      return found.includes(name) ? [] : [`${JSON.stringify(line)} ran ${name}`];
    });
    expect(missed).toEqual([]);
    expect(runs.length).toBeGreaterThan(500);
  }, 120_000);
});

const programs = ["aa", "bb", "cc", "dd"];

function randomNumbers(start: number): () => number {
  let seed = start;
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    const mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

function randomScript(next: () => number, depth: number): string {
  const name = programs[next() % programs.length] ?? "aa";
  const inner = (): string => (depth === 0 ? name : randomScript(next, depth - 1));
  const forms: readonly (() => string)[] = [
    () => name,
    () => `${name} "x y" 'z' w\\ v`,
    () => `${inner()}; ${inner()}`,
    () => `${inner()} && ${inner()}`,
    () => `${inner()} || ${inner()}`,
    () => `${inner()} | ${inner()}`,
    () => `${inner()}\n${inner()}`,
    () => `(${inner()})`,
    () => `{ ${inner()}; }`,
    () => `${name} $(${inner()})`,
    () => `${name} "p$(${inner()})q"`,
    () => `${name} \`${name}\``,
    () => `${name} \${x:-$(${inner()})}`,
    () => `${name} $((1 + $(${inner()})))`,
    () => `${name} <(${inner()})`,
    () => `cat <<E\n$(${name})\nE\n${inner()}`,
    () => `cat <<'E'\n$(${name})\nE\n${inner()}`,
    () => `if ${inner()}; then ${inner()}; else ${name}; fi`,
    () => `for i in 1 $(${name}); do ${inner()}; done`,
    () => `sh -c '${name}; ${name}'`,
    () => `env FOO_bar=1 ${name} | xargs ${name}`,
    () => `find . -maxdepth 0 -exec ${name} {} \\;`,
    () => `x=$(${inner()}) ${name} # ${name}`,
    () => `eval "${name} 1"; ! ${name}`,
    () => `[[ -n $(${name}) ]] && ${inner()}`,
  ];
  return forms[next() % forms.length]?.() ?? name;
}

/** One character more, less or other: where quotes end and groups begin is then rarely what it was. */
function mutated(text: string, next: () => number): string {
  const at = next() % (text.length + 1);
  const letters = "'\"`$(){};|&<>#\\ \n=*[]!~";
  const letter = letters[next() % letters.length] ?? "";
  return text.slice(0, at) + letter + text.slice(at + (next() % 2));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
