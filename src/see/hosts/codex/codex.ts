import path from "node:path"
import { belongsIfThere, belongsTo } from "../belongs.ts"
import { configItem } from "../config-item.ts"
import type { Disk } from "../disk.ts"
import type { Found, Host, Place, Survey } from "../host.ts"
import { findProgram } from "../installed.ts"
import { SETTINGS_LIMIT_BYTES } from "../limits.ts"
import { createLook, type Look } from "../look.ts"
import { LARGEST_INSTRUCTION_BYTES } from "../walk-limits.ts"
import { type CodexConfig, fileWithText, layersOf, readConfig, scopeOf } from "./config.ts"
import { projectFolders } from "./folders.ts"
import { projectInstructions, userInstructions } from "./instructions.ts"
import { mcpServers } from "./mcp.ts"
import { readLastSession } from "./session.ts"
import { skillItems } from "./skills.ts"
import { SOURCES } from "./sources.ts"

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

async function survey(place: Place, disk: Disk): Promise<Survey> {
  const look = createLook(disk)
  const config = await readConfig(place, look)
  const folders = await projectFolders(look, config.cwd, config.markers)
  const base = await modelInstructions(look, config)
  const skills = await skillItems(look, config, { place, folders })
  const user = await userInstructions(look, config)
  const hasUser = user !== undefined
  const project = await projectInstructions(look, config, { folders, hasUser })
  const settings = configItems(config)
  const hooks = await hookItems(look, config)
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
    searched: look.searched(),
    layers: layersOf(config),
    mcpServers: mcpServers(config),
    notes: look.notes(),
  }
}

/** A file that takes the place of Codex's own prompt. */
async function modelInstructions(look: Look, config: CodexConfig): Promise<readonly Found[]> {
  const given = fileWithText(config, "model_instructions_file")
  if (given === undefined) return []
  const at = path.resolve(path.dirname(given.file.path), given.text)
  const limits = { source: SOURCES.modelInstructions.source, maxBytes: LARGEST_INSTRUCTION_BYTES }
  const file = await look.read(at, limits)
  if (file === undefined) return []
  const scope = scopeOf(given.file)
  const trust = belongsTo({ realPath: file.realPath, scope }, config.grounds)
  const item = configItem({ path: at, file, trust }, SOURCES.modelInstructions, scope)
  return [{ ...item, load: "always", sent: file.bytes.toString().trim() }]
}

/** Text inside a config file: the item is the text, the file is the config. */
function developerInstructions(config: CodexConfig): readonly Found[] {
  const given = fileWithText(config, "developer_instructions")
  if (given?.file.file === undefined || given.text === "") return []
  const { path: at, file, trust } = given.file
  const source = SOURCES.developerInstructions
  const item = configItem({ path: at, file, trust }, source, scopeOf(given.file))
  return [{ ...item, load: "always", sent: given.text }]
}

function configItems(config: CodexConfig): readonly Found[] {
  return config.files.flatMap((it) =>
    it.file === undefined
      ? []
      : [configItem({ path: it.path, file: it.file, trust: it.trust }, it.source, scopeOf(it))],
  )
}

/** Hooks run beside the model; their file is never sent. */
async function hookItems(look: Look, config: CodexConfig): Promise<readonly Found[]> {
  const items: Found[] = []
  for (const folder of [config.home, ...config.dotFolders]) {
    const at = path.join(folder, "hooks.json")
    const limits = { source: SOURCES.hooks.source, maxBytes: SETTINGS_LIMIT_BYTES }
    const file = await look.read(at, limits)
    const scope = folder === config.home ? "user" : "project"
    const trust = belongsIfThere(file, { path: at, scope }, config.grounds)
    if (file !== undefined) items.push(configItem({ path: at, file, trust }, SOURCES.hooks, scope))
  }
  return items
}
