// The few forms the pages of the reference are made of.

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n");
}

/** @param {string} title @param {string} about @param {readonly string[]} parts */
export function page(title, about, parts) {
  return [`# ${title}`, "", about, "", "This page is made from the code by `npm run docs`.", "", ...parts].join("\n");
}

export function code(text) {
  return `\`${text}\``;
}

export function block(language, text) {
  return `\`\`\`${language}\n${text}\n\`\`\`\n`;
}
