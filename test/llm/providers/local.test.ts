import { afterEach, describe, expect, test } from "vitest";
import { ask, builtinProviders, listModels, localServers, type CallOptions } from "../../../src/llm/index.ts";
import { byteServer, type ByteServer } from "../driver/server.ts";
import { answering, chunks, failureOf, sent, user, weather, withoutKey } from "./support.ts";

const locals = builtinProviders.filter((row) => row.local !== undefined);
const names = locals.map(({ name }) => name);
let server: ByteServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Options under which every local server is looked for at this address. */
function at(base_url: string): CallOptions {
  return { settings: { providers: Object.fromEntries(names.map((name) => [name, { base_url }])) } };
}

const hello = chunks({ id: "1", model: "m", choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] });

describe("local servers", () => {
  test("are four, at their usual addresses, with patience", () => {
    expect(locals.map(({ name, base_url, idle_timeout_ms }) => [name, base_url, idle_timeout_ms])).toEqual([
      ["ollama", "http://localhost:11434/v1", 600_000],
      ["llamacpp", "http://localhost:8080/v1", 600_000],
      ["lmstudio", "http://localhost:1234/v1", 600_000],
      ["vllm", "http://localhost:8000/v1", 600_000],
    ]);
  });

  test.each(names)("%s needs no key, and sends one where it is given", async (name) => {
    server = await byteServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(hello);
    });
    const answer = await ask(`${name}:m`, "Hi", at(server.url));
    expect(answer.message.content).toEqual([{ type: "text", text: "Hi" }]);
    expect(answer.cost_usd).toBeUndefined();
    await ask(`${name}:m`, "Hi", { ...at(server.url), key: "secret" });
    expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual([undefined, "Bearer secret"]);
  });

  test.each(locals.map((row) => [row.name, row.local?.start ?? ""]))(
    "%s that is not running: the error says how to start it (%s)",
    async (name, start) => {
      server = await byteServer(() => {});
      const { url } = server;
      await server.close();
      for (const info of [
        (await failureOf(ask(`${name}:m`, "Hi", at(url)))).info,
        (await failureOf(listModels(name, at(url)))).info,
      ]) {
        expect(info).toMatchObject({ category: "network", provider_code: "ECONNREFUSED", retryable: false });
        expect(info.message).toContain(new URL(url).host);
        expect(info.message).toContain(`is started with \`${start}\``);
      }
    },
  );

  test("llama.cpp may be called by its own name", async () => {
    expect((await sent("llama.cpp:Qwen3-1.7B", "Hi")).body["model"]).toBe("Qwen3-1.7B");
    await expect(listModels("llama.cpp", answering({ data: [{ id: "m" }] }))).resolves.toEqual([{ id: "m" }]);
  });

  test("list their models, each in its own way of telling the context", async () => {
    const lists: [string, object, object][] = [
      ["ollama", { data: [{ id: "qwen3:4b", owned_by: "library" }] }, { id: "qwen3:4b" }],
      ["llamacpp", { data: [{ id: "q", meta: { n_ctx_train: 40_960 } }] }, { id: "q", context_tokens: 40_960 }],
      ["vllm", { data: [{ id: "q", max_model_len: 32_768 }] }, { id: "q", context_tokens: 32_768 }],
      ["lmstudio", { models: [{ key: "q", max_context_length: 8_192 }] }, { id: "q", context_tokens: 8_192 }],
    ];
    for (const [name, body, model] of lists) {
      expect(await listModels(name, withoutKey(answering(body)))).toEqual([model]);
    }
  });

  test("are asked with what each of them takes", async () => {
    const conversation = {
      system: "Be brief.",
      messages: [user("Hi")],
      tools: [weather],
      tool_choice: { mode: "specific", name: "get_weather" },
      cache_key: "conversation-1",
    } as const;
    const choices: { [name: string]: unknown } = {};
    for (const name of names) {
      const { body, headers } = await sent(`${name}:qwen3:4b/none`, conversation);
      choices[name] = body["tool_choice"];
      expect(body["messages"]).toMatchObject([{ role: "system" }, { role: "user", content: "Hi" }]);
      expect(body).toHaveProperty("max_tokens");
      expect(Object.keys(body)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(store|metadata|prompt_cache_key|service_tier)$/)]),
      );
      expect(JSON.stringify({ body, headers })).not.toMatch(/strict|conversation-1/);
    }
    expect(choices).toEqual({
      ollama: undefined,
      llamacpp: "required",
      lmstudio: "required",
      vllm: { type: "function", function: { name: "get_weather" } },
    });
  });

  test("get images inside the request, never an address to fetch", async () => {
    const image = { type: "image", url: "https://example.com/cat.png" } as const;
    const { body, notes } = await sent("ollama:gemma3", { messages: [{ role: "user", content: [image] }] });
    expect(JSON.stringify(body)).not.toContain("image_url");
    expect(notes).toEqual(["image_url_unsupported"]);
  });

  test.each(names)("%s: thinking between tags in the text is thinking", async (name) => {
    const stream = chunks(
      { id: "1", model: "m", choices: [{ index: 0, delta: { content: "<thi" } }] },
      {
        id: "1",
        model: "m",
        choices: [{ index: 0, delta: { content: "nk>Hm.</think>\n\nHi" }, finish_reason: "stop" }],
      },
    );
    const answer = await ask(`${name}:qwen3`, "Hi", answering(stream));
    expect(answer.message.content).toEqual([
      { type: "thinking", text: "Hm." },
      { type: "text", text: "Hi" },
    ]);
  });
});

