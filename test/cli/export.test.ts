import { readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runExport } from "../../src/cli/export.ts";
import { tame } from "../../src/cli/export/tame.ts";
import { runImport } from "../../src/cli/import.ts";
import { checkHistory, type Store } from "../../src/store/index.ts";
import { canary, makeHome, run, type Ran } from "../config/home.ts";
import { engineNames, histories, type Target } from "../store/support/engines.ts";
import { says, withAgent } from "../store/support/make.ts";
import { converse } from "./conversation.ts";

const home = makeHome();
const sqlite = histories("sqlite");
const postgres = histories("postgres");
const engines = { sqlite, postgres };

function envFor(target: Target): { readonly [name: string]: string } {
  return { ...home.env, IKIGAI_DATABASE_URL: "path" in target ? target.path : target.url };
}

describe.each(engineNames)("on %s", (engine) => {
  const { open, target } = engines[engine];
  const elsewhere = engines[engine === "sqlite" ? "postgres" : "sqlite"];

  const filled = async () => {
    const place = await target();
    const store = await open(place);
    return { env: envFor(place), store, ...(await converse(store)) };
  };

  const jsonLines = async (env: { readonly [name: string]: string }, ...args: readonly string[]): Promise<string> => {
    const { out, code } = await run(runExport, [...(args.length === 0 ? ["--all"] : args), "--format", "jsonl"], {
      env,
    });
    expect(code).toBe(0);
    return out;
  };

  const importText = (text: string, env: { readonly [name: string]: string }): Promise<Ran> =>
    run(runImport, [home.write("lines.jsonl", text)], { env });

  test("as Markdown a person can read, with nothing in it that can break the page", async () => {
    const { env, session } = await filled();
    const { out, err } = await run(runExport, [session.uuid.slice(0, 9)], { env });
    expect(err).toBe("");
    expect(out).toMatch(/^# Why does the needle \\<b\\>fail\\<\/b\\>\? red line\n/);
    expect(out).toContain("> Why does the needle \\<b>fail\\</b>?\n> red");
    expect(out).toContain("<details><summary>Thinking</summary>\n\nHidden **thoughts**\n\n</details>");
    expect(out).toContain("### thinker (high) · ");
    expect(out).toContain('**→ bash**\n\n```json\n{\n  "command": "cat \'</details>\'"\n}\n```');
    expect(out).toContain(
      "<summary>Result of bash, failed, exit code 2</summary>\n\n````\n```\n</pre><script>alert(3)</script>\n````",
    );
    expect(out).toContain(
      "**changed** `/src/<x>.ts`\n\n```diff\n@@ -1,3 +1,3 @@\n one\n-two\n+2 < 3 <script>\n three\n```",
    );
    expect(out).toContain("- [A \\<doc\\>](<https://example.com/doc>)");
    expect(out).toContain("So:\n```\ncut off\n```\n\n**Interrupted: this is what had arrived**");
    expect(out).toContain("## tests, forked from root");
    expect(out).toContain("*Rewound: here: what came after that place is no longer in force*");
    expect(out).toContain("<sub>300 tokens · $0.2500 · 1.5 s</sub>");
    expect(out).not.toContain("\u001b");
    // Tags outside of code are our own, and as many are closed as were opened.
    const outside = out.replaceAll(/^(`{3,})[^`]*\n[\s\S]*?\n\1$/gm, "").replaceAll(/`[^`\n]+`/g, "");
    const tags = outside.match(/(?<!\\)<\/?[a-z]+>/g) ?? [];
    expect(new Set(tags)).toEqual(new Set(["<details>", "<summary>", "</summary>", "</details>", "<sub>", "</sub>"]));
    expect(tags.filter((tag) => tag === "<details>")).toHaveLength(tags.filter((tag) => tag === "</details>").length);
  });

  test("where it cannot be written, what was asked for is named, not a draft of it", async () => {
    const { env, session } = await filled();
    const into = async (path: string) => run(runExport, [session.uuid, "--output", home.path(path)], { env });
    expect((await into("nowhere/page.html")).err).toMatch(`there is no folder ${home.path("nowhere")}\n`);
    home.write("a-file", "");
    expect((await into("a-file/page.html")).err).toMatch(`${home.path("a-file")} is no folder\n`);
  });

  test("as one page that loads nothing and runs nothing", async () => {
    const { env, session } = await filled();
    const path = home.path("page.html");
    const ran = await run(runExport, [session.uuid, "--output", path], { env });
    const page = readFileSync(path, "utf8");
    expect(ran).toEqual({
      code: 0,
      out: "",
      err: `Wrote ${path} (${Buffer.byteLength(page).toLocaleString("en-US")} bytes).\n`,
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page.endsWith("</main>\n</body>\n</html>\n")).toBe(true);
    expect(page).toContain("default-src 'none'; img-src data:; style-src 'unsafe-inline'");
    expect(page).toContain("light-dark(");
    expect(page).not.toMatch(/<script|<link|<iframe|<object|javascript:(?!alert\(1\)\))|@import|url\(/i);
    expect(page).not.toMatch(/\son\w+=(?!alert\(1\)&gt;)/);
    expect([...page.matchAll(/\ssrc="([^"]*)"/g)].map(([, src]) => src)).toEqual(["data:image/png;base64,aGVsbG8="]);
    expect(new Set([...page.matchAll(/\shref="([^"]*)"/g)].map(([, href]) => href))).toEqual(
      new Set(["https://example.com/p.png", "https://example.com/doc", "https://example.com/remote.png"]),
    );
    expect(page).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(page).toContain('<details class="thinking"><summary>Thinking</summary>');
    expect(page).toContain('<details class="call"><summary><b>bash</b>');
    expect(page).toContain('<span class="added">+2 &lt; 3 &lt;script&gt;</span>');
    expect(page).toContain("<code>let x: A&lt;B&gt;;</code>");
    const opened = [...page.matchAll(/<(details|article|div|pre|ul|table)\b/g)].length;
    expect([...page.matchAll(/<\/(details|article|div|pre|ul|table)>/g)]).toHaveLength(opened);
  });

  test("as lines that are the same after they were imported, on either engine", async () => {
    const { env, store, session } = await filled();
    await converse(store, "/second");
    const all = await jsonLines(env);
    expect(all).not.toContain("\u2028");
    const place = await elsewhere.target();
    const there = await elsewhere.open(place);
    await withAgent(there, "/already/here");
    const before = await jsonLines(envFor(place));
    const ran = await importText(all, envFor(place));
    expect(ran).toEqual({ code: 0, err: "", out: "Imported 2 conversations, 4 agents, 26 entries, 2 letters.\n" });
    expect(await jsonLines(envFor(place))).toBe(before + all);
    expect(await jsonLines(envFor(place), session.uuid)).toBe(await jsonLines(env, session.uuid));
    expect(await checkHistory(there)).toEqual([]);
    const again = await run(runImport, ["-"], { env: envFor(place), input: all });
    expect(again.out).toBe("Nothing new. 26 entries were there already.\n");
    expect(await jsonLines(envFor(place))).toBe(before + all);
  });

  test("what went on after an export is added by the next; the older one changes nothing", async () => {
    const { env, store, agent } = await filled();
    const place = await elsewhere.target();
    const old = await jsonLines(env);
    await importText(old, envFor(place));
    await store.history.append(agent.uuid, [says("more"), { kind: "agent_killed", content: "enough" }]);
    await store.sessions.rename(agent.session_uuid, "Renamed");
    const newer = await jsonLines(env);
    expect((await importText(newer, envFor(place))).out).toMatch(
      /^Imported 0 conversations, 0 agents, 2 entries\. 13 /,
    );
    expect(await jsonLines(envFor(place))).toBe(newer);
    expect((await importText(old, envFor(place))).out).toMatch(/^Nothing new\./);
    expect(await jsonLines(envFor(place))).toBe(newer);
  });

  test("another entry of the same id, and a log that went on in two places, are refused whole", async () => {
    const { env, store, agent } = await filled();
    const place = await elsewhere.target();
    const lines = await jsonLines(env);
    const there = await elsewhere.open(place);
    await importText(lines, envFor(place));
    const refused = async (text: string, message: RegExp, code: number): Promise<void> => {
      const before = await jsonLines(envFor(place));
      const ran = await importText(text, envFor(place));
      expect(ran).toMatchObject({ code, out: "" });
      expect(ran.err).toMatch(message);
      expect(await jsonLines(envFor(place))).toBe(before);
    };
    const stranger = await withAgent(store, "/new");
    await store.history.append(stranger.agent.uuid, [says("new")]);
    const withNew = await jsonLines(env);
    await refused(withNew.replace('"go on"', '"stop"'), /entry \S+ is in this history already, and is not the same/, 1);
    await refused(withNew.replace('"folder":"/home', '"folder":"/root'), /session \S+ is in this history already/, 1);
    await refused(withNew.replaceAll(/"base64":"\w/g, '"base64":"X'), /line \d+: the bytes of \w+… are not what/, 2);
    await refused(`${withNew}{"type":"song"}\n`, /lines\.jsonl, line \d+: .*its type is not known/, 2);
    await refused(withNew.slice(0, -20), /lines\.jsonl, line \d+: not JSON; the file may have been cut off/, 2);
    const agentLine = new RegExp(`^.*"type":"agent","uuid":"${stranger.agent.uuid}".*\n`, "m");
    await refused(withNew.replace(agentLine, ""), /line \d+: there is no agent/, 8);
    await store.history.append(agent.uuid, [says("here")]);
    await there.history.append(agent.uuid, [says("there")]);
    await refused(await jsonLines(env), /agent \S+ went on here and there/, 1);
  });

  test("B44 no key is in an export, nor in a history that something with a key was imported into", async () => {
    const key = canary();
    const stored = canary("gsk_");
    const { env, store, agent } = await filled();
    const change = {
      before: await store.blobs.put(Buffer.from(`KEY=${key}\n`)),
      after: await store.blobs.put(Buffer.from("KEY=\n")),
    };
    await store.history.append(agent.uuid, [
      says(`${key} and ${stored}`),
      { kind: "tool_result", content: key, data: { tool_call_id: key, is_error: false } },
      { kind: "file_change", content: `/${stored}`, data: change },
    ]);
    const plain = await jsonLines(env);
    expect(plain).toContain(key);
    home.write("credentials.json", { groq: { api_key: stored } });
    const knowing = { ...env, ANTHROPIC_API_KEY: key };
    const [session] = await store.sessions.list();
    for (const format of ["md", "html", "jsonl"]) {
      const { out, err, code } = await run(runExport, [session?.uuid ?? "", "--format", format], { env: knowing });
      expect(code).toBe(0);
      expect(out).toContain("[secret]");
      for (const secret of [key, stored, Buffer.from(`KEY=${key}`).toString("base64").slice(0, 30)])
        expect(out).not.toContain(secret);
      expect(err).toBe(
        format === "jsonl" ? "ikigai: warning: the contents of 1 file hold a key and were left out\n" : "",
      );
    }
    const place = await target();
    const to = { ...envFor(place), ANTHROPIC_API_KEY: key };
    expect((await importText(plain, to)).code).toBe(0);
    const fresh = await open(place);
    expect(await textOfEverything(fresh)).not.toMatch(new RegExp(`${key}|${stored}`));
    expect((await importText(plain, to)).out).toMatch(/^Nothing new/);
    const broken = await importText(`{"type":"${key}"}`, to);
    expect(broken.err).not.toContain(key);
    home.remove("credentials.json");
  });
});

test("a file is written whole or stays as it was, and a device is not replaced", async () => {
  const place = await sqlite.target();
  const store = await sqlite.open(place);
  const { session } = await converse(store);
  const env = envFor(place);
  const path = home.path("kept.md");
  writeFileSync(path, "kept");
  expect((await run(runExport, ["nobody", "-o", path], { env })).code).toBe(8);
  expect(readFileSync(path, "utf8")).toBe("kept");
  expect((await run(runExport, [session.uuid, "-o", "/dev/null"], { env })).err).toContain("/dev/null is no file");
  expect((await run(runExport, [session.uuid, "-o", home.path("no/such/folder.md")], { env })).code).toBe(2);
  expect((await run(runImport, [home.path("none")], { env })).code).toBe(2);
});

test("Markdown that was cut off closes what it opened, and tags in it are text", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["a <b>bold</b> `<b>` 1 < 2", "a \\<b>bold\\</b> `<b>` 1 < 2"],
    ["```\n<b>\n", "```\n<b>\n\n```"],
    ["````md\n```\n````\n<!-- x", "````md\n```\n````\n\\<!-- x"],
    ["- ~~~\n  x", "- ~~~\n  x\n  ~~~"],
    ["see <https://example.com>", "see <https://example.com>"],
    ["![x](https://example.com)", "\\![x](https://example.com)"],
    ["```not a fence``` <i>", "```not a fence``` \\<i>"],
  ];
  for (const [given, expected] of cases) expect(tame(given)).toBe(expected);
});

/** Every text in every table. Bytes of files are kept as they are: a file that is put back must be the same. */
async function textOfEverything(store: Store): Promise<string> {
  const { db } = store.engine;
  const rows = [
    await db.selectFrom("sessions").selectAll().execute(),
    await db.selectFrom("agents").selectAll().execute(),
    await db.selectFrom("messages").selectAll().execute(),
    await db.selectFrom("mail").selectAll().execute(),
  ];
  expect(rows.every((found) => found.length > 0)).toBe(true);
  return JSON.stringify(rows);
}
