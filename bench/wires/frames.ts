/** A frame with its event line, as most wires send it. */
export function namedFrame(event: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The random letters that hide how long a token is. Same length pattern, same bytes in every run. */
export function padding(index: number): string {
  return letters.slice(index % 7, (index % 7) + 4 + ((index * 7) % 12));
}

/** Something that looks like a signature of that many characters. */
export function seal(length: number): string {
  return letters.repeat(Math.ceil(length / letters.length)).slice(0, length);
}

const letters = "EoIFCm0IDxgCKkAQcntET6WZmwEnXKdKOb9Dt6T70GoQ5HXJA4tvbtfp3YlQxxZcJzLh6Jhp";
