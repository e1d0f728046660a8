/** Texts the simulated models answer with: made to look at, not to be believed. */
import { own } from "../../core/json.ts";

export const whatItCanDo = `I follow rules, so that everything around me can be tried without a key:

- say anything: I say it back
- **think about** something: thinking arrives first
- **run** \`ls\`, **read** \`README.md\`, **call** a tool by name: where tools are offered
- show a **table**, or **code** in *python*, *rust*, *typescript*
- **write 200 lines**: something long
- **fail** \`rate_limit\`, **stall**, **cut**: see how trouble looks`;

export const sampleTable = `| Season | Light | Harvest |
|---|---|---|
| Spring | longer each day | radish, spinach |
| Summer | 16 hours | tomato, bean |
| Autumn | golden | apple, squash |
| Winter | short | leek, kale |`;

export function sampleCode(language: string | undefined): string {
  const asked = language?.toLowerCase() ?? "";
  const name = own(programs, asked) === undefined ? "typescript" : asked;
  return `\`\`\`${name}\n${programs[name]}\n\`\`\``;
}

export function longText(lines: number): string {
  return Array.from({ length: lines }, (_line, index) => `${index + 1}. ${sentences[index % sentences.length]}`).join(
    "\n",
  );
}

const programs: { readonly [language: string]: string | undefined } = {
  typescript: `function fibonacci(count: number): number[] {
  const numbers = [0, 1];
  while (numbers.length < count) numbers.push(numbers.at(-1)! + numbers.at(-2)!);
  return numbers.slice(0, count);
}`,
  python: `def fibonacci(count: int) -> list[int]:
    numbers = [0, 1]
    while len(numbers) < count:
        numbers.append(numbers[-1] + numbers[-2])
    return numbers[:count]`,
  rust: `fn fibonacci(count: usize) -> Vec<u64> {
    let mut numbers = vec![0, 1];
    while numbers.len() < count {
        numbers.push(numbers[numbers.len() - 1] + numbers[numbers.len() - 2]);
    }
    numbers.truncate(count);
    numbers
}`,
};

const sentences = [
  "A line that says where it stands is easy to find again.",
  "Long answers are read in parts, so parts should stand alone.",
  "The screen holds still while the reader holds still.",
  "What scrolls away is kept, not lost.",
  "Numbers make it plain that nothing is missing.",
];
