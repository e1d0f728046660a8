import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { startEmulator, type Emulator } from "../src/testing/index.ts";
import { key } from "./driver.ts";
import { peersFolder } from "./entrants.ts";
import { library } from "./drivers/ikigai.ts";
import type { Row } from "./report.ts";
import { summarise } from "./stats.ts";

/**
 * Three vendors in turn, twice, in one conversation with thinking: how many of the six requests a strict server takes, and
 * how much of the sealed thinking is with its maker again in the second round. The server refuses what the vendors refuse,
 * foreign seals among it.
 */
export async function switching(drivers: readonly string[]): Promise<readonly Row[]> {
  const { converse }: { converse: { readonly [driver: string]: Converse } } =
    drivers.length === 0 ? { converse: {} } : await import(pathToFileURL(join(peersFolder, "switching.mjs")).href);
  const entrants: readonly (readonly [string, Converse])[] = [
    ["ikigai", ours],
    ...Object.entries(converse).filter(([driver]) => drivers.includes(driver)),
  ];
  const rows: Row[] = [];
  for (const [driver, run] of entrants) rows.push(await rowOf(driver, run));
  return rows;
}

async function rowOf(driver: string, run: Converse): Promise<Row> {
  const emulator = await startEmulator({ retired_models: "serve" });
  emulator.script({ answer: { thinking, text: "Yes." }, times: "always" });
  const failure = await run([...round, ...round], { base_url: emulator.url, models, question: "And now?" }).catch(
    (error: unknown) => String(error),
  );
  const requests = emulator.requests();
  await emulator.close();
  const taken = requests.filter(({ status }) => status === 200).length;
  const note = [
    `${requests.slice(round.length).filter(hasItsSeal).length} of 3 seals are with their makers again`,
    `thinking is shown to ${requests.filter(showsForeign).length} requests of another vendor`,
    ...(failure === undefined ? [] : [failure.split("\n")[0]?.slice(0, 120) ?? ""]),
  ];
  return { driver, value: summarise([taken]), note: note.join("; ") };
}

/** OpenAI's may also stay at OpenAI, and be named. */
function hasItsSeal({ wire, status, body }: Request): boolean {
  const seals = {
    messages: /"signature":"/,
    responses: /"encrypted_content":"|"item_reference"/,
    gemini: /"thoughtSignature":"/,
  };
  return status === 200 && wire !== undefined && wire in seals && seals[wire as Wire].test(JSON.stringify(body));
}

/** A wire's own thinking is there once for each time it was asked before. */
function showsForeign(request: Request, index: number): boolean {
  const shown = JSON.stringify(request.body).split(thinking).length - 1;
  return shown > Math.floor(index / round.length);
}

async function ours(order: readonly Wire[], { base_url, question }: Setting): Promise<void> {
  const { user, ask } = library;
  const providers = {
    anthropic: { base_url },
    openai: { base_url: `${base_url}/v1` },
    google: { base_url: `${base_url}/v1beta` },
  };
  const messages = [];
  for (const wire of order) {
    messages.push(user(question));
    const { message } = await ask(`${models[wire]}/med`, { messages }, { key, settings: { providers } });
    messages.push(message);
  }
}

type Request = ReturnType<Emulator["requests"]>[number];
type Wire = (typeof round)[number];
type Setting = { readonly base_url: string; readonly models: typeof models; readonly question: string };
type Converse = (order: readonly Wire[], setting: Setting) => Promise<void>;

const round = ["messages", "responses", "gemini"] as const;
const thinking = "What was asked before matters here.";
/** Models that everyone's tables know. */
const models = { messages: "claude-sonnet-4-5", responses: "gpt-5.4", gemini: "gemini-3.8-flash" } as const;
