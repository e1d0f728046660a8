import { readFileSync, statSync } from "node:fs";
import { basename, extname } from "node:path";
import type { UserBlock } from "../core/index.ts";
import { UsageError } from "./io.ts";

/** A file or an address as part of a message: an image to look at, a document to read, or plain text. */
export function attachment(place: string): UserBlock {
  if (/^https?:\/\//.test(place)) return linked(place);
  const bytes = read(place);
  const media_type = mediaTypes[extname(place).toLowerCase()];
  if (media_type !== undefined) {
    const data = bytes.toString("base64");
    if (media_type.startsWith("image/")) return { type: "image", media_type, data };
    return { type: "document", media_type, data, title: basename(place) };
  }
  if (bytes.includes(0)) {
    throw new UsageError(`${place} is neither text nor one of ${Object.keys(mediaTypes).join(", ")}`);
  }
  return { type: "text", text: `<file path="${place}">\n${bytes.toString("utf8")}\n</file>` };
}

function linked(url: string): UserBlock {
  const media_type = mediaTypes[extname(new URL(url).pathname).toLowerCase()];
  if (media_type?.startsWith("image/")) return { type: "image", url, media_type };
  return { type: "document", url, ...(media_type === undefined ? {} : { media_type }) };
}

function read(path: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size > bytesMax)
      throw new UsageError(`${path} has ${size} bytes; ${bytesMax} are the most a request can carry`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}`);
  }
}

/** Without the code before it and the call after it: the path has been said. */
function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/^[A-Z]+: (.*?), [a-z]+( '.*')?$/, "$1");
}

/** Base64 makes three bytes four, and no provider takes more than 32 MiB. */
const bytesMax = 20 * 1024 * 1024;

const mediaTypes: { readonly [ending: string]: string | undefined } = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".pdf": "application/pdf",
};
