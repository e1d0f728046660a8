import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { user, validateConversation } from "../../src/core/index.ts";
import { decodeExchange, decodeRecorded, adapterFor } from "../../src/cli/wire/decode.ts";
import { readExchange, type Exchange } from "../../src/cli/wire/exchange.ts";
import { providerFor, wireApi, type WireApi } from "../../src/cli/wire/labels.ts";
import { builtinProviders } from "../../src/llm/index.ts";
import { compareReadings, describeMismatch } from "./compare.ts";
import { decodeDifferences } from "./differences.ts";
import { recordedErrors } from "./errors.ts";
import { haveAllRecordings, haveRecordings, loadRecordings, recordingsMessage, type RecordingFile } from "./load.ts";
import { plainReading } from "./plain/index.ts";

const files = loadRecordings();
console.log(recordingsMessage("decode"));

const rows = new Set(builtinProviders.map(({ name }) => name));
const groups = Map.groupBy(files, ({ recording }) => `${recording.provider} ${recording.api}`);
const answers = [...groups].map(([group, members]) => ({
  group,
  members: members.filter(({ recording }) => recording.response.status < 400 && plainReading(recording) !== undefined),
}));
/** Whether the provider of a group has a row, whose quirks then read it. */
const hasRow = (group: string): boolean => {
  const [label = "", api = ""] = group.split(" ");
  const wire = wireApi(api);
  return wire !== undefined && rows.has(providerFor(label, wire));
};

