import path from "node:path"
import { compareText } from "#ground/base"
import { configItem } from "../config-item.ts"
import type { Found, McpServer, Scope, SettingsLayer } from "../host.ts"
import { isInside } from "../inside.ts"
import { jsonMcpServers } from "../json-mcp.ts"
import { type JsonFile, readJsonFile } from "../json-settings.ts"
import type { Look } from "../look.ts"
import { textsOf } from "../record.ts"
import type { Source } from "../source.ts"
import type { Folders } from "./folders.ts"
import { SOURCES } from "./sources.ts"

export type Settings = {
  readonly items: readonly Found[]
  readonly layers: readonly SettingsLayer[]
  readonly mcpServers: readonly McpServer[]
}

/** Settings, hooks and MCP files; those of a project count only in a trusted folder. */
export async function readSettings(look: Look, folders: Folders): Promise<Settings> {
  const { config, root } = folders
  const at = (file: string, source: Source) => readJsonFile(look, file, source.source)
  const user = await at(path.join(config, "settings.json"), SOURCES.userSettings)
  const state = await at(path.join(config, "config.json"), SOURCES.userSettings)
  const inProject = path.join(root, ".github", "copilot")
  const project = await at(path.join(inProject, "settings.json"), SOURCES.projectSettings)
  const local = await at(path.join(inProject, "settings.local.json"), SOURCES.projectSettings)
  const mcp = await readMcp(look, folders, [user, state])
  const hooks = await readHooks(look, folders)
  return {
    items: [
      ...[user, state].flatMap((it) => itemOf(it, SOURCES.userSettings, "user")),
      ...itemOf(project, SOURCES.projectSettings, "project"),
      ...itemOf(local, SOURCES.projectSettings, "local"),
      ...hooks,
      ...mcp.items,
    ],
    layers: [
      { layer: "local", path: local.path, outcome: local.outcome },
      { layer: "project", path: project.path, outcome: project.outcome },
      { layer: "user", path: user.path, outcome: user.outcome },
    ],
    mcpServers: mcp.servers,
  }
}

function itemOf({ path: at, file }: JsonFile, source: Source, scope: Scope): readonly Found[] {
  return file === undefined ? [] : [configItem({ path: at, file }, source, scope)]
}

async function readMcp(look: Look, folders: Folders, settings: readonly JsonFile[]) {
  const { source } = SOURCES.mcpConfig
  const isTrusted = trusts(settings, folders.cwd)
  const disabled = settings.flatMap((it) => textsOf(it.values["disabledMcpServers"]) ?? [])
  const stateOf = (name: string) => (disabled.includes(name) ? "disabled in settings" : "connects")
  const user = await readJsonFile(look, path.join(folders.config, "mcp-config.json"), source)
  const items = [...itemOf(user, SOURCES.mcpConfig, "user")]
  const servers = [...jsonMcpServers(user, "user", stateOf)]
  for (const folder of folders.walk) {
    const file = await readJsonFile(look, path.join(folder, ".mcp.json"), source)
    items.push(...itemOf(file, SOURCES.mcpConfig, "project"))
    const ofProject = (name: string) => (isTrusted ? stateOf(name) : "waits for trust")
    servers.push(...jsonMcpServers(file, "project", ofProject))
  }
  return { items, servers }
}

function trusts(settings: readonly JsonFile[], cwd: string): boolean {
  const folders = settings.flatMap((it) => textsOf(it.values["trustedFolders"]) ?? [])
  return folders.some((folder) => isInside(cwd, folder))
}

async function readHooks(look: Look, { config, root }: Folders): Promise<readonly Found[]> {
  const items: Found[] = []
  const places = [
    { folder: path.join(config, "hooks"), scope: "user" },
    { folder: path.join(root, ".github", "hooks"), scope: "project" },
  ] as const
  for (const { folder, scope } of places) {
    const entries = await look.list(folder, SOURCES.hooks.source)
    const names = entries.map((it) => it.name).filter((it) => it.endsWith(".json"))
    for (const name of names.toSorted(compareText)) {
      const found = await readJsonFile(look, path.join(folder, name), SOURCES.hooks.source)
      items.push(...itemOf(found, SOURCES.hooks, scope))
    }
  }
  return items
}
