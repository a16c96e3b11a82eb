import path from "node:path"
import { isRecord } from "#ground/base"
import type { Disk } from "../disk.ts"
import { belongsIfThere, belongsTo } from "../file-trust.ts"
import { findProgram } from "../find-program.ts"
import type { Host, HostItem, HostPlace, McpServer, Survey } from "../host.ts"
import { fieldsOf, textsOf } from "../json-settings.ts"
import { LARGEST_INSTRUCTION_BYTES, SETTINGS_LIMIT_BYTES } from "../limits.ts"
import { configItem } from "../source.ts"
import { createSurveyReader, type SurveyReader } from "../survey-reader.ts"
import {
  type CodexConfig,
  type ConfigFile,
  fileWithText,
  layersOf,
  readConfig,
  SOURCES,
  scopeOf,
} from "./config.ts"
import { projectFolders } from "./folders.ts"
import { projectInstructions, userInstructions } from "./instructions.ts"
import { readLastSession } from "./session.ts"
import { skillItems } from "./skills.ts"

export const codex: Host = {
  name: "codex",
  title: "Codex",
  factsVersions: ["0.166.0"],
  isVerified: true,
  survey,
  findInstalled: (place, disk) =>
    findProgram(place, disk, { names: ["codex"], packages: ["@openai/codex"] }),
  readLastSession,
}

async function survey(place: HostPlace, disk: Disk): Promise<Survey> {
  const reader = createSurveyReader(disk)
  const config = await readConfig(place, reader)
  const folders = await projectFolders(reader, config.cwd, config.markers)
  const base = await modelInstructions(reader, config)
  const skills = await skillItems(reader, config, { place, folders })
  const user = await userInstructions(reader, config)
  const hasUser = user !== undefined
  const project = await projectInstructions(reader, config, { folders, hasUser })
  const settings = configItems(config)
  const hooks = await hookItems(reader, config)
  return {
    items: [
      ...settings.filter((it) => it.priority === 0),
      ...base,
      ...developerInstructions(config),
      ...skills,
      ...(user === undefined ? [] : [user]),
      ...project,
      ...settings.filter((it) => it.priority > 0),
      ...hooks,
    ],
    searched: reader.searched(),
    layers: layersOf(config),
    mcpServers: mcpServers(config),
    notes: reader.notes(),
  }
}

async function modelInstructions(
  reader: SurveyReader,
  config: CodexConfig,
): Promise<readonly HostItem[]> {
  const setting = fileWithText(config, "model_instructions_file")
  if (setting === undefined) return []
  const at = path.resolve(path.dirname(setting.file.path), setting.text)
  const limits = { source: SOURCES.modelInstructions.source, maxBytes: LARGEST_INSTRUCTION_BYTES }
  const file = await reader.read(at, limits)
  if (file === undefined) return []
  const scope = scopeOf(setting.file)
  const trust = belongsTo({ realPath: file.realPath, scope }, config.grounds)
  const item = configItem({ path: at, file, trust }, SOURCES.modelInstructions, scope)
  return [{ ...item, load: "always", sent: file.bytes.toString().trim() }]
}

function developerInstructions(config: CodexConfig): readonly HostItem[] {
  const setting = fileWithText(config, "developer_instructions")
  if (setting?.file.file === undefined || setting.text === "") return []
  const { path: at, file, trust } = setting.file
  const source = SOURCES.developerInstructions
  const item = configItem({ path: at, file, trust }, source, scopeOf(setting.file))
  return [{ ...item, load: "always", sent: setting.text }]
}

function configItems(config: CodexConfig): readonly HostItem[] {
  return config.files.flatMap((it) =>
    it.file === undefined
      ? []
      : [configItem({ path: it.path, file: it.file, trust: it.trust }, it.source, scopeOf(it))],
  )
}

async function hookItems(reader: SurveyReader, config: CodexConfig): Promise<readonly HostItem[]> {
  const items: HostItem[] = []
  for (const folder of [config.home, ...config.dotFolders]) {
    const at = path.join(folder, "hooks.json")
    const limits = { source: SOURCES.hooks.source, maxBytes: SETTINGS_LIMIT_BYTES }
    const file = await reader.read(at, limits)
    const scope = folder === config.home ? "user" : "project"
    const trust = belongsIfThere(file, { path: at, scope }, config.grounds)
    if (file !== undefined) items.push(configItem({ path: at, file, trust }, SOURCES.hooks, scope))
  }
  return items
}

export function mcpServers(config: CodexConfig): readonly McpServer[] {
  const seenNames = new Set<string>()
  return config.files.flatMap((file) =>
    Object.entries(fieldsOf(file.values["mcp_servers"])).flatMap(([name, given]) => {
      if (!isRecord(given)) return []
      const isHidden = seenNames.has(name)
      if (file.counts) seenNames.add(name)
      return [serverOf(name, file, { given, isHidden })]
    }),
  )
}

function serverOf(
  name: string,
  file: ConfigFile,
  it: { readonly given: Readonly<Record<string, unknown>>; readonly isHidden: boolean },
): McpServer {
  const { command, url, args, enabled } = it.given
  const isRemote = typeof url === "string"
  const words = [command, ...(textsOf(args) ?? [])].filter((word) => typeof word === "string")
  return {
    name,
    scope: file.layer,
    path: file.path,
    trust: file.trust,
    transport: isRemote ? "http" : "stdio",
    target: isRemote ? url : words.join(" "),
    state: stateOf({ isTrusted: file.counts, isHidden: it.isHidden, enabled }),
  }
}

function stateOf(it: {
  readonly isTrusted: boolean
  readonly isHidden: boolean
  readonly enabled: unknown
}): string {
  if (!it.isTrusted) return "waits for trust"
  if (it.isHidden) return "overridden by a stronger config"
  return it.enabled === false ? "disabled in the config" : "connects"
}
