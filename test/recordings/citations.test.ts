import { describe, expect, test } from "vitest";
import { isJsonObject, type Citation } from "../../src/core/index.ts";
import { decodeRecorded } from "../../src/cli/wire/decode.ts";
import { readExchange } from "../../src/cli/wire/exchange.ts";
import { wireApi } from "../../src/cli/wire/labels.ts";
import { haveAllRecordings, haveRecordings, loadRecordings, recordingsMessage, type Recording } from "./load.ts";

const files = loadRecordings().filter(
  ({ recording }) => recording.response.status < 400 && wireApi(recording.api) !== undefined,
);
console.log(recordingsMessage("citations"));

describe.skipIf(!haveRecordings)("recorded citations", () => {
  test("are all read, on every wire, and none is made up", async () => {
    const wrong: string[] = [];
    const wires = new Map<string, number>();
    for (const { file, recording } of files) {
      const cited = citedAddresses(recording);
      const read = await citationsOf(recording);
      const ours = new Set(read.map(({ citation }) => citation.url));
      const missing = [...cited].filter((url) => !ours.has(url));
      const extra = [...ours].filter((url) => !cited.has(url));
      if (missing.length > 0 || extra.length > 0)
        wrong.push(`${file}: missing ${missing.join()} extra ${extra.join()}`);
      const wire = wireApi(recording.api) ?? "";
      if (ours.size > 0) wires.set(wire, (wires.get(wire) ?? 0) + 1);
    }
    expect(wrong).toEqual([]);
    console.log(`citations: ${JSON.stringify(Object.fromEntries(wires))}`);
    if (haveAllRecordings)
      expect([...wires.keys()].toSorted()).toEqual(["chat", "generateContent", "messages", "responses"]);
  });

  test("have places inside the text of their block, and on Gemini the very words that lean on them", async () => {
    const wrong: string[] = [];
    let places = 0;
    for (const { file, recording } of files) {
      const segments = new Set(values(framesOf(recording), "segment").flatMap((segment) => textIn(segment, "text")));
      for (const { text, citation } of await citationsOf(recording)) {
        const { start, end } = citation;
        if (start === undefined || end === undefined) continue;
        places += 1;
        if (!(start >= 0 && end > start && end <= text.length))
          wrong.push(`${file}: ${start}–${end} of ${text.length}`);
        if (segments.size > 0 && !segments.has(text.slice(start, end)))
          wrong.push(`${file}: ${text.slice(start, end)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(places > 0 || !haveAllRecordings).toBe(true);
  });
});

async function citationsOf(recording: Recording): Promise<readonly { text: string; citation: Citation }[]> {
  const exchange = readExchange(recording);
  const decoded = "problem" in exchange ? undefined : await decodeRecorded(exchange);
  return (decoded?.message.content ?? []).flatMap((block) =>
    block.type === "text" ? (block.citations ?? []).map((citation) => ({ text: block.text, citation })) : [],
  );
}

/** What a plain look at the frames finds: four wires, five ways of saying it. */
function citedAddresses(recording: Recording): ReadonlySet<string> {
  const frames = framesOf(recording);
  const annotations = [...values(frames, "annotations"), ...values(frames, "annotation")]
    .flat()
    .flatMap((annotation) => [annotation, ...(isJsonObject(annotation) ? [annotation["url_citation"]] : [])])
    .flatMap((annotation) => textIn(annotation, "url"));
  const located = [...values(frames, "citations"), ...values(frames, "citation")]
    .flat()
    .filter((citation) => isJsonObject(citation) && String(citation["type"]).endsWith("_location"))
    .flatMap((citation) => textIn(citation, "url"));
  const found = [...annotations, ...located, ...groundedAddresses(frames)];
  if (found.length > 0 || !haveText(recording)) return new Set(found);
  const listed = values(frames, "search_results")
    .flat()
    .flatMap((result) => textIn(result, "url"));
  const bare = frames.flatMap((frame) =>
    values([frame], "citations")
      .flat()
      .filter((url) => typeof url === "string"),
  );
  return new Set(listed.length > 0 ? listed : bare);
}

function groundedAddresses(frames: readonly unknown[]): readonly string[] {
  return values(frames, "groundingMetadata").flatMap((metadata) => {
    if (!isJsonObject(metadata)) return [];
    const { groundingChunks, groundingSupports } = metadata;
    const chunks = Array.isArray(groundingChunks) ? groundingChunks : [];
    const sources = chunks.map((chunk) => values([chunk], "uri")[0]);
    const used = values([groundingSupports], "groundingChunkIndices").flat();
    const named = used.length > 0 ? used.map((index) => sources[Number(index)]) : sources;
    return named.filter((uri) => typeof uri === "string");
  });
}

function haveText(recording: Recording): boolean {
  return wireApi(recording.api) === "chat";
}

function framesOf({ response }: Recording): readonly unknown[] {
  if (response.body !== undefined) return [response.body];
  const lines = (response.sse ?? response.ndjson ?? "").split(/\r\n|\n|\r/);
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line.replace(/^data:\s*/, ""))];
    } catch {
      return [];
    }
  });
}

/** Every value under this key, at any depth. */
function values(roots: readonly unknown[], key: string): readonly unknown[] {
  return roots.flatMap((root): readonly unknown[] => {
    if (Array.isArray(root)) return values(root, key);
    if (!isJsonObject(root)) return [];
    return [...(root[key] === undefined ? [] : [root[key]]), ...values(Object.values(root), key)];
  });
}

function textIn(value: unknown, key: string): readonly string[] {
  const text = isJsonObject(value) ? value[key] : undefined;
  return typeof text === "string" && text !== "" ? [text] : [];
}
