import packageJson from "../../package.json" with { type: "json" };
import { ConfigError, findDatabase, findPaths, loadConfig, type Config } from "../config/index.ts";
import type { Preferences, Services } from "../repl/index.ts";
import type { Io } from "./io.ts";
import { folderLabel } from "./repl-folder.ts";
import type { Machinery } from "./repl-machinery.ts";

/** What the first picture needs. */
export type Front = Pick<
  Services,
  "version" | "program" | "folder" | "folder_label" | "store_label" | "preferences" | "now"
>;

/**
 * What the REPL is given. Only what the first picture needs is there at once; everything else is loaded when it is asked
 * for, which is after that.
 */
export function createServices(io: Io, own: { readonly folder: string; readonly model?: string }): Services {
  const front = frontOf(io, own.folder);
  let loaded: Machinery | undefined;
  let loading: Promise<Machinery> | undefined;
  const listeners = new Set<() => void>();
  const outboxChanged = (): void => listeners.forEach((listener) => listener());
  const load = async (): Promise<Machinery> => {
    const { openMachinery } = await import("./repl-machinery.ts");
    loaded = await openMachinery(io, { ...own, history_size: front.preferences.history_size, outboxChanged });
    return loaded;
  };
  const all = (): Promise<Machinery> => (loading ??= load());
  return {
    ...front,
    get store_label() {
      const waiting = loaded?.unwritten;
      return `${front.store_label}${waiting === undefined ? "" : ` · cannot be written, ${waiting} wait`}`;
    },
    get unwritten() {
      return loaded?.unwritten;
    },
    onUnwritten(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get without_key() {
      return loaded?.without_key ?? false;
    },
    get problems() {
      return loaded?.problems ?? [];
    },
    open: async (which) => (await all()).open(which),
    sessions: async (which) => (await all()).sessions(which),
    page: async (agent_uuid, range) => (await all()).page(agent_uuid, range),
    entry: async (uuid) => (await all()).entry(uuid),
    search: async (text, limit) => (await all()).search(text, limit),
    exportTo: async (request) => (await all()).exportTo(request),
    usageLines: async (session_uuid) => (await all()).usageLines(session_uuid),
    recall: async (session_uuid) => (await all()).recall(session_uuid),
    remember: async (session_uuid, state) => (await all()).remember(session_uuid, state),
    typed: async () => (await all()).typed(),
    keepTyped: async (text) => (await all()).keepTyped(text),
    models: async () => (await all()).models(),
    tools: async () => (await (await all()).tools?.()) ?? [],
    idleTimeoutMs: (provider) => loaded?.idleTimeoutMs(provider) ?? Number.POSITIVE_INFINITY,
    paths: async (prefix, limit) => (await all()).paths(prefix, limit),
    attach: async (path) => (await all()).attach(path),
    shell: async (command, how) => (await all()).shell(command, how),
    edit: async (text) => (await all()).edit(text),
    // Nothing that could hold a key is known before.
    hide: (text) => loaded?.hide(text) ?? text,
    close: async () => loaded?.close(),
  };
}

function frontOf({ env }: Io, folder: string): Front {
  const paths = env === undefined ? undefined : findPaths(env);
  const config = loadConfig(paths?.config_file, env ?? {});
  const place = usual(() => findDatabase(config, paths, env ?? {}), undefined);
  return {
    version: packageJson.version,
    // Tried out of its repository there is no command of that name yet.
    ...(env?.["npm_lifecycle_event"] === "start" ? { program: "npm start --" } : {}),
    folder,
    folder_label: folderLabel(folder, env?.["HOME"]),
    store_label: place === undefined || "path" in place ? "db sqlite" : `db postgres ${hostOf(place.url)}`.trim(),
    preferences: preferencesOf(config),
    now: Date.now,
  };
}

/** `example.org/ikigai`: never a name or a password. */
function hostOf(url: string): string {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: "", pathname: "" };
  return `${host}${pathname}`;
}

function preferencesOf(config: Config): Preferences {
  const keys = usual(() => config.get("keys"), {}) ?? {};
  return {
    keys: Object.fromEntries(
      Object.entries(keys).flatMap(([name, list]) => (list === undefined ? [] : [[name, list]])),
    ),
    theme: usual(() => config.get("theme"), "auto"),
    mouse: usual(() => config.get("mouse"), true),
    thinking: usual(() => config.get("show_thinking"), "collapsed"),
    history_size: usual(() => config.get("history_size"), historySizeUsual),
  };
}

/** What is wrong in the file is among its problems, which are told; the usual holds instead. */
function usual<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) return otherwise;
    throw error;
  }
}

const historySizeUsual = 10_000;
