import type { UserBlock } from "../../src/core/index.ts";
import { openAgents, type Agents } from "../../src/agent/index.ts";
import type { Host, Question } from "../../src/repl/host.ts";
import type { FoundRow, ModelRow, Opened, Services, SessionChoice } from "../../src/repl/services.ts";
import { textOf, type PickerItem } from "../../src/term/index.ts";
import { stage, type Stage, type StageOptions } from "../agent/support.ts";
import type { Store } from "../../src/store/index.ts";

/** Everything the REPL needs of a machine: real agents, a real history, the emulator; files and commands are made up. */
export async function machine(
  store: Store,
  options: StageOptions = {},
): Promise<{ readonly here: Stage; readonly services: Services }> {
  const here = await stage(store, options);
  return { here, services: servicesOf(here) };
}

export function servicesOf(here: Stage, own: Partial<Services> = {}): Services {
  const { store, world } = here;
  let opened: Agents = here.agents;
  const open = async (choice: SessionChoice): Promise<Opened> => {
    if (choice.which === "last") return { agents: opened, resumed: false, notes: [] };
    const session_uuid = choice.which === "id" ? (await store.sessions.find(choice.id)).uuid : undefined;
    opened = await openAgents(world, session_uuid === undefined ? {} : { session_uuid });
    return { agents: opened, resumed: choice.which === "id", notes: [] };
  };
  return {
    version: "0.0.0",
    folder: world.cwd,
    folder_label: "~/somewhere",
    store_label: "db sqlite",
    without_key: false,
    problems: [],
    preferences: { keys: {}, theme: "dark", mouse: true, thinking: "shown", history_size: 100 },
    now: world.now,
    open,
    async sessions({ everywhere, limit }) {
      const rows = await store.sessions.recent({ limit, ...(everywhere ? {} : { folder: world.cwd }) });
      return rows.map(({ uuid, title, first_text = "", folder = "", updated_at, agents, cost_usd, unpriced }) => ({
        uuid,
        title: title ?? first_text,
        folder,
        updated_at,
        agents,
        cost_usd,
        unpriced,
      }));
    },
    page: (agent_uuid, range) => store.history.page(agent_uuid, range),
    async entry(uuid) {
      const found = here.agents.view(here.root).entries.find((entry) => entry.uuid === uuid);
      if (found === undefined) throw new Error(`no entry ${uuid}`);
      return found;
    },
    async search(text, limit): Promise<readonly FoundRow[]> {
      const hits = await store.search(text, { limit });
      return hits.map(({ session_uuid, agent_uuid, created_at, kind, excerpt }) => ({
        session_uuid,
        agent_uuid,
        created_at,
        kind,
        excerpt,
      }));
    },
    exportTo: async ({ format, path }) => [`Written: ${path ?? "conversation"} as ${format}`],
    usageLines: async () => ["all of it"],
    recall: async () => undefined,
    remember: async () => undefined,
    typed: async () => [],
    keepTyped: async () => undefined,
    models: async () => modelRows,
    tools: async () => [{ name: "look", description: "Looks.", permission: "never asks" }],
    idleTimeoutMs: () => 60_000,
    paths: async (prefix) => ["README.md", "src/", "src/main.ts"].filter((path) => path.startsWith(prefix)),
    async attach(path): Promise<UserBlock> {
      if (path !== "README.md") throw new Error(`${path} cannot be read: no such file`);
      return { type: "text", text: '<file path="README.md">\nhello\n</file>' };
    },
    async shell(command, { signal, output }) {
      output(`ran ${command}\n`);
      if (command === "forever") {
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        return { exit_code: null, output: "ran forever\n" };
      }
      return { exit_code: command === "false" ? 1 : 0, output: `ran ${command}\n` };
    },
    edit: async () => undefined,
    hide: (text) => text.replaceAll("hush", "[secret]"),
    close: async () => undefined,
    ...own,
  };
}

const modelRows: readonly ModelRow[] = [
  { name: "grok-5", provider: "xai", usable: false, levels: ["low", "high"], context_tokens: 256_000 },
  {
    name: "claude-opus-5-5",
    provider: "anthropic",
    usable: true,
    levels: ["none", "low", "med", "high", "max"],
    context_tokens: 200_000,
    input_price: 5,
    output_price: 25,
  },
  { name: "gpt-6.1-sol", provider: "openai", usable: true, levels: ["low", "med", "high"], context_tokens: 400_000 },
];

/** A host that answers questions from a list and keeps what it was told to show. */
export type Fake = {
  readonly host: Host;
  readonly said: string[];
  readonly shown: string[];
  readonly drafts: string[];
  readonly picked: { readonly title: string; readonly labels: readonly string[] }[];
  readonly asked: Question<unknown>[];
  readonly live: string[];
  readonly answers: ((items: readonly PickerItem<unknown>[]) => unknown)[];
  /** What questions are answered with, by the key of the option. */
  readonly keys: string[];
  readonly exited: () => boolean;
};

export function fakeHost(services: Services, first: Agents, mode: "screen" | "plain" = "screen"): Fake {
  let agents = first;
  let here = first.root_uuid;
  let thinking: ReturnType<Host["thinking"]> = "collapsed";
  let gone = false;
  const fake = { said: [], shown: [], drafts: [], picked: [], asked: [], live: [], answers: [], keys: [] } as Omit<
    Fake,
    "host" | "exited"
  >;
  const host: Host = {
    mode,
    services,
    agents: () => agents,
    here: () => here,
    goTo: (uuid) => void (here = uuid),
    async reopen(which) {
      await agents.close();
      ({ agents } = await services.open(which));
      here = agents.root_uuid;
    },
    say: (lines) => void fake.said.push(...lines),
    show: (title, body) => void fake.shown.push(title, ...body(80).map(textOf)),
    async pick(title, items) {
      fake.picked.push({ title, labels: items.map(({ label, hint = "" }) => `${label} | ${hint}`) });
      const answer = fake.answers.shift()?.(items);
      return items.find(({ value }) => value === answer)?.value;
    },
    async ask(question) {
      fake.asked.push(question);
      const key = fake.keys.shift();
      return question.options.find((option) => option.key === key)?.value;
    },
    during(lines, work) {
      const controller = new AbortController();
      const result = work(controller.signal);
      fake.live.push(...lines());
      if (fake.keys[0] === "escape") controller.abort();
      return result;
    },
    draft: (text) => void fake.drafts.push(text),
    shownText: (what) => `the ${what}`,
    copy: async (text) => `Copied ${JSON.stringify(text)}.`,
    thinking: () => thinking,
    setThinking: (view) => void (thinking = view),
    setMouse: () => mode === "screen",
    setTheme: (theme) => void fake.said.push(`theme ${theme}`),
    find: (text) => void fake.said.push(`find ${text}`),
    exit: () => void (gone = true),
  };
  return { ...fake, host, exited: () => gone };
}
