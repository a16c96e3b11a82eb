import { belongsTo } from "../belongs.ts"
import { configItem } from "../config-item.ts"
import type { Disk } from "../disk.ts"
import type { Found, Place, Survey } from "../host.ts"
import { SETTINGS_LIMIT_BYTES } from "../limits.ts"
import { createLook, type Look } from "../look.ts"
import { listAgents } from "./agents.ts"
import type { Instruction } from "./chain.ts"
import { type Folders, findFolders } from "./folders.ts"
import { loadInstructions, type World } from "./instructions.ts"
import { readMcp } from "./mcp.ts"
import { readOutputStyle } from "./output-style.ts"
import { parseJson, readSettings, withSettingsEnv } from "./settings.ts"
import { listSkills } from "./skills.ts"
import { frameOf, loadOf, SOURCES, scopeOf } from "./sources.ts"

/** Everything Claude Code would load in a place, and everything it would look for. */
export async function survey(given: Place, disk: Disk): Promise<Survey> {
  const look = createLook(disk)
  const folders = await findFolders(given, look)
  const settings = await readSettings(folders, look)
  const place = withSettingsEnv(given, settings)
  const state = await readState(folders, look)
  const world: World = {
    place,
    folders,
    settings,
    state: state.record,
    stateTrust: state.trust,
  }

  const instructions = await loadInstructions(world, look)
  const mcp = await readMcp(world, look)
  const style = await readOutputStyle(world, look)
  const skills = await listSkills(world, look)
  const agents = await listAgents(world, look)
  const isEarly = (it: Found) => it.priority < SOURCES.managedPolicy.priority
  return {
    items: [
      ...settings.items.filter(isEarly),
      ...state.items,
      ...instructions.map((it) => toFound(it, folders)),
      ...settings.items.filter((it) => !isEarly(it)),
      ...mcp.items,
      ...style,
      ...skills,
      ...agents,
    ],
    searched: look.searched(),
    layers: settings.layers,
    mcpServers: mcp.servers,
    notes: look.notes(),
  }
}

async function readState(folders: Folders, look: Look) {
  const { source } = SOURCES.hostState
  const file = await look.read(folders.stateFile, { source, maxBytes: SETTINGS_LIMIT_BYTES })
  if (file === undefined) return { record: {}, trust: "own" as const, items: [] }
  const parsed = parseJson(file.bytes.toString())
  const trust = belongsTo({ realPath: file.realPath, scope: "user" }, folders.grounds)
  const item = configItem({ path: folders.stateFile, file, trust }, SOURCES.hostState, "user")
  return { record: parsed.kind === "record" ? parsed.record : {}, trust, items: [item] }
}

function toFound(it: Instruction, folders: Folders): Found {
  const text = it.content.trim()
  const isConditional = it.patterns !== undefined
  const load = loadOf({ kind: it.kind, isConditional, isImported: it.importedBy !== undefined })
  return {
    path: it.path,
    source: it.source,
    priority: it.priority,
    scope: scopeOf(it.kind),
    load,
    reason: it.reason,
    kind: it.kind === "memory" ? "memory" : "instructions",
    trust: trustOf(it, folders),
    file: {
      realPath: it.file.realPath,
      bytes: it.file.bytes,
      modifiedAt: it.file.modifiedAt,
    },
    sent: isConditional ? "" : text,
    frame: isConditional ? "" : frameOf(it.path, it.kind),
    later: isConditional ? text : "",
    ...(it.importedBy === undefined ? {} : { importedBy: it.importedBy }),
    ...(it.patterns === undefined ? {} : { waitsFor: waitsFor(it, it.patterns, folders) }),
  }
}

/** Patterns of a project's rule count from the folder that holds its `.claude`. */
function waitsFor(it: Instruction, patterns: readonly string[], folders: Folders) {
  const end = it.root.lastIndexOf("/.claude/rules/")
  const isOfProject = it.kind === "project" && end > 0
  return { patterns, base: isOfProject ? it.root.slice(0, end) : folders.cwd }
}

/** A link or an import that leads out of the repository brings in what the project does not own. */
function trustOf(it: Instruction, { grounds }: Folders): Found["trust"] {
  const reached = { realPath: it.file.realPath, scope: scopeOf(it.kind) }
  // What an import names is no place that the walk came by.
  const foundAt = it.importedBy === undefined ? { foundAt: it.foundAt ?? it.path } : {}
  return it.trust ?? belongsTo({ ...reached, ...foundAt }, grounds)
}