describe.skipIf(!haveRecordings)("recordings, decoded", () => {
  test("none crashes, each ends once and last", async () => {
    const broken: string[] = [];
    for (const { file, recording } of files) {
      const decoded = await decodeRecorded(exchangeOf(recording));
      if (decoded === undefined) continue;
      const { events, end } = decoded;
      const ends = events.filter((event) => event.type === "done" || event.type === "error");
      if (ends.length !== 1 || events.at(-1) !== ends[0]) broken.push(`${file}: ${ends.length} endings`);
      if (end.type === "error" && end.error.category === "unknown") {
        broken.push(`${file}: ${end.error.message}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test("every message is plain JSON, legal in our format, and names its maker on all that only the maker reads", async () => {
    const wrong: string[] = [];
    for (const { file, recording } of answers.flatMap(({ members }) => members)) {
      const { message } = await decodeExchange(file, exchangeOf(recording));
      if (message === null) continue;
      if (!isDeepStrictEqual(JSON.parse(JSON.stringify(message)), message)) wrong.push(`${file}: not plain JSON`);
      const problems = validateConversation({ messages: [user("Hi"), message] });
      wrong.push(...problems.map((problem) => `${file}: ${problem.place} ${problem.message}`));
      const { provider, model } = message.origin;
      const makers = message.content.flatMap((block) => block.opaque ?? []);
      if (makers.some((opaque) => opaque.provider !== provider || opaque.model !== model)) wrong.push(`${file}: maker`);
    }
    expect(wrong).toEqual([]);
  });

  test.each(answers.filter(({ group, members }) => hasRow(group) && members.length > 0))(
    "$group reads as the bytes do",
    async ({ members }) => expect(await mismatches(members)).toEqual([]),
  );

  test.each(answers.filter(({ group, members }) => !hasRow(group) && members.length > 0))(
    "$group, by its protocol, reads as the bytes do",
    async ({ members }) => expect(await mismatches(members)).toEqual([]),
  );

  test("B43 the parts of every usage are disjoint, not negative and sum to its total", async () => {
    const wrong: string[] = [];
    for (const { file, recording } of files) {
      const { usage } = await decodeExchange(file, exchangeOf(recording));
      if (usage === null) continue;
      const { total_tokens, ...parts } = usage;
      const figures = Object.values(parts);
      const sum = figures.reduce((left, right) => left + right, 0);
      if (sum !== total_tokens || figures.some((figure) => !(figure >= 0)))
        wrong.push(`${file}: ${JSON.stringify(usage)}`);
    }
    expect(wrong).toEqual([]);
  });

  test("an API that we do not speak is called so", async () => {
    const spoken = new Set(answers.flatMap(({ members }) => members.map(({ recording }) => recording.api)));
    const others = files.filter(({ recording }) => !spoken.has(recording.api));
    expect(others.length > 0 || !haveAllRecordings).toBe(true);
    for (const { file, recording } of others) {
      const line = await decodeExchange(file, exchangeOf(recording));
      expect(line).toMatchObject({ ok: false, api: recording.api, error: { provider_code: "unsupported_api" } });
    }
  });

  test("each listed difference still differs", async () => {
    const byName = new Map(files.map((entry) => [entry.file, entry]));
    const stale: string[] = [];
    for (const { file, fields } of decodeDifferences) {
      const entry = byName.get(file);
      if (entry === undefined) continue;
      const differing = (await compare(entry)).map(({ field }) => field);
      for (const field of fields) if (!differing.includes(field)) stale.push(`${file}: ${field}`);
    }
    expect(stale).toEqual([]);
  });
});

describe.skipIf(!haveRecordings)("recorded refusals", () => {
  const refusals = files.filter(({ recording }) => recording.response.status >= 400);
  const expected = new Map(recordedErrors.map(([hash, status, category]) => [hash, { status, category }]));

  test("B40 every body has its category", async () => {
    const wrong: string[] = [];
    for (const { file, recording } of refusals) {
      const row = expected.get(recording.id.slice(-8));
      const { http_status, category } = await errorOf(recording);
      // A recording that is not in the table has at least some category.
      const right =
        row === undefined ? category !== "unknown" : category === row.category && http_status === row.status;
      if (!right) wrong.push(`${file}: ${http_status} ${category}, not ${row?.status} ${row?.category}`);
    }
    expect(wrong).toEqual([]);
  });

  test.skipIf(!haveAllRecordings)("B40 the table holds every body and no other", () => {
    const hashes = refusals.map(({ recording }) => recording.id.slice(-8));
    expect(hashes.toSorted()).toEqual([...expected.keys()].sort());
  });

  test("a refusal by status has neither answer nor usage", async () => {
    for (const { file, recording } of refusals) {
      const line = await decodeExchange(file, exchangeOf(recording));
      expect(line).toMatchObject({ ok: false, message: null, finish_reason: null, usage: null });
    }
  });
});

async function mismatches(members: readonly RecordingFile[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of members) {
    const listed = decodeDifferences.find(({ file }) => file === entry.file)?.fields ?? [];
    const unexpected = (await compare(entry)).filter(({ field }) => !listed.includes(field));
    found.push(...unexpected.map((mismatch) => describeMismatch(entry.file, mismatch)));
  }
  return found;
}

async function compare({ file, recording }: RecordingFile): Promise<ReturnType<typeof compareReadings>> {
  const reading = plainReading(recording);
  if (reading === undefined) throw new Error(`${file} has no plain reading`);
  return compareReadings(recording.api, reading, await decodeExchange(file, exchangeOf(recording)));
}

/** The four wires read their own refusals; the bodies of APIs beside them are read by the nearest. */
async function errorOf(recording: RecordingFile["recording"]): Promise<{ http_status?: number; category: string }> {
  const nearest = nearestWire[recording.api];
  if (nearest === undefined) {
    const { error } = await decodeExchange("", exchangeOf(recording));
    return { http_status: error?.http_status ?? 0, category: error?.category ?? "none" };
  }
  const { status, headers, text } = exchangeOf(recording);
  return (await adapterFor(nearest)).decodeError({ status, headers: new Headers(headers), text, now: 0 });
}

function exchangeOf(recording: RecordingFile["recording"]): Exchange {
  const exchange = readExchange(recording);
  if ("problem" in exchange) throw new Error(`${recording.id}: ${exchange.problem}`);
  return exchange;
}

const nearestWire: { readonly [api: string]: WireApi | undefined } = {
  count_tokens: "messages",
  interactions: "generateContent",
  "native-chat": "chat",
};
