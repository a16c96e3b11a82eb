import { type KitHostForm, type Template, withHead } from "../hosts/host.ts"
import { HOST_FORMS } from "../hosts/hosts.ts"
import { LEVELS } from "../levels.ts"
import { MARKETPLACE_NAME, PLUGIN_NAME } from "./active-plugin.ts"

/** The fields of `package.json` that the manifests repeat. */
type PluginPackage = {
  readonly version: string
  readonly description: string
  readonly license: string
  readonly mcpName: string
}

export type PluginFile = { readonly path: string; readonly text: string }

/** For Claude Code and Codex. Below the root, because a marketplace entry may not be the root. */
const FOLDER = "plugin"

/**
 * For the clients of Agent Plugins. Its own folder, because Codex 0.166.0 ignores all hooks of a
 * folder that has the portable manifest.
 */
const PORTABLE_FOLDER = "agent-plugin"

const TITLE = "Quartermaster"
const AUTHOR = { name: "The Quartermaster authors" }
const KEYWORDS = ["context", "memory", "mcp", "hooks", "tokens", "search"]

/** The registry refuses a longer description. */
const SERVER_DESCRIPTION = "See, choose, fold and keep what is in a coding agent's context window."

const SCHEMAS = {
  plugin: "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
  mcp: "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
  server: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
}

export type PluginSources = {
  readonly templates: readonly Template[]
  readonly about: PluginPackage
  /** `plugin/scripts/mcp.sh`. */
  readonly mcpScript: string
}

/**
 * The generated files of the plugin folders, of the marketplace and of the MCP registry. A plugin is
 * the same on every machine, so it has the hooks and texts of the highest level; a hook checks the
 * level of its repository when it runs.
 */
export function pluginFiles(sources: PluginSources): readonly PluginFile[] {
  const { templates, about, mcpScript } = sources
  const skills = templates.filter((it) => it.kind !== "agent").map(skillFile)
  const agents = templates.filter((it) => it.kind === "agent").map(agentFile)
  const forHosts: readonly PluginFile[] = [
    { path: ".claude-plugin/plugin.json", text: json(claudeManifest(about)) },
    { path: ".codex-plugin/plugin.json", text: json(codexManifest(sources)) },
    // Claude Code loads this name by itself.
    { path: "hooks/hooks.json", text: hooksOf(HOST_FORMS["claude-code"], "CLAUDE_PLUGIN_ROOT") },
    { path: "hooks/codex.json", text: hooksOf(HOST_FORMS.codex, "PLUGIN_ROOT") },
    ...skills,
    ...agents,
  ]
  const portable: readonly PluginFile[] = [
    { path: "plugin.json", text: json(agentPluginManifest(about)) },
    { path: "mcp.json", text: json({ $schema: SCHEMAS.mcp, mcpServers: { qm: PORTABLE_SERVER } }) },
    { path: "scripts/mcp.sh", text: mcpScript },
    ...skills,
  ]
  return [
    { path: ".claude-plugin/marketplace.json", text: json(marketplace(about)) },
    { path: "server.json", text: json(registryEntry(about)) },
    ...forHosts.map((it) => ({ ...it, path: `${FOLDER}/${it.path}` })),
    ...portable.map((it) => ({ ...it, path: `${PORTABLE_FOLDER}/${it.path}` })),
  ]
}

function claudeManifest({ version, description, license }: PluginPackage): object {
  const args = ["${CLAUDE_PLUGIN_ROOT}/scripts/mcp.sh"]
  return {
    name: PLUGIN_NAME,
    displayName: TITLE,
    version,
    description,
    author: AUTHOR,
    license,
    keywords: KEYWORDS,
    mcpServers: { qm: { command: "sh", args } },
  }
}

/** Codex gives a server ten seconds to start, which a loaded machine exceeds. */
const PATIENT = { startup_timeout_sec: 60 }

/** Codex expands no variable in a server's arguments, so its script is an argument itself. */
function codexManifest({ about: { version, description }, mcpScript }: PluginSources): object {
  const code = mcpScript.split("\n").filter((it) => it !== "" && !it.startsWith("#"))
  return {
    name: PLUGIN_NAME,
    version,
    description,
    skills: "./skills/",
    hooks: "./hooks/codex.json",
    mcpServers: { qm: { command: "sh", args: ["-c", code.join("\n")], ...PATIENT } },
    interface: {
      displayName: TITLE,
      shortDescription: description,
      developerName: AUTHOR.name,
      category: "Developer Tools",
    },
  }
}

function agentPluginManifest({ version, description, license }: PluginPackage): object {
  return {
    $schema: SCHEMAS.plugin,
    name: PLUGIN_NAME,
    version,
    description,
    author: AUTHOR,
    license,
    keywords: KEYWORDS,
  }
}

const PORTABLE_SERVER = { type: "stdio", command: "sh", args: ["${PLUGIN_ROOT}/scripts/mcp.sh"] }

function marketplace({ version, description }: PluginPackage): object {
  return {
    name: MARKETPLACE_NAME,
    owner: AUTHOR,
    description,
    plugins: [{ name: PLUGIN_NAME, source: `./${FOLDER}`, version, description }],
  }
}

function registryEntry({ version, mcpName }: PluginPackage): object {
  return {
    $schema: SCHEMAS.server,
    name: mcpName,
    title: TITLE,
    description: SERVER_DESCRIPTION,
    version,
    packages: [
      {
        registryType: "npm",
        identifier: "quartermaster",
        version,
        runtimeHint: "npx",
        transport: { type: "stdio" },
        packageArguments: [{ type: "positional", value: "mcp" }],
      },
    ],
  }
}

function hooksOf(form: KitHostForm, rootVariable: string): string {
  const script = `\${${rootVariable}}/scripts/hook.sh`
  const entries = form.entries(Math.max(...LEVELS), { kind: "plugin", script })
  return json({ hooks: Object.fromEntries(entries.map((it) => [it.event, [it.entry]])) })
}

/** Commands are skills that a person starts; a host adds the plugin's name: `/qm:claim`. */
function skillFile({ name, description, body }: Template): PluginFile {
  return { path: `skills/${name}/SKILL.md`, text: withHead({ name, description }, body) }
}

/** Claude Code ignores `mcpServers` in agents of a plugin, which has the server itself. */
function agentFile({ name, description, tools, cost, body }: Template): PluginFile {
  const model = cost === "low" ? { model: "haiku" } : {}
  const head = { name, description, ...(tools !== undefined && { tools }), ...model }
  return { path: `agents/${name}.md`, text: withHead(head, body) }
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
