import path from "node:path"
import { isRecord } from "#ground/base"
import type { Disk } from "../files/disk.ts"
import { belongsIfThere, belongsTo } from "../files/file-trust.ts"
import { fieldsOf, launchOf, textsOf } from "../files/json-settings.ts"
import { findProgram } from "../find-program.ts"
import type { Host, HostItem, HostPlace, HostStart, McpServer, Survey } from "../host.ts"
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
  settingOf,
} from "./config.ts"
import { projectFolders } from "./folders.ts"
import { projectInstructions, userInstructions } from "./instructions.ts"
import { countToolCalls, readLastSession } from "./session.ts"
import { skillItems } from "./skills.ts"
import { CODEX_BASELINES } from "./start.generated.ts"

const CONTEXT_KEYS = [
  "agents",
  "approval_policy",
  "developer_instructions",
  "features",
  "hooks",
  "instructions",
  "mcp_servers",
  "model",
  "model_auto_compact_token_limit",
  "model_context_window",
  "model_instructions_file",
  "model_provider",
  "model_providers.*.base_url",
  "model_providers.*.name",
  "model_providers.*.wire_api",
  "model_reasoning_effort",
  "model_reasoning_summary",
  "model_verbosity",
  "personality",
  "plugins",
  "profile",
  "profiles.*.model",
  "profiles.*.model_instructions_file",
  "profiles.*.model_provider",
  "profiles.*.model_reasoning_effort",
  "project_doc_fallback_filenames",
  "project_doc_max_bytes",
  "project_root_markers",
  "projects.<here>.trust_level",
  "review_model",
  "sandbox_mode",
  "skills",
  "tool_output_token_limit",
  "tools",
  "web_search",
]

export const codex: Host = {
  name: "codex",
  title: "Codex",
  factsVersions: ["0.166.0"],
  isVerified: true,
  contextKeys: CONTEXT_KEYS,
  survey,
  findInstalled: (place, disk) =>
    findProgram(place, disk, { names: ["codex"], packages: ["@openai/codex"] }),
  readLastSession,
  countToolCalls,
}

/** A model that was not measured counts as the default one. */
function startOf(config: CodexConfig): HostStart {
  const { version, measuredAt, models } = CODEX_BASELINES
  const model = settingOf(config, "model")
  const baseline = models.find((it) => it.model === model) ?? models[0]
  if (baseline === undefined) throw new Error("no model was measured")
  const window = settingOf(config, "model_context_window")
  return {
    version,
    measuredAt,
    baseline,
    model: typeof model === "string" ? model : baseline.model,
    window: typeof window === "number" && window > 0 ? window : baseline.window,
    isGit: false,
    paths: { directory: config.cwd, memory: "" },
    mcpTools: baseline.tools.some((it) => it.name === "tool_search") ? "server-named" : "hidden",
    listing: undefined,
    skillUses: new Map(),
  }
}

async function survey(place: HostPlace, disk: Disk): Promise<Survey> {
  const reader = createSurveyReader(disk)
  const config = await readConfig(place, reader)
  const folders = await projectFolders(reader, config.cwd, config.markers)
  const base = await modelInstructions(reader, config)
  const start = startOf(config)
  const { items: skills, listing } = await skillItems(reader, config, {
    place,
    folders,
    window: start.window,
  })
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
    start: { ...start, listing },
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
    Object.entries(fieldsOf(file.values["mcp_servers"])).flatMap(([name, server]) => {
      if (!isRecord(server)) return []
      const isHidden = seenNames.has(name)
      if (file.counts) seenNames.add(name)
      return [serverOf(name, file, { given: server, isHidden })]
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
  const launch = launchOf({ ...it.given, headers: it.given["http_headers"] })
  return {
    name,
    launch,
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
