import path from "node:path"
import { compareText, isInside } from "#ground/base"
import { belongsIfThere } from "../files/file-trust.ts"
import { type JsonFile, jsonMcpServers, readJsonFile, textsOf } from "../files/json-settings.ts"
import type { HostItem, McpServer, Scope, SettingsLayer } from "../host.ts"
import { configItem, type Source } from "../source.ts"
import type { SurveyReader } from "../survey-reader.ts"
import { type Folders, SOURCES } from "./folders.ts"

export type Settings = {
  readonly items: readonly HostItem[]
  readonly layers: readonly SettingsLayer[]
  readonly mcpServers: readonly McpServer[]
}

export async function readSettings(reader: SurveyReader, folders: Folders): Promise<Settings> {
  const { config, root } = folders
  const at = settingsReader(reader, folders)
  const user = await at(path.join(config, "settings.json"), SOURCES.userSettings, "user")
  const state = await at(path.join(config, "config.json"), SOURCES.userSettings, "user")
  const inProject = path.join(root, ".github", "copilot")
  const ofProject = SOURCES.projectSettings
  const project = await at(path.join(inProject, "settings.json"), ofProject, "project")
  const local = await at(path.join(inProject, "settings.local.json"), ofProject, "local")
  const mcp = await readMcp(reader, folders, [user, state])
  const hooks = await readHooks(reader, folders)
  return {
    items: [...[user, state, project, local].flatMap(itemOf), ...hooks, ...mcp.items],
    layers: [local, project, user].map(layerOf),
    mcpServers: mcp.servers,
  }
}

type OwnedFile = JsonFile & {
  readonly source: Source
  readonly scope: Scope
  readonly trust: HostItem["trust"]
}

function settingsReader(reader: SurveyReader, { grounds }: Folders) {
  return async (at: string, source: Source, scope: Scope): Promise<OwnedFile> => {
    const read = await readJsonFile(reader, at, source.source)
    const trust = belongsIfThere(read.file, { path: at, scope }, grounds)
    return { ...read, source, scope, trust }
  }
}

function itemOf({ path: at, file, source, scope, trust }: OwnedFile): readonly HostItem[] {
  return file === undefined ? [] : [configItem({ path: at, file, trust }, source, scope)]
}

function layerOf({ path: at, scope, outcome, trust }: OwnedFile): SettingsLayer {
  return { layer: scope, path: at, outcome, trust }
}

async function readMcp(reader: SurveyReader, folders: Folders, settings: readonly JsonFile[]) {
  const at = settingsReader(reader, folders)
  const isTrusted = trusts(settings, folders.cwd)
  const disabled = settings.flatMap((it) => textsOf(it.values["disabledMcpServers"]) ?? [])
  const stateOf = (name: string) => (disabled.includes(name) ? "disabled in settings" : "connects")
  const user = await at(path.join(folders.config, "mcp-config.json"), SOURCES.mcpConfig, "user")
  const items = [...itemOf(user)]
  const servers = [...jsonMcpServers(user, "user", stateOf)]
  for (const folder of folders.walk) {
    const file = await at(path.join(folder, ".mcp.json"), SOURCES.mcpConfig, "project")
    items.push(...itemOf(file))
    const ofProject = (name: string) => (isTrusted ? stateOf(name) : "waits for trust")
    servers.push(...jsonMcpServers(file, "project", ofProject))
  }
  return { items, servers }
}

function trusts(settings: readonly JsonFile[], cwd: string): boolean {
  const folders = settings.flatMap((it) => textsOf(it.values["trustedFolders"]) ?? [])
  return folders.some((folder) => isInside(folder, cwd))
}

async function readHooks(reader: SurveyReader, folders: Folders): Promise<readonly HostItem[]> {
  const { config, root } = folders
  const at = settingsReader(reader, folders)
  const items: HostItem[] = []
  const places = [
    { folder: path.join(config, "hooks"), scope: "user" },
    { folder: path.join(root, ".github", "hooks"), scope: "project" },
  ] as const
  for (const { folder, scope } of places) {
    const entries = await reader.list(folder, SOURCES.hooks.source)
    const names = entries.map((it) => it.name).filter((it) => it.endsWith(".json"))
    for (const name of names.toSorted(compareText)) {
      items.push(...itemOf(await at(path.join(folder, name), SOURCES.hooks, scope)))
    }
  }
  return items
}
