import { createParser } from "eventsource-parser";
import { errorInfo, parseJson } from "../core/index.ts";
import type { Decoder } from "./adapter.ts";
import { Failure } from "./failure.ts";

/** The largest frame, line or whole body that is held in memory, in characters. */
const bufferedCharactersMax = 256 * 1024 * 1024;

/** How a body ends, perhaps with blanks behind it; and how often it is worth a try. */
const endsLikeJson = /[}\]]\s*$/;
const endCharacters = 8;
const wholeTriesMax = 64;

/** Text in any pieces, frames out to a decoder. Which framing it is, is seen from the first character. */
export type Feed = {
  readonly push: (text: string) => void;
  /** The bytes are over: hands out what is still held and tells the decoder. */
  readonly end: () => void;
  /** What came can stand as it is: silence from here on means the end. */
  readonly settled?: () => boolean;
};

/**
 * A server may answer a streamed request with plain JSON (a refusal inside a 200, a server that cannot stream) and
 * under any content type, so the bytes decide: an opening bracket is a JSON body, anything else is framed lines.
 */
export function createFeed(decoder: Decoder, framing: "sse" | "json" | "ndjson"): Feed {
  let chosen: Feed | undefined;
  return {
    push(text) {
      if (chosen === undefined) {
        const first = text.trimStart()[0];
        if (first === undefined) return;
        const isJson = framing !== "ndjson" && (first === "{" || first === "[");
        chosen = isJson ? jsonFeed(decoder) : framing === "ndjson" ? lineFeed(decoder) : sseFeed(decoder);
      }
      chosen.push(text);
    },
    end() {
      if (chosen === undefined) decoder.end();
      else chosen.end();
    },
    settled: () => chosen?.settled?.() ?? false,
  };
}

/** Some servers keep the connection open behind a body; where a piece ends like one, it is tried whether it is whole. */
function jsonFeed(decoder: Decoder): Feed {
  const held = holder();
  let parsed: unknown;
  let tries = 0;
  const read = (): void => {
    const text = held.take();
    held.add(text);
    parsed = parseJson(text);
  };
  return {
    push(text) {
      held.add(text);
      parsed = undefined;
      if (endsLikeJson.test(text.slice(-endCharacters)) && tries++ < wholeTriesMax) read();
    },
    settled: () => parsed !== undefined,
    end() {
      if (parsed === undefined) read();
      // A body that was cut off, or JSON followed by frames: let the decoder say what is missing.
      if (parsed === undefined) decoder.end();
      else decoder.body(parsed);
    },
  };
}

function lineFeed(decoder: Decoder): Feed {
  let atEnd = false;
  const lines = splitter((text) => {
    for (const line of text.split(/\r\n|\n|\r/)) {
      if (line.trim() !== "" && (!atEnd || parseJson(line) !== undefined)) decoder.frame(line);
    }
  });
  return {
    push: lines.push,
    end() {
      atEnd = true;
      lines.flush();
      decoder.end();
    },
  };
}

function sseFeed(decoder: Decoder): Feed {
  const stray = holder();
  let atEnd = false;
  const parser = createParser({
    onEvent: (message) => {
      // What the cut left of a frame is no frame.
      if (atEnd && message.data !== "[DONE]" && parseJson(message.data) === undefined) return;
      decoder.frame(message.data, message.event);
    },
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw tooLarge();
      // Seen from gateways: `error: {…}` where `data:` belongs.
      if (error.field === "error" && error.value !== undefined) decoder.frame(error.value, "error");
      else if (error.line !== undefined) stray.add(`${error.line}\n`);
    },
    maxBufferSize: bufferedCharactersMax,
  });
  // Whole lines only: the parser drops a partial line that cannot become a field, and with it a bare JSON error.
  const lines = splitter((text) => parser.feed(text));
  return {
    push: lines.push,
    end() {
      atEnd = true;
      lines.flush();
      // A last event may lack its blank line.
      parser.feed("\n\n");
      const text = stray.take();
      if (text !== "" && parseJson(text) !== undefined) decoder.frame(text);
      decoder.end();
    },
  };
}

/** Hands on text up to the last line end seen and keeps the rest, looking at each character once. */
function splitter(handOn: (text: string) => void): { push: (text: string) => void; flush: () => void } {
  const held = holder();
  return {
    push(text) {
      // Looking for CR only where there is no LF: searching backwards for what is not there costs more than the parser.
      const newline = text.lastIndexOf("\n");
      const end = newline === -1 ? text.lastIndexOf("\r") : newline;
      if (end === -1) return held.add(text);
      const ready = held.take() + text.slice(0, end + 1);
      if (end + 1 < text.length) held.add(text.slice(end + 1));
      handOn(ready);
    },
    flush() {
      const rest = held.take();
      if (rest !== "") handOn(`${rest}\n`);
    },
  };
}

function holder(): { add: (text: string) => void; take: () => string } {
  let pieces: string[] = [];
  let size = 0;
  return {
    add(text) {
      size += text.length;
      if (size > bufferedCharactersMax) throw tooLarge();
      pieces.push(text);
    },
    take() {
      const text = pieces.length === 1 ? (pieces[0] ?? "") : pieces.join("");
      pieces = [];
      size = 0;
      return text;
    },
  };
}

function tooLarge(): Failure {
  const message = `The answer held a piece larger than ${bufferedCharactersMax} characters`;
  return new Failure(errorInfo({ category: "server", message, retryable: false, provider_code: "frame_too_large" }));
}
