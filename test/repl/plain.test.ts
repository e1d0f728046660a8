import { describe, expect, test } from "vitest";
import { runPlain, type PlainWorld } from "../../src/repl/plain/index.ts";
import type { Services } from "../../src/repl/services.ts";
import { call, gemini, gpt, said, tool, type StageOptions } from "../agent/support.ts";
import { histories } from "../store/support/engines.ts";
import { machine, servicesOf } from "./machine.ts";

const { open } = histories("sqlite");

type Options = StageOptions & { readonly services?: Partial<Services>; readonly plain?: Partial<PlainWorld> };

/** A run of the plain mode over a script. */
async function run(script: string | readonly string[], { services: own, plain, ...options }: Options = {}) {
  const { here } = await machine(await open(), options);
  const services = servicesOf(here, own);
  const written: string[] = [];
  const world: PlainWorld = {
    input: pieces(typeof script === "string" ? [script] : script),
    write: (text) => void written.push(text),
    interactive: false,
    which: { which: "last" },
    env: { TERM: "dumb" },
    platform: "linux",
    colour_depth: 0,
    ...plain,
  };
  const code = await runPlain(services, world);
  return { here, code, text: written.join(""), lines: written.join("").split("\n"), written };
}

async function* pieces(parts: readonly string[]): AsyncGenerator<string> {
  yield* parts;
}

/** Input and Ctrl-C as a person gives them, when they see what they wait for. */
function person() {
  const typed: string[] = [];
  let wake: (() => void) | undefined;
  let closed = false;
  let interruptNow: (() => void) | undefined;
  let seen = "";
  const waits: { readonly text: string; readonly resolve: () => void }[] = [];
  const input = (async function* () {
    for (;;) {
      const next = typed.shift();
      if (next !== undefined) yield next;
      else if (closed) return;
      else await new Promise<void>((resolve) => void (wake = resolve));
    }
  })();
  return {
    plain: {
      input,
      interactive: true,
      write(text: string) {
        seen += text;
        for (const wait of waits.filter((one) => seen.includes(one.text))) {
          seen = seen.slice(seen.indexOf(wait.text) + wait.text.length);
          waits.splice(waits.indexOf(wait), 1);
          wait.resolve();
        }
      },
      onInterrupt(listener: () => void) {
        interruptNow = listener;
        return () => void (interruptNow = undefined);
      },
    } satisfies Partial<PlainWorld>,
    type(line: string) {
      typed.push(`${line}\n`);
      wake?.();
    },
    /** After everything that was waited for before. */
    sees: (text: string) =>
      new Promise<void>((resolve, reject) => {
        const at = seen.indexOf(text);
        const late = setTimeout(() => reject(new Error(`never seen: ${text}\n${seen}`)), 10_000);
        late.unref();
        if (at === -1) return void waits.push({ text, resolve });
        seen = seen.slice(at + text.length);
        resolve();
      }),
    interrupt: () => interruptNow?.(),
    leave() {
      closed = true;
      wake?.();
    },
  };
}

