import type { Answer, AnswerRule, MockRequest } from "../../src/testing/index.ts";

/** What the stand-ins say on the pages of the guide. Where nothing fits they say back what they heard. */
export const answers: AnswerRule = (request) => {
  const { answer } = table.find(({ pattern }) => pattern.test(heardBy(request))) ?? {};
  return typeof answer === "function" ? answer(request) : answer;
};

function heardBy({ messages }: MockRequest): string {
  return messages.findLast(({ role, text }) => role === "user" && text !== "")?.text ?? "";
}

/** A tool first, then, with its result, a text. */
function after(name: string, args: { readonly [name: string]: string }, text: string) {
  return ({ messages }: MockRequest): Answer =>
    (messages.at(-1)?.tool_results.length ?? 0) > 0 ? { text } : { tool_calls: [{ name, arguments: args }] };
}

type Row = { readonly pattern: RegExp; readonly answer: Answer | ((request: MockRequest) => Answer) };

const table: readonly Row[] = [
  {
    pattern: /why is the sky blue/i,
    answer: {
      thinking: "Rayleigh scattering: short waves are scattered more. Keep it to one sentence.",
      text: "Air scatters short waves more than long ones, so blue light reaches us from every direction.",
    },
  },
  {
    pattern: /red at dusk/i,
    answer: ({ wire }) => ({
      thinking: "A longer way through the air, so the blue is gone by then.",
      text: {
        messages: "At dusk light comes a longer way through the air. The blue is scattered away, and red is left.",
        responses: "Low light crosses more air, which removes the blue first.",
        chat: "More air, less blue.",
        gemini: "Because the path through the atmosphere is longer at dusk, mostly red light arrives.",
      }[wire],
    }),
  },
  { pattern: /open questions/i, answer: { text: "There is one open question in notes.md: who brings the boat?" } },
  { pattern: /plans\.md/i, answer: { text: "Nothing is open in plans.md." } },
  { pattern: /commit message/i, answer: { text: "Add greet, which says hello" } },
  { pattern: /what does this program print/i, answer: { text: "It prints “hello” once greet() is called." } },
  { pattern: /^good morning/i, answer: { text: "Bonjour !" } },
  {
    pattern: /count the lines of greet\.py/i,
    answer: after("bash", { command: "wc -l greet.py" }, "greet.py has 2 lines."),
  },
];