describe("a Llama without a home", () => {
  const serve = (found: { readonly [name: string]: readonly string[] }): CallOptions & { urls: string[] } => {
    const urls: string[] = [];
    const providers = Object.fromEntries(names.map((name) => [name, { base_url: `http://${name}.test/v1` }]));
    return {
      urls,
      key: "secret",
      settings: { providers },
      fetch: (url, init) => {
        urls.push(`${url} ${new Headers(init.headers).get("authorization") ?? "-"}`);
        const name = new URL(url).hostname.replace(".test", "");
        if (init.method === "POST") return Promise.resolve(stream(hello));
        const ids = found[name];
        if (ids === undefined) return Promise.reject(new TypeError("fetch failed"));
        return Promise.resolve(Response.json({ data: ids.map((id) => ({ id })) }));
      },
    };
  };

  test("is found on the local server that has it, under that server's name for it", async () => {
    const options = serve({ vllm: ["Qwen/Qwen3-32B"], ollama: ["qwen3:4b", "llama3.3:latest"] });
    const answer = await ask("llama-3.3/low", "Hi", options);
    expect(answer.message.origin).toMatchObject({ provider: "ollama", model: "llama3.3:latest" });
    // The key was meant for whoever answers, not for those who are only asked what they have.
    expect(options.urls.filter((url) => url.includes("/models")).every((url) => url.endsWith(" -"))).toBe(true);
    expect(options.urls.at(-1)).toBe("http://ollama.test/v1/chat/completions Bearer secret");
  });

  test.each(["Llama-3.3-70B-Instruct.gguf", "meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b-instruct:latest"])(
    "is also called %s",
    async (id) => {
      const answer = await ask("llama-3.3-70b-instruct", "Hi", serve({ llamacpp: [id] }));
      expect(answer.message.origin).toMatchObject({ provider: "llamacpp", model: id });
    },
  );

  test("is not found where nobody has it", async () => {
    const { info } = await failureOf(ask("llama-3.3", "Hi", serve({ ollama: ["qwen3:4b"] })));
    expect(info).toMatchObject({ category: "not_found", provider_code: "retired_provider" });
  });

  test("servers that answer are told with their models, the others not at all", async () => {
    const options = serve({ ollama: ["qwen3:4b"], lmstudio: [] });
    expect(await localServers(options)).toEqual([
      { provider: "ollama", models: [{ id: "qwen3:4b" }] },
      { provider: "lmstudio", models: [] },
    ]);
  });
});

function stream(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}
