import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Measured, Reply, Task } from "./worker.ts";

/** A driver in a child process, which answers every task with one message. */
export type Lane = { readonly run: (task: Task) => Promise<Measured>; readonly close: () => void };

export async function openLane(driverFile: string): Promise<Lane> {
  const child = start("./worker.ts", [driverFile]);
  await reply(child);
  return {
    async run(task) {
      child.send(task);
      const answer = (await reply(child)) as Reply;
      if ("failed" in answer) throw new Error(answer.failed);
      return answer;
    },
    close: () => void child.kill(),
  };
}

export type Server = { readonly origin: string; readonly close: () => void };

export async function openServer(): Promise<Server> {
  const child = start("./server.ts", []);
  const { port } = (await reply(child)) as { port: number };
  return { origin: `http://127.0.0.1:${port}`, close: () => void child.kill() };
}

function start(file: string, args: readonly string[]): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, { stdio: ["ignore", "ignore", "pipe", "ipc"] });
}

async function reply(child: ChildProcess): Promise<unknown> {
  let errors = "";
  const listen = (data: Buffer): void => void (errors += data.toString("utf8"));
  child.stderr?.on("data", listen);
  const controller = new AbortController();
  const { signal } = controller;
  try {
    const exit = once(child, "exit", { signal }).then(() => {
      throw new Error(/^.*error.*$/im.exec(errors)?.[0].trim() ?? "the process ended");
    });
    const timeout = new Promise<never>((_resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new Error(`no answer in ${replyTimeoutMs / 1000} s`));
      }, replyTimeoutMs);
      signal.addEventListener("abort", () => clearTimeout(timer));
    });
    const [answer]: unknown[] = await Promise.race([once(child, "message", { signal }), exit, timeout]);
    return answer;
  } finally {
    child.stderr?.off("data", listen);
    controller.abort();
  }
}

const replyTimeoutMs = 60_000;
