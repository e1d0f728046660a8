import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Stands between a program and its database, and can fail like a network. */
export type Proxy = {
  /** The same address, through here. */
  readonly url: string;
  /** Nobody gets through, and whoever was through is cut off. */
  readonly cut: () => void;
  readonly mend: () => void;
  /** The next words that hold this text are passed on, but the answer is lost with the connection. */
  readonly loseAnswerTo: (text: string) => void;
  readonly close: () => Promise<void>;
};

export async function proxyFor(url: string): Promise<Proxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let open = true;
  let fatal: string | undefined;
  const server = createServer((client) => {
    if (!open) return client.destroy();
    const upstream = connect(Number(target.port === "" ? 5432 : target.port), target.hostname);
    const both = [client, upstream];
    const end = (): void => both.forEach((socket) => socket.destroy());
    for (const socket of both) {
      sockets.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on("data", (data) => {
      if (fatal !== undefined && data.includes(fatal)) {
        fatal = undefined;
        client.destroy();
        // Time for the server to hear it before the line is dead.
        upstream.write(data, () => setTimeout(end, 100));
      } else upstream.write(data);
    });
    upstream.on("data", (data) => client.write(data));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    cut() {
      open = false;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      open = true;
    },
    loseAnswerTo(text) {
      fatal = text;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
