import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

export type Environment = { readonly [name: string]: string | undefined };

/** Where things are on this machine. */
export type Paths = {
  readonly config_folder: string;
  readonly config_file: string;
  readonly credentials_file: string;
  readonly data_folder: string;
  readonly database_file: string;
};

export type System = { readonly platform: string; readonly home: string };

/** `IKIGAI_HOME` holds everything; else the XDG folders; else their defaults, on Windows AppData. */
export function findPaths(env: Environment, system: System = here(env)): Paths {
  const own = absolute(env["IKIGAI_HOME"], system.home);
  const config_folder = own ?? join(configBase(env, system), "ikigai");
  const data_folder = own ?? join(dataBase(env, system), "ikigai");
  return {
    config_folder,
    config_file: join(config_folder, "config.json"),
    credentials_file: join(config_folder, "credentials.json"),
    data_folder,
    database_file: join(data_folder, "ikigai.db"),
  };
}

function configBase(env: Environment, { platform, home }: System): string {
  const roaming = platform === "win32" ? env["APPDATA"] : undefined;
  return xdg(env["XDG_CONFIG_HOME"]) ?? roaming ?? join(home, ".config");
}

function dataBase(env: Environment, { platform, home }: System): string {
  const local = platform === "win32" ? env["LOCALAPPDATA"] : undefined;
  return xdg(env["XDG_DATA_HOME"]) ?? local ?? join(home, ".local", "share");
}

/** The specification: a relative path is to be ignored. */
function xdg(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** A person may write `~` where no shell has expanded it. */
function absolute(path: string | undefined, home: string): string | undefined {
  if (path === undefined || path.trim() === "") return undefined;
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return resolve(path);
}

function here(env: Environment): System {
  const own = process.platform === "win32" ? undefined : env["HOME"];
  return { platform: process.platform, home: own === undefined || own === "" ? homedir() : own };
}
