import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import path from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { createTokens } from "#ground/tokens"
import { tempDirectory } from "#test/temp"
import { readTemplates } from "../templates.ts"
import { type PluginFile, pluginFiles } from "./plugin-files.ts"

const ROOT = path.join(import.meta.dirname, "../../../..")
const SCRIPTS = path.join(ROOT, "plugin/scripts")
/** Half of the bar of level 7, because the MCP tools of the plugin also load at start. */
const MOST_START_TOKENS = 2_500
const about = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"))
let files: readonly PluginFile[]

beforeAll(async () => {
  const templates = await readTemplates(path.join(ROOT, "templates"))
  const mcpScript = readFileSync(path.join(SCRIPTS, "mcp.sh"), "utf8")
  files = pluginFiles({ templates, about, mcpScript })
})

function jsonOf(file: string): unknown {
  return JSON.parse(files.find((it) => it.path === file)?.text ?? "")
}

const Author = z.strictObject({ name: z.string(), email: z.string(), url: z.string() }).partial()

/** The closed schema of Agent Plugins 1.0.0. */
const AgentPlugin = z.strictObject({
  $schema: z.literal("https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"),
  name: z
    .string()
    .max(64)
    .regex(/^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/),
  version: z.string(),
  description: z.string(),
  author: Author,
  license: z.string(),
  keywords: z.array(z.string()),
})

const AgentPluginMcp = z.strictObject({
  $schema: z.literal("https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"),
  mcpServers: z.record(
    z.string(),
    z.strictObject({
      type: z.literal("stdio"),
      // A bare name, or a path in the plugin.
      command: z.string().regex(/^(?:[^/\\]+|\.\/.+)$/),
      args: z.array(z.string()),
    }),
  ),
})

/** The registry refuses an entry that breaks its schema of 2025-12-11. */
const RegistryEntry = z.strictObject({
  $schema: z.literal(
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  ),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().max(255),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal("npm"),
        identifier: z.literal("quartermaster"),
        version: z.string().regex(/^\d+\.\d+\.\d+/),
        runtimeHint: z.literal("npx"),
        transport: z.strictObject({ type: z.literal("stdio") }),
        packageArguments: z.array(
          z.strictObject({ type: z.literal("positional"), value: z.string() }),
        ),
      }),
    )
    .length(1),
})

describe("the generated plugin", () => {
  test("[PLUGIN-1] the manifests follow the published schemas and name one version", () => {
    const plugin = AgentPlugin.parse(jsonOf("agent-plugin/plugin.json"))
    AgentPluginMcp.parse(jsonOf("agent-plugin/mcp.json"))
    const entry = RegistryEntry.parse(jsonOf("server.json"))
    expect(entry.name).toBe(about.mcpName)
    const named = ["plugin/.claude-plugin/plugin.json", "plugin/.codex-plugin/plugin.json"].map(
      jsonOf,
    )
    for (const it of named) {
      expect(it).toMatchObject({ name: plugin.name, version: about.version })
    }
    expect([plugin.version, entry.version, entry.packages[0]?.version]).toEqual(
      Array.from({ length: 3 }, () => about.version),
    )
    expect(jsonOf(".claude-plugin/marketplace.json")).toMatchObject({
      name: "quartermaster",
      plugins: [{ name: "qm", source: "./plugin", version: about.version }],
    })
  })

  test("[PLUGIN-2] every template is in the plugin, with its text and its folder's name", async () => {
    const templates = await readTemplates(path.join(ROOT, "templates"))
    for (const { kind, name, description, body } of templates) {
      const at = kind === "agent" ? `agents/${name}.md` : `skills/${name}/SKILL.md`
      const text = files.find((it) => it.path === `plugin/${at}`)?.text
      const portable = files.find((it) => it.path === `agent-plugin/${at}`)?.text
      expect(portable).toBe(kind === "agent" ? undefined : text)
      expect(text).toContain(`name: "${name}"`)
      expect(text).toContain(JSON.stringify(description))
      expect(text).toContain(body.trim())
    }
    const { count } = await createTokens({ encoding: "claude" }).counter()
    const listed = templates.map((it) => `- qm:${it.name}: ${it.description}`).join("\n")
    expect(count(listed)).toBeLessThanOrEqual(MOST_START_TOKENS)
  })

  test("[PLUGIN-3] the hooks are those of the highest level, through the script of the plugin", () => {
    const Hooks = z.object({ hooks: z.record(z.string(), z.array(Group).length(1)) })
    const claude = Hooks.parse(jsonOf("plugin/hooks/hooks.json")).hooks
    expect(Object.keys(claude)).toEqual([
      "SessionStart",
      "PreToolUse",
      "UserPromptSubmit",
      "PostToolUse",
      "SubagentStart",
      "Stop",
      "InstructionsLoaded",
      "PreCompact",
    ])
    const codex = Hooks.parse(jsonOf("plugin/hooks/codex.json")).hooks
    expect(Object.keys(codex)).toEqual(Object.keys(claude).slice(0, -2))
    expect(claude["Stop"]?.[0]?.hooks[0]?.command).toBe(
      'sh "${CLAUDE_PLUGIN_ROOT}/scripts/hook.sh" claude-code',
    )
    expect(codex["Stop"]?.[0]?.hooks[0]?.command).toBe('sh "${PLUGIN_ROOT}/scripts/hook.sh" codex')
  })
})

const Group = z.object({
  matcher: z.string().min(1),
  hooks: z.array(z.object({ command: z.string(), timeout: z.number().max(10) })).length(1),
})

