import { decide } from "../../src/agent/permissions/index.ts";
import { builtInTools } from "../../src/agent/tools/index.ts";
import { coordinationTools } from "../../src/agent/tools/coordinate.ts";
import { block, code, page, table } from "./markdown.mjs";

export function toolsPage() {
  const own = [...builtInTools(), ...coordinationTools(noEngine)];
  const about =
    "What models can call. Tools of your own are executables (`*-tool`) and MCP servers; see the configuration. What a call may do is " +
    "decided by rules (`permissions` in the configuration), then by these defaults; secrets, dangerous commands and what is not " +
    "understood ask a person even where a rule allows them.";
  return page("Tools", about, [
    table(
      ["Tool", "Effect", "Without a rule"],
      own.map((tool) => [
        `[${tool.definition.name}](#${tool.definition.name})`,
        intentOf(tool).effect,
        permissionOf(tool),
      ]),
    ),
    ...own.map(section),
  ]);
}

function section({ definition: { name, description, parameters } }) {
  const required = parameters.required ?? [];
  const rows = Object.entries(parameters.properties ?? {}).map(([field, schema]) => [
    code(field),
    typeWords(schema),
    required.includes(field) ? "yes" : "",
    schema.description ?? "",
  ]);
  return [
    `## ${name}\n`,
    `${description}\n`,
    table(["Field", "Type", "Required", ""], rows),
    "<details><summary>Schema</summary>\n",
    block("json", JSON.stringify(parameters, null, 2)),
    "</details>\n",
  ].join("\n");
}

function typeWords({ type, items, enum: words }) {
  if (words !== undefined) return words.map((word) => code(word)).join(", ");
  if (Array.isArray(type)) return type.join(" or ");
  return items === undefined ? String(type) : `list of ${items.type}s`;
}

/** What the permissions themselves say of a plain call: in the project, and outside of it where that makes a difference. */
function permissionOf(tool) {
  const inside = verdict(tool, samples(project)[tool.definition.name] ?? {});
  const outside = verdict(tool, samples("/elsewhere")[tool.definition.name] ?? {});
  return inside === outside ? inside : `in the project: ${inside}; outside: ${outside}`;
}

function verdict(tool, args) {
  const place = { cwd: project, root: project };
  const { decision } = decide(tool.intent(args, place), tool.definition.name, [], place);
  return words[decision];
}

function intentOf(tool) {
  return tool.intent(samples(project)[tool.definition.name] ?? {}, { cwd: project, root: project });
}

const project = "/project";
const words = { allow: "allowed", ask: "a person is asked", deny: "refused" };

function samples(folder) {
  return {
    bash: { command: "make" },
    file_read: { path: `${folder}/notes.md` },
    file_write: { path: `${folder}/notes.md`, content: "x" },
    file_edit: { path: `${folder}/notes.md`, old_text: "x", new_text: "y" },
    glob: { pattern: "*.md", path: folder },
    grep: { pattern: "x", path: folder },
    web_fetch: { url: "https://example.com/" },
    fork: { prompt: "x" },
    send: { to: "parent", text: "x" },
    kill: { id: "x" },
  };
}

function noEngine() {
  throw new Error("the tools are described here, not called");
}
