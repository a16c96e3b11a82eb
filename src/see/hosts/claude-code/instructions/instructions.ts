import path from "node:path"
import { isInside, type JsonRecord } from "#ground/base"
import { globMatcher } from "../../files/glob.ts"
import type { HostItem, HostPlace } from "../../host.ts"
import { type Source, walkSource } from "../../source.ts"
import type { SurveyReader } from "../../survey-reader.ts"
import type { Folders } from "../folders.ts"
import { isOn, readDenials, type Settings, within } from "../settings.ts"
import { at, SOURCES } from "../sources.ts"
import { addAgentsMd, modeOf } from "./agents-md.ts"
import { type Chains, type Instruction, loadFile } from "./chain.ts"
import { loadMemory } from "./memory.ts"
import { loadRules } from "./rules.ts"

export type ClaudeContext = {
  readonly place: HostPlace
  readonly folders: Folders
  readonly settings: Settings
  readonly state: JsonRecord
  readonly stateTrust: HostItem["trust"]
  readonly stateModifiedAt: number
}

export async function loadInstructions(
  context: ClaudeContext,
  reader: SurveyReader,
): Promise<readonly Instruction[]> {
  const { place, folders, settings } = context
  const name = "CLAUDE_CODE_DISABLE_CLAUDE_MDS"
  if (isOn(place.environment[name])) {
    reader.note({ code: "switched-off", text: `${name} is set, so no instruction file is loaded.` })
    return []
  }
  const chains = await createChains(context, reader)
  const walk = { context, chains }
  const loaded = [
    ...(await loadManaged(walk)),
    ...(await loadUser(walk)),
    ...(await loadProject(walk)),
    ...(await loadMemory({ place, folders, settings }, reader)),
  ]
  const folderList = folders.walk.map((it, index) => ({ path: it, index }))
  const agents = {
    folders: folderList.filter((it) => !isOfOtherTree(it.path, folders)),
    walkLength: folders.walk.length,
    mode: modeOf(settings),
    known: [path.join(folders.managed, "CLAUDE.md"), path.join(folders.config, "CLAUDE.md")],
  }
  return addAgentsMd(loaded, agents, chains)
}

async function createChains(context: ClaudeContext, reader: SurveyReader): Promise<Chains> {
  const { folders, settings, state } = context
  const patterns = await spellPatterns(settings.texts("claudeMdExcludes"), reader)
  const matchers = patterns.map((it) => globMatcher(it, { dot: true }))
  const approved = within(
    state,
    "projects",
    folders.git.main ?? folders.cwd,
    "hasClaudeMdExternalIncludesApproved",
  )
  return {
    reader,
    seen: new Set(),
    cwd: folders.cwd,
    home: folders.home,
    isExternalAllowed: approved === true,
    isDenied: readDenials(settings, folders),
    isExcluded: (file, kind) =>
      (kind === "user" || kind === "project" || kind === "local") &&
      matchers.some((isMatch) => isMatch(file.replaceAll("\\", "/"))),
  }
}

/** A pattern through a link also matches the link's target. */
async function spellPatterns(
  written: readonly string[],
  reader: SurveyReader,
): Promise<readonly string[]> {
  const patterns: string[] = []
  for (const pattern of written.map((it) => it.replaceAll("\\", "/")).filter((it) => it !== "")) {
    patterns.push(pattern)
    if (!pattern.startsWith("/")) continue
    const plainEnd = pattern.search(/[*?{[]/)
    const folder = path.dirname(plainEnd === -1 ? pattern : pattern.slice(0, plainEnd))
    const real = await reader.realPath(folder)
    if (real !== undefined && real !== folder) patterns.push(real + pattern.slice(folder.length))
  }
  return patterns
}

type Walk = { readonly context: ClaudeContext; readonly chains: Chains }

async function loadManaged({ context, chains }: Walk): Promise<readonly Instruction[]> {
  const { managed } = context.folders
  const file = path.join(managed, "CLAUDE.md")
  const place = SOURCES.managedPolicy
  return [
    ...(await loadFile({ path: file, kind: "managed", place }, chains)),
    ...(await managedText(context, chains.reader)),
    ...(await loadRules(
      {
        path: path.join(managed, ".claude", "rules"),
        kind: "managed",
        place: SOURCES.managedRules,
      },
      chains,
    )),
  ]
}

/** A text in the managed settings is in the window under its own name. */
async function managedText(
  { settings }: ClaudeContext,
  reader: SurveyReader,
): Promise<readonly Instruction[]> {
  const text = settings.managed("claudeMd")
  if (typeof text !== "string" || text.trim() === "") return []
  const layer = settings.layers.find(
    ({ layer, outcome }) =>
      layer === "managed" && outcome.kind === "found" && outcome.values["claudeMd"] === text,
  )
  const file = layer && (await reader.read(layer.path, SETTINGS_READ))
  if (file === undefined) return []
  const place = { ...SOURCES.managedPolicy, reason: "Text in the managed settings" }
  const name = "<managed-settings>"
  return [{ ...place, path: name, kind: "managed", content: text, root: name, file }]
}

const SETTINGS_READ = { source: SOURCES.managedSettings.source, maxBytes: 4 * 1024 * 1024 }

async function loadUser({ context, chains }: Walk): Promise<readonly Instruction[]> {
  const { config } = context.folders
  const file = path.join(config, "CLAUDE.md")
  const rules = path.join(config, "rules")
  return [
    ...(await loadFile({ path: file, kind: "user", place: SOURCES.globalUser }, chains)),
    ...(await loadRules({ path: rules, kind: "user", place: SOURCES.userRules }, chains)),
  ]
}

async function loadProject({ context, chains }: Walk): Promise<readonly Instruction[]> {
  const { folders } = context
  const loaded: Instruction[] = []
  for (const [index, folder] of folders.walk.entries()) {
    const place = walkSource(index, folders.walk.length)
    if (!isOfOtherTree(folder, folders)) {
      loaded.push(...(await loadOwnFiles(folder, place, chains)))
    }
    loaded.push(...(await loadLocal(folder, place, chains)))
  }
  return loaded
}

/** Inside a worktree that is in its repository, the outer repository is ignored. */
function isOfOtherTree(folder: string, { git }: Folders): boolean {
  const { top, main } = git
  if (top === undefined || main === undefined || top === main) return false
  return isInside(main, top) && isInside(main, folder) && !isInside(top, folder)
}

async function loadOwnFiles(
  folder: string,
  place: Source,
  chains: Chains,
): Promise<readonly Instruction[]> {
  const dotClaude = path.join(folder, ".claude")
  const rules = at(place, "rules", "Project rule")
  const kind = "project"
  return [
    ...(await loadFile({ path: path.join(folder, "CLAUDE.md"), kind, place }, chains)),
    ...(await loadFile({ path: path.join(dotClaude, "CLAUDE.md"), kind, place }, chains)),
    ...(await loadRules({ path: path.join(dotClaude, "rules"), kind, place: rules }, chains)),
  ]
}

function loadLocal(folder: string, place: Source, chains: Chains): Promise<readonly Instruction[]> {
  const local = at(place, "local-memory", "Local memory, not checked in")
  const file = path.join(folder, "CLAUDE.local.md")
  return loadFile({ path: file, kind: "local", place: local }, chains)
}
