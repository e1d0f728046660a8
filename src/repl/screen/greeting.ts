import type { Services } from "../services.ts";

/** What is said at the start: all of it to somebody who is here for the first time, a line to everybody else. */
export function greeting(
  { version, without_key, program = "ikigai" }: Pick<Services, "version" | "without_key" | "program">,
  visit: { readonly first: boolean; readonly model: string },
): readonly string[] {
  if (!visit.first) return [`ikigai ${version} · ${visit.model}`, ...(without_key ? [simulation] : [])];
  return [
    `ikigai ${version}: one conversation, every model.`,
    "",
    ...(without_key
      ? [simulation, ...keyHelp(program), ""]
      : [`${visit.model} answers; /model changes that at any time.`, ""]),
    "Three things to try",
    ...(without_key ? simulatedTries : tries).map(([say, what]) => `  ${say.padEnd(tryColumns)} ${what}`),
    "",
    `/help lists commands, ? keys. Ctrl+D quits; \`${program.replace(/ --$/, "")}\` comes back here.`,
  ];
}

const simulation = "No key was found, so a simulation answers: no model is behind its words.";

const keyHelp = (program: string): readonly string[] => [
  "To talk to a real model, add a key in another terminal, then /model:",
  `  ${`${program} login anthropic`.padEnd(tryColumns)} (or openai, google, xai, openrouter, …)`,
];

const simulatedTries = [
  ["think about the sea", "thinking comes first, then the answer"],
  ["run ls", "a tool; you are asked first"],
  ['/fork --model sim-echo "and you?"', "another model goes on from here"],
] as const;

const tries = [
  ["what is in this folder?", "it looks; changes need your yes"],
  ["/model", "another model, in mid-conversation"],
  ['/fork "try the other way"', "a second agent goes on from here"],
] as const;

const tryColumns = 34;