/** A bundle that writes its arguments and input, in a home folder with a space and a quote. */
async function installedHome() {
  const temp = await tempDirectory()
  const home = path.join(temp.path, "it's a home")
  const kit = path.join(home, ".qm/kit")
  mkdirSync(kit, { recursive: true })
  writeFileSync(path.join(kit, "paths"), `${process.execPath}\n${path.join(home, "qm.mjs")}\n`)
  const bundle = `const { readFileSync } = await import("node:fs")
process.stdout.write(JSON.stringify([process.argv.slice(2), readFileSync(0, "utf8")]))\n`
  writeFileSync(path.join(kit, "qm-hook.mjs"), bundle)
  return Object.assign(temp, { home, kit })
}

function hook(home: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync("sh", [path.join(SCRIPTS, "hook.sh"), ...args], {
    env: { PATH: "/usr/bin:/bin", HOME: home, ...env },
    input: '{"a":1}',
  })
  return { status, stdout: stdout.toString(), stderr: stderr.toString() }
}

const SILENT = { status: 0, stdout: "", stderr: "" }

describe("hook.sh", () => {
  test("[PLUGIN-4] runs the installed bundle with the host's name and its input", async () => {
    await using it = await installedHome()
    for (const host of ["claude-code", "codex"]) {
      expect(JSON.parse(hook(it.home, [host]).stdout)).toEqual([[host], '{"a":1}'])
    }
    const elsewhere = { QM_HOME: path.join(it.home, ".qm"), HOME: "/nowhere" }
    expect(hook(it.home, ["codex"], elsewhere).stdout).toContain("codex")
  })

  test("[PLUGIN-4] is silent and exits with 0 without bundle, node, home or known host", async () => {
    await using it = await installedHome()
    expect(hook(path.join(it.path, "empty"), ["claude-code"])).toEqual(SILENT)
    expect(hook("", ["claude-code"])).toEqual(SILENT)
    expect(hook(it.home, [])).toEqual(SILENT)
    expect(hook(it.home, ["other"])).toEqual(SILENT)
    for (const damage of ["", "/gone/node\n", "`exit 2`\n", "(\n"]) {
      writeFileSync(path.join(it.kit, "paths"), damage)
      expect(hook(it.home, ["claude-code"])).toEqual(SILENT)
    }
  })

  test("[PLUGIN-5] is silent where the host has the hooks of qm init", async () => {
    await using it = await installedHome()
    const own = JSON.stringify({ args: [path.join(it.kit, "qm-hook.mjs"), "claude-code"] })
    mkdirSync(path.join(it.home, ".claude"))
    writeFileSync(path.join(it.home, ".claude/settings.json"), own)
    expect(hook(it.home, ["claude-code"])).toEqual(SILENT)
    expect(hook(it.home, ["codex"]).stdout).not.toBe("")
    mkdirSync(path.join(it.home, "c"))
    writeFileSync(path.join(it.home, "c/hooks.json"), own)
    expect(hook(it.home, ["codex"], { CODEX_HOME: path.join(it.home, "c") })).toEqual(SILENT)
    const moved = { CLAUDE_CONFIG_DIR: path.join(it.home, "c") }
    expect(hook(it.home, ["claude-code"], moved).stdout).not.toBe("")
  })
})

describe("mcp.sh", () => {
  test("[PLUGIN-6] runs qm on the PATH, else the qm of the installed kit, else says how to install it", async () => {
    await using it = await installedHome()
    const bin = path.join(it.path, "bin")
    mkdirSync(bin)
    const Codex = z.object({
      mcpServers: z.object({ qm: z.object({ args: z.array(z.string()) }) }),
    })
    const { args } = Codex.parse(jsonOf("plugin/.codex-plugin/plugin.json")).mcpServers.qm
    const run = (search: string) => {
      const env = { PATH: `${search}:/usr/bin:/bin`, HOME: it.home }
      const [file, inline] = [[path.join(SCRIPTS, "mcp.sh")], args].map((given) => {
        const { status, stdout, stderr } = spawnSync("sh", given, { env })
        return [status, stdout.toString(), stderr.toString()]
      })
      expect(inline).toEqual(file)
      return file
    }
    const missing = expect.stringContaining(
      "qm is not on the PATH. Run: npm install -g quartermaster",
    )
    expect(run("/nowhere")).toEqual([127, "", missing])
    writeFileSync(path.join(it.home, "qm.mjs"), "console.log('kit', process.argv[2])\n")
    expect(run("/nowhere")).toEqual([0, "kit mcp\n", ""])
    writeFileSync(path.join(bin, "qm"), '#!/bin/sh\necho "path $1"\n')
    chmodSync(path.join(bin, "qm"), 0o755)
    expect(run(bin)).toEqual([0, "path mcp\n", ""])
  })

  test("[PLUGIN-6] started in the plugin's folder, it works in the folder of its client", async () => {
    await using it = await tempDirectory()
    writeFileSync(path.join(it.path, "qm"), "#!/bin/sh\npwd -P\n")
    chmodSync(path.join(it.path, "qm"), 0o755)
    const run = (PLUGIN_ROOT: string) => {
      const env = { PATH: `${it.path}:/usr/bin:/bin:/usr/sbin`, PLUGIN_ROOT }
      const options = { cwd: it.path, env }
      return execFileSync("sh", [path.join(SCRIPTS, "mcp.sh")], options)
        .toString()
        .trim()
    }
    expect(run(it.path)).toBe(realpathSync(process.cwd()))
    expect(run("/elsewhere")).toBe(realpathSync(it.path))
  })
})