describe("U31 a script", () => {
  test("each line waits for the answer before it; the end of the input ends with 0", async () => {
    const { here, code, lines } = await run(`hello\n/model ${gpt}\nwhy?\n`);
    expect(code).toBe(0);
    const at = (text: string) => lines.findIndex((line) => line.includes(text));
    const order = [
      "you: hello",
      "You said: hello",
      "Tokens: ",
      "> /model",
      "✓ Switched to OpenAI",
      "you: why?",
      "You said: why?",
    ];
    const places = order.map(at);
    expect(places.every((place) => place >= 0)).toBe(true);
    expect([...places].sort((left, right) => left - right)).toEqual(places);
    expect(lines.filter((line) => line.startsWith("Tokens: "))).toHaveLength(2);
    const answers = here.of("entry").flatMap(({ entry }) => (entry.kind === "assistant" ? [entry.data.provider] : []));
    expect(answers).toEqual(["anthropic", "openai"]);
  });

  test("nothing is taken back: no control codes, whatever a model says", async () => {
    const { text } = await run("say it\n", {
      emulator: {
        script: [{ answer: { thinking: "hm \x1b[2J", text: "evil \x1b]0;title\x07\x1b[31mred\x1b[0m\rback" } }],
      },
    });
    expect(text).toContain("red");
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\x9b]/);
  });

  test("what is laid out for a screen comes without codes as well", async () => {
    const { text } = await run(
      `/help\n/system Be brief.\n/system\n/fork --model ${gpt} --model ${gemini} "a"\n/compare\n`,
    );
    expect(text).toMatch(/^\/rewind +back to a mark/m);
    expect(text).toContain("System prompt:\nBe brief.\n");
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/\x1b/);
  });

  test("lines cut anywhere, CRLF, a backslash for more lines, no line end at the end", async () => {
    const { here } = await run(["hel", "lo\r\nfirst \\\nsec", "ond\nlast"]);
    expect(said(here, here.root).filter((line) => line.startsWith("user"))).toEqual([
      "user: hello",
      "user: first \nsecond",
      "user: last",
    ]);
  });

  test("thinking is shown, collapsed or hidden", async () => {
    const script = {
      emulator: { script: ["a", "b", "c"].map((text) => ({ answer: { thinking: "deep thought", text } })) },
    };
    const { text } = await run("/think show\none\n/think collapse\ntwo\n/think hide\nthree\n", script);
    expect(text.split("deep thought")).toHaveLength(2);
    expect(text.match(/^thought/gm)).toHaveLength(2);
  });

  test("a fork, its comparison, the tree, and back", async () => {
    const { here, text, code } = await run(
      `/fork --model ${gpt} --model ${gemini} "which?"\n/compare\n/agents\n/usage\n`,
    );
    expect(code).toBe(0);
    expect(text).toMatch(/Now at agent \S{4}, gpt-6\.1-sol\/low/);
    expect(text).toContain("You said: which?");
    expect(text).toMatch(/agent \S{4} \(gemini-4-argon\/low\) is done; \/agents \S{4} goes there/);
    expect(text).toMatch(/You said: which\? +│ You said: which\?/);
    expect(text).toMatch(/^└ \S{4} gemini-4-argon\/low idle/m);
    expect(here.agents.list()).toHaveLength(3);
  });

  test("a mistake is said, and the script goes on", async () => {
    const { here, text, code } = await run("/modle x\n@missing.txt\n/wait\n/resume nothing\nstill here\n");
    expect(code).toBe(0);
    expect(text).toContain("error: There is no command /modle; did you mean /model?");
    expect(text).toContain("missing.txt cannot be read");
    expect(text).toContain("Usage: /wait SECONDS [ID…]");
    expect(text).toContain('there is no session "nothing"');
    expect(said(here, here.root)[0]).toBe("user: still here");
  });

  test("!command: its output as it comes, once", async () => {
    const { text } = await run("!echo hi\n!false\n");
    expect(text.match(/ran echo hi/g)).toHaveLength(1);
    expect(text).toContain("$ echo hi");
    expect(text).toContain("The command ended with exit code 1.");
  });

  test("a file that is mentioned is named, not repeated", async () => {
    const { text } = await run("look at @README.md\n");
    expect(text).toContain("you: look at @README.md\n  with README.md\n");
  });

  test("what fails is said with what to do", async () => {
    const { text, code } = await run("hello\n", { emulator: { script: [{ error: "authentication" }] } });
    expect(code).toBe(0);
    expect(text).toMatch(/^error: the key was not accepted: /m);
    expect(text).toContain("ikigai login anthropic");
  });

  test("/exit ends it, whatever follows", async () => {
    const { here, code } = await run("/exit\nnever said\n");
    expect(code).toBe(0);
    expect(here.emulator.requests()).toHaveLength(0);
  });
});

describe("U31 questions in lines", () => {
  const asking = (script: string) =>
    run(script, {
      world: {
        tools: [tool("touch", () => "touched", "write")],
        permissions: {
          decide: () => ({
            verdict: "ask",
            reason: "it writes",
            proposal: [{ tool: "touch" }],
            proposal_text: ["touch: src/**"],
          }),
          remember: () => undefined,
        },
      },
      emulator: {
        script: [
          { answer: { tool_calls: [call("touch", "a")] } },
          { answer: { text: "so be it" } },
          { answer: { text: "and on" } },
        ],
      },
    });

  test("an approval takes the next line", async () => {
    const { here, text } = await asking("do it\ny\nthanks\n");
    expect(text).toMatch(/Agent \S{4} asks to use touch: touch a/);
    expect(text).toContain("yes, always: touch: src/**");
    expect(text).toMatch(/tool touch done/);
    expect(here.of("approval_settled")[0]?.allowed).toBe(true);
    expect(said(here, here.root).filter((line) => line.startsWith("user"))).toEqual(["user: do it", "user: thanks"]);
  });

  test("at the end of the input the answer is no", async () => {
    const { here, text, code } = await asking("do it\n");
    expect(code).toBe(0);
    expect(here.of("approval_settled")[0]?.allowed).toBe(false);
    expect(text).toMatch(/tool touch not allowed/);
  });

  test("a line that is no answer is a no, and is taken for itself", async () => {
    const { here } = await asking("do it\nwhat else?\n");
    expect(here.of("approval_settled")[0]?.allowed).toBe(false);
    expect(said(here, here.root).filter((line) => line.startsWith("user"))).toEqual([
      "user: do it",
      "user: what else?",
    ]);
  });

  test("a list takes a number or a name", async () => {
    const { here, text } = await run("/model\ngpt-6.1-sol\nhigh\n/model\n1\n\n");
    expect(text).toContain("  2 gpt-6.1-sol (openai · 400k · $? in, $? out)");
    const switched = here.of("entry").flatMap(({ entry }) => (entry.kind === "model" ? [entry.data] : []));
    expect(switched).toMatchObject([{ model: "gpt-6.1-sol", thinking_level: "high" }]);
  });
});

