import { createServer, type RequestListener, type Server } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { isPrivateAddress } from "../../../src/agent/tools/addresses.ts";
import { webFetchTool } from "../../../src/agent/tools/web-fetch.ts";
import { newBench, textOf } from "./support.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

const local = webFetchTool({ private_hosts: ["127.0.0.1"] });

function html(body: string): RequestListener {
  return (_, response) => response.setHeader("content-type", "text/html; charset=utf-8").end(body);
}

describe("web_fetch", () => {
  test("a page becomes Markdown", async () => {
    const url = await serve(
      html(
        "<title>T</title><script>bad()</script><h1>Head</h1><p>Some <b>bold</b> <a href='/x'>link</a> ü</p>" +
          "<ul><li>one<li>two</ul><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><pre><code>let x;</code></pre>",
      ),
    );
    const outcome = await newBench().run(local, { url });
    const text = textOf(outcome);
    expect(outcome.is_error).toBe(false);
    for (const part of ["# Head", "**bold**", "[link](", "* one", "| a | b |", "let x;", "ü"])
      expect(text).toContain(part);
    expect(text).not.toContain("bad()");
  });

  test("text stays as it is, compressed or not; other things are refused", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/json") response.setHeader("content-type", "application/json").end('{"a": 1}');
      else if (request.url === "/zip") {
        response.setHeader("content-type", "text/plain").setHeader("content-encoding", "gzip").end(gzipSync("packed"));
      } else response.setHeader("content-type", "application/octet-stream").end(Buffer.from([1, 2, 3]));
    });
    const { run } = newBench();
    expect(textOf(await run(local, { url: `${url}/json` }))).toBe('{"a": 1}');
    expect(textOf(await run(local, { url: `${url}/zip` }))).toBe("packed");
    expect(textOf(await run(local, { url }))).toContain("only text can be read");
  });

  test("long pages come in parts, endless ones are cut", async () => {
    const url = await serve((request, response) => {
      response.setHeader("content-type", "text/plain");
      if (request.url === "/long") return void response.end("0123456789\n".repeat(6000));
      const send = (): void => {
        while (response.write("x".repeat(65_536)));
      };
      response.on("drain", send);
      send();
    });
    const { run } = newBench();
    const first = await run(local, { url: `${url}/long` });
    const [, offset] = /Read on with offset (\d+)/.exec(textOf(first)) ?? [];
    expect(textOf(await run(local, { url: `${url}/long`, offset: Number(offset) }))).toMatch(/^0123456789\n/);
    expect(textOf(await run(local, { url }))).toContain("has been cut");
  });

  test("few redirects, and none to another host", async () => {
    let base = "";
    base = await serve((request, response) => {
      const place = {
        "/once": "/end",
        "/far": "http://example.invalid/",
        "/loop": "/loop",
        "/file": "file:///etc/passwd",
      }[request.url ?? ""];
      if (place === undefined) response.setHeader("content-type", "text/plain").end("arrived");
      else response.writeHead(302, { location: place }).end();
    });
    const { run } = newBench();
    expect(textOf(await run(local, { url: `${base}/once` }))).toBe("arrived");
    expect(textOf(await run(local, { url: `${base}/far` }))).toContain(
      "sends you to another host: http://example.invalid/",
    );
    expect(textOf(await run(local, { url: `${base}/loop` }))).toContain("redirects more than");
    expect(textOf(await run(local, { url: `${base}/file` }))).toContain("is no http(s) address");
  });

  test("errors of the server are results with what it said", async () => {
    const url = await serve((_, response) => response.writeHead(404, { "content-type": "text/plain" }).end("not here"));
    const outcome = await newBench().run(local, { url });
    expect([outcome.is_error, textOf(outcome)]).toEqual([true, "not here\n[The server answered with status 404.]"]);
  });

  test("private addresses are refused, however they are written", async () => {
    const base = await serve(html("internal"));
    const port = new URL(base).port;
    const tool = webFetchTool();
    for (const host of ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0"]) {
      const outcome = await newBench().run(tool, { url: `http://${host}:${port}/` });
      expect([host, outcome.is_error, textOf(outcome).includes("internal")]).toEqual([host, true, false]);
    }
  });

  test("an abort is thrown, silence is a result", async () => {
    const url = await serve(() => {});
    const { run } = newBench();
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 50);
    await expect(run(local, { url }, { signal: controller.signal })).rejects.toThrow("enough");
    expect((await run(local, { url }, { timeout_ms: 100 })).is_error).toBe(true);
  });

  test.each(["not an address", "file:///etc/passwd", "ftp://x/", "http://user:word@example.com/"])(
    "refuses %s",
    async (url) => {
      expect((await newBench().run(local, { url })).is_error).toBe(true);
    },
  );
});

test("addresses of private networks", () => {
  const hidden = [
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "127.9.9.9",
    "0.0.0.0",
    "::1",
    "fe80::1",
    "fd00::1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "2002:7f00:1::",
    "100.64.1.1",
  ];
  const open = ["1.1.1.1", "172.32.0.1", "8.8.8.8", "2606:4700::1111", "2001:4860:4860::8888", "2a00:1450:4001::1"];
  expect(hidden.filter((address) => !isPrivateAddress(address))).toEqual([]);
  expect(open.filter(isPrivateAddress)).toEqual([]);
});
