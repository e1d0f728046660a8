import { parseArgs } from "node:util";
import type { Session } from "../store/index.ts";
import { htmlPage } from "./export/html.ts";
import { jsonLines } from "./export/lines.ts";
import { markdownPage } from "./export/markdown.ts";
import { transcript } from "./export/transcript.ts";
import { writeWhole } from "./export/write.ts";
import { exitCodes } from "./exit-codes.ts";
import { UsageError, type Io } from "./io.ts";
import { count, plural } from "./layout.ts";
import { hider, secretsOf, takeInAbandoned, withHistory, type Stored } from "./stored.ts";

export async function runExport(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      format: { type: "string" },
      output: { type: "string", short: "o" },
      all: { type: "boolean", default: false },
    },
  });
  const [id, ...more] = positionals;
  if (more.length > 0 || (id === undefined) !== values.all)
    throw new UsageError("export takes the ID of one conversation (see `ikigai history`), or --all");
  const format = formatFrom(values.format, values.output);
  if (values.all && format !== "jsonl")
    throw new UsageError("--all needs --format jsonl; a page holds one conversation");
  return withHistory(io, {
    empty: () => exitCodes.not_found,
    run: async (stored) => {
      await takeInAbandoned(stored.store, io);
      const session = id === undefined ? undefined : await stored.store.sessions.find(id);
      const pieces = piecesOf(stored, { session, format, io });
      if (values.output === undefined || values.output === "-") for await (const piece of pieces) io.stdout(piece);
      else {
        const bytes = await writeWhole(values.output, pieces);
        io.stderr(`Wrote ${values.output} (${count(bytes)} bytes).\n`);
      }
      return 0;
    },
  });
}

type Format = "md" | "html" | "jsonl";

function formatFrom(given: string | undefined, output: string | undefined): Format {
  const ending = /\.(\w+)$/.exec(output ?? "")?.[1]?.toLowerCase();
  const word = given ?? (ending !== undefined && Object.hasOwn(formats, ending) ? ending : "md");
  const format = Object.hasOwn(formats, word) ? formats[word] : undefined;
  if (format === undefined) throw new UsageError(`--format is md, html or jsonl, not "${word}"`);
  return format;
}

const formats: { readonly [word: string]: Format | undefined } = {
  md: "md",
  markdown: "md",
  html: "html",
  htm: "html",
  jsonl: "jsonl",
};

export async function* piecesOf(
  { store, world }: Stored,
  { session, format, io }: { readonly session: Session | undefined; readonly format: Format; readonly io: Io },
): AsyncGenerator<string, void, undefined> {
  const secrets = secretsOf(world);
  const hideJson = hider(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  const hideIn = <Value>(value: Value): Value => {
    const json = secrets.length === 0 ? "" : JSON.stringify(value);
    const hidden = hideJson(json);
    return hidden === json ? value : (JSON.parse(hidden) as Value);
  };
  if (session !== undefined && format !== "jsonl") {
    const parts = transcript(store, session, hideIn);
    yield* format === "md" ? markdownPage(parts) : htmlPage(parts);
    return;
  }
  let leftOut = 0;
  yield* jsonLines(store, session?.uuid, {
    hideJson,
    holdsSecret: (bytes) =>
      secrets.some((secret) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(secret)),
    onLeftOut: () => (leftOut += 1),
  });
  if (leftOut > 0)
    io.stderr(`ikigai: warning: the contents of ${plural(leftOut, "file")} hold a key and were left out\n`);
}