describe("U31 a person", () => {
  test("types while it works: the line is queued; Ctrl-C ends the turn, twice quits", async () => {
    const me = person();
    const running = run("", {
      plain: me.plain,
      emulator: {
        script: [
          { answer: { text: "it never ends and ".repeat(40) }, fault: { kind: "stall", after_frames: 8 } },
          { answer: { text: "second answer" } },
        ],
      },
    });
    await me.sees("> ");
    me.type("first");
    await me.sees("it never ends");
    me.type("second");
    await me.sees("queued: second");
    me.interrupt();
    await me.sees("Ctrl-C again quits.");
    await me.sees("second answer");
    await me.sees("Tokens: ");
    await me.sees("> ");
    me.type("/think");
    await me.sees("Thinking is hidden.");
    me.interrupt();
    await me.sees("Ctrl-C again quits.");
    me.interrupt();
    const { code, here } = await running;
    expect(code).toBe(130);
    expect(here.of("turn_ended").map(({ outcome }) => outcome)).toEqual(["interrupted", "done"]);
  });

  test("is asked again after a wrong answer; what was typed before is no answer", async () => {
    const me = person();
    const running = run("", {
      plain: me.plain,
      world: {
        tools: [tool("touch", () => "touched", "write")],
        permissions: { decide: () => ({ verdict: "ask", reason: "it writes" }), remember: () => undefined },
      },
      emulator: { script: [{ answer: { tool_calls: [call("touch", "a")] } }, { answer: { text: "thank you" } }] },
    });
    await me.sees("> ");
    me.type("do it");
    await me.sees("Answer (y/n");
    me.type("maybe");
    await me.sees("That is none of the answers.");
    await me.sees("Answer (y/n");
    me.type("y");
    await me.sees("thank you");
    await me.sees("> ");
    me.leave();
    const { code, here } = await running;
    expect(code).toBe(0);
    expect(here.of("approval_settled").map(({ allowed }) => allowed)).toEqual([true]);
  });

  test("sees the prompt again below what came by itself, and after Ctrl-C", async () => {
    const me = person();
    const gate = Promise.withResolvers<string>();
    const running = run("", {
      plain: me.plain,
      world: { tools: [tool("linger", () => gate.promise)] },
      emulator: {
        rule: ({ model, messages }) =>
          model.startsWith("gpt") || messages.some(({ tool_results }) => tool_results.length > 0)
            ? { text: "so be it" }
            : { tool_calls: [call("linger", "a")] },
      },
    });
    await me.sees("> ");
    me.interrupt();
    await me.sees("\nCtrl-C again quits.\n> ");
    me.type(`/fork --model ${gpt} --model ${gemini} "which?"`);
    await me.sees("so be it");
    await me.sees("> ");
    gate.resolve("done");
    await me.sees(" is done; ");
    await me.sees("> ");
    me.leave();
    expect((await running).code).toBe(0);
  });

  test("is asked for an agent that is not looked at, and has the prompt again once nothing is asked", async () => {
    const me = person();
    const running = run("", {
      plain: me.plain,
      world: {
        tools: [tool("touch", () => "touched", "write")],
        permissions: { decide: () => ({ verdict: "ask", reason: "it writes" }), remember: () => undefined },
      },
      emulator: {
        rule: ({ messages }) =>
          messages.at(-1)?.text === "touch it" ? { tool_calls: [call("touch", "a")] } : { text: "so be it" },
      },
    });
    await me.sees("> ");
    me.type('/fork --model gpt-6.1-sol --model gpt-6.1-sol "touch it"');
    await me.sees("Answer (y/n, empty line: no): ");
    me.interrupt();
    // The line of a question nobody answered ends all the same.
    await me.sees("\n");
    await me.sees("Answer (y/n, empty line: no): ");
    me.type("y");
    await me.sees("so be it");
    await me.sees("> ");
    me.leave();
    const { here } = await running;
    expect(here.of("approval_settled").map(({ allowed }) => allowed)).toEqual([false, true]);
  });

  test("Ctrl-C ends a command that takes its time, and only that", async () => {
    const me = person();
    const running = run("", { plain: me.plain });
    await me.sees("> ");
    me.type("!forever");
    await me.sees("ran forever");
    me.interrupt();
    await me.sees("> ");
    me.type("hello");
    await me.sees("You said: hello");
    me.leave();
    expect((await running).code).toBe(0);
  });
});
