import path from "node:path"
import { compareText, isRecord, type JsonRecord } from "#ground/base"
import type { Disk } from "../files/disk.ts"
import {
  belongsIfThere,
  belongsTo,
  noteLinkOutside,
  type TrustFolders,
  withRealFolders,
} from "../files/file-trust.ts"
import { findSkillFiles, findUp } from "../files/folder-walk.ts"
import { splitFrontmatter, textField } from "../files/frontmatter.ts"
import { fieldsOf, type JsonFile, launchOf, readJsonFile, textsOf } from "../files/json-settings.ts"
import { findProgram } from "../find-program.ts"
import type { Host, HostItem, HostPlace, McpServer, Scope, SettingsLayer, Survey } from "../host.ts"
import { LARGEST_INSTRUCTION_BYTES } from "../limits.ts"
import { configItem, type Source } from "../source.ts"
import { createSurveyReader, type ReadFile, type SurveyReader } from "../survey-reader.ts"

const CONTEXT_KEYS = [
  "agent",
  "command",
  "compaction",
  "default_agent",
  "instructions",
  "mcp.*.command",
  "mcp.*.enabled",
  "mcp.*.type",
  "model",
  "permission",
  "plugin",
  "skills",
  "small_model",
  "tools",
]

/** Sizes of its own prompt and tools were not measured, so `survey.start` is absent. */
export const opencode: Host = {
  name: "opencode",
  title: "opencode",
  factsVersions: ["1.18.33"],
  isVerified: true,
  contextKeys: CONTEXT_KEYS,
  survey,
  findInstalled: (place, disk) =>
    findProgram(place, disk, { names: ["opencode"], packages: ["opencode-ai"] }),
  nested: {
    isInstruction: (relativePath) => PROJECT_NAMES.includes(path.posix.basename(relativePath)),
    textOf: async (bytes) => bytes.toString(),
  },
}

const SOURCES = {
  userMemory: { source: "user-memory", priority: 1, reason: "User instructions" },
  project: { source: "project-root", priority: 100, reason: "Project instructions" },
  parent: { source: "parent-directory", priority: 50, reason: "Instructions of a folder above" },
  listed: { source: "instructions-setting", priority: 101, reason: "Named in instructions" },
  skills: { source: "skills", priority: 102, reason: "Skill" },
  userSettings: { source: "user-settings", priority: 0, reason: "User settings" },
  settings: { source: "settings", priority: 103, reason: "Project settings" },
} as const satisfies Readonly<Record<string, Source>>

const PROJECT_NAMES: readonly string[] = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"]

type Walk = {
  readonly reader: SurveyReader
  readonly place: HostPlace
  /** `~/.config/opencode` */
  readonly config: string
  /** From the working directory up to the top of the worktree. */
  readonly folders: readonly string[]
  readonly grounds: TrustFolders
  readonly usesClaudeFiles: boolean
}

async function survey(place: HostPlace, disk: Disk): Promise<Survey> {
  const reader = createSurveyReader(disk)
  const walk = await startWalk(place, reader)
  const settings = await readSettings(walk)
  const instructions = await instructionItems(walk, settings)
  const skills = await skillItems(walk)
  const layers = settings.map(({ layer, trust, path: at, outcome }) => ({
    layer,
    trust,
    path: at,
    outcome,
  }))
  const files = settings.flatMap(({ file, scope, trust, path: at }) => {
    const source = scope === "user" ? SOURCES.userSettings : SOURCES.settings
    return file === undefined ? [] : [configItem({ path: at, file, trust }, source, scope)]
  })
  return {
    items: [
      ...files.filter((it) => it.scope === "user"),
      ...instructions,
      ...skills,
      ...files.filter((it) => it.scope !== "user"),
    ],
    searched: reader.searched(),
    layers: layers.toReversed(),
    mcpServers: settings.flatMap(serversOf),
    notes: reader.notes(),
  }
}

async function startWalk(place: HostPlace, reader: SurveyReader): Promise<Walk> {
  const { environment, home } = place
  const start = path.resolve(place.workingDirectory)
  const cwd = (await reader.realPath(start)) ?? start
  const hasGit = async (folder: string) =>
    (await reader.realPath(path.join(folder, ".git"))) !== undefined
  const top = await findUp(cwd, hasGit)
  const base = environment["XDG_CONFIG_HOME"] || path.join(home, ".config")
  const config = path.join(base, "opencode")
  const own = await withRealFolders(reader, [config, path.join(home, ".claude")])
  return {
    reader,
    place,
    config,
    // Without git the walk ends at the root of the disk (seen on 1.18.33).
    folders: foldersBetween(cwd, top ?? path.parse(cwd).root),
    grounds: { own, project: [top ?? cwd] },
    usesClaudeFiles: !isOn(environment, "OPENCODE_DISABLE_CLAUDE_CODE"),
  }
}

function isOn(environment: HostPlace["environment"], name: string): boolean {
  return ["1", "true"].includes((environment[name] ?? "").toLowerCase())
}

function foldersBetween(from: string, to: string): readonly string[] {
  const folders = [from]
  for (let at = from; at !== to && path.dirname(at) !== at; ) {
    at = path.dirname(at)
    folders.push(at)
  }
  return folders
}

type Settings = JsonFile & Pick<SettingsLayer, "layer" | "trust"> & { readonly scope: Scope }

const SETTINGS_NAMES = ["opencode.json", "opencode.jsonc"]

/** Weakest first: the user's files, then those of the folders from the top down. */
async function readSettings(walk: Walk): Promise<readonly Settings[]> {
  const user = ["config.json", ...SETTINGS_NAMES].map((it) => path.join(walk.config, it))
  const project = walk.folders
    .toReversed()
    .flatMap((folder) => [folder, path.join(folder, ".opencode")])
    .flatMap((folder) => SETTINGS_NAMES.map((it) => path.join(folder, it)))
  const named = [
    ...user.map((at) => ({ at, scope: "user", source: SOURCES.userSettings }) as const),
    ...project.map((at) => ({ at, scope: "project", source: SOURCES.settings }) as const),
  ]
  const all: Settings[] = []
  for (const { at, scope, source } of named) {
    const file = await readJsonFile(walk.reader, at, source.source)
    if (file.file === undefined) continue
    const trust = belongsIfThere(file.file, { path: at, scope }, walk.grounds)
    all.push({ ...file, scope, trust, layer: scope === "user" ? "user" : "project" })
  }
  return all
}

function serversOf({ values, path: at, trust, scope }: Settings): readonly McpServer[] {
  return Object.entries(fieldsOf(values["mcp"])).flatMap(([name, server]) => {
    if (!isRecord(server)) return []
    const [command, ...args] = textsOf(server["command"]) ?? []
    const { url } = server
    const isRemote = typeof url === "string"
    const entry: JsonRecord = isRemote
      ? { url, headers: server["headers"] }
      : { command, args, env: server["environment"] }
    return [
      {
        name,
        scope,
        path: at,
        trust,
        transport: isRemote ? "http" : "stdio",
        target: isRemote ? url : [command ?? "", ...args].join(" "),
        state: server["enabled"] === false ? "disabled" : "connects",
        launch: launchOf(entry),
      },
    ]
  })
}

async function instructionItems(
  walk: Walk,
  settings: readonly Settings[],
): Promise<readonly HostItem[]> {
  const items = [...(await userItems(walk)), ...(await projectItems(walk))]
  for (const { values, scope } of settings) {
    for (const name of textsOf(values["instructions"]) ?? []) {
      items.push(...(await listedItems(walk, name, scope)))
    }
  }
  const seen = new Set<string>()
  return items.filter((it) => {
    const isFirst = !seen.has(it.path)
    seen.add(it.path)
    return isFirst
  })
}

/** The first that exists. */
async function userItems(walk: Walk): Promise<readonly HostItem[]> {
  const files = [
    path.join(walk.config, "AGENTS.md"),
    ...(walk.usesClaudeFiles ? [path.join(walk.place.home, ".claude", "CLAUDE.md")] : []),
  ]
  for (const at of files) {
    const file = await readText(walk, at, SOURCES.userMemory)
    if (file !== undefined)
      return [instructionItem(walk, { at, file, source: SOURCES.userMemory, scope: "user" })]
  }
  return []
}

/** The first name that any folder has; then the file of every folder, nearest first. */
async function projectItems(walk: Walk): Promise<readonly HostItem[]> {
  if (isOn(walk.place.environment, "OPENCODE_DISABLE_PROJECT_CONFIG")) return []
  const names = PROJECT_NAMES.filter((it) => it !== "CLAUDE.md" || walk.usesClaudeFiles)
  for (const name of names) {
    const items: HostItem[] = []
    for (const [level, folder] of walk.folders.entries()) {
      const source = level === 0 ? SOURCES.project : SOURCES.parent
      const at = path.join(folder, name)
      const file = await readText(walk, at, source)
      if (file !== undefined)
        items.push(instructionItem(walk, { at, file, source, scope: "project" }))
    }
    if (items.length > 0) return items
  }
  return []
}

async function listedItems(walk: Walk, name: string, scope: Scope): Promise<readonly HostItem[]> {
  const source = SOURCES.listed
  if (/^https?:\/\//.test(name)) {
    const text =
      "An address in `instructions` is fetched by opencode at its start; its text is not shown."
    walk.reader.note({ code: "import-unresolved", text, path: walk.config })
    return []
  }
  if (/[*?[\]{}]/.test(name)) {
    const text = "Patterns in `instructions` are not resolved; name files to see their text."
    walk.reader.note({ code: "import-unresolved", text, path: walk.config })
    return []
  }
  const instruction = name.startsWith("~/") ? path.join(walk.place.home, name.slice(2)) : name
  const places = path.isAbsolute(instruction)
    ? [instruction]
    : walk.folders.map((folder) => path.join(folder, instruction))
  const items: HostItem[] = []
  for (const at of places) {
    const file = await readText(walk, at, source)
    if (file !== undefined) items.push(instructionItem(walk, { at, file, source, scope }))
  }
  return items
}

function instructionItem(
  walk: Walk,
  it: {
    readonly at: string
    readonly file: ReadFile
    readonly source: Source
    readonly scope: Scope
  },
): HostItem {
  const sent = it.file.bytes.toString()
  // An empty file is left out with its heading.
  const frame = sent === "" ? "" : `Instructions from: ${it.at}\n`
  return { ...baseOf(walk, it), kind: "instructions", load: "always", sent, frame, later: "" }
}

/**
 * Sorted by name. opencode reads all skill files at once, and of skills with the same name the file
 * that was read last wins, which changes from start to start: the estimate takes the nearest folder
 * and says so of the other.
 */
async function skillItems(walk: Walk): Promise<readonly HostItem[]> {
  const byName = new Map<string, HostItem>()
  for (const { root, scope } of skillFolders(walk)) {
    const files = await findSkillFiles(walk.reader, root, {
      source: SOURCES.skills.source,
      deepestLevels: 4,
      followsLinks: true,
      takesLinks: true,
      goesBelowSkills: true,
    })
    for (const at of files) {
      const file = await readText(walk, at, SOURCES.skills)
      if (file === undefined) continue
      const later = file.bytes.toString()
      const { fields } = splitFrontmatter(later)
      const [name, description] = [textField(fields, "name"), textField(fields, "description")]
      if (name === "" || description === "") {
        const detail = "no name and description"
        walk.reader.mark({ path: at, source: SOURCES.skills.source, outcome: "excluded", detail })
        continue
      }
      const base = baseOf(walk, { at, file, source: SOURCES.skills, scope })
      const sent = listing(name, description, at)
      const other = byName.get(name)
      if (other !== undefined) {
        const detail = `another skill is named ${name}: opencode loads either one`
        const { path: shadowed, source } = other
        walk.reader.mark({ path: shadowed, source, outcome: "excluded", detail })
      }
      byName.set(name, { ...base, kind: "skills", load: "name-only", sent, frame: "", later })
    }
  }
  return [...byName].toSorted(([a], [b]) => compareText(a, b)).map(([, item]) => item)
}

function skillFolders(walk: Walk) {
  const { home } = walk.place
  const dots = [...(walk.usesClaudeFiles ? [".claude"] : []), ".agents"]
  const user = [
    ...dots.map((dot) => path.join(home, dot, "skills")),
    ...["skill", "skills"].map((it) => path.join(walk.config, it)),
  ]
  const project = walk.folders
    .toReversed()
    .flatMap((folder) => [
      ...dots.map((dot) => path.join(folder, dot, "skills")),
      ...["skill", "skills"].map((it) => path.join(folder, ".opencode", it)),
    ])
  return [
    ...user.map((root) => ({ root, scope: "user" }) as const),
    ...project.map((root) => ({ root, scope: "project" }) as const),
  ]
}

function listing(name: string, description: string, at: string): string {
  const lines = [
    "  <skill>",
    `    <name>${name}</name>`,
    `    <description>${description}</description>`,
    `    <location>${escaped(at)}</location>`,
    "  </skill>",
  ]
  return lines.join("\n")
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}

function baseOf(
  walk: Walk,
  it: {
    readonly at: string
    readonly file: ReadFile
    readonly source: Source
    readonly scope: Scope
  },
) {
  const { at, file, source, scope } = it
  const trust = belongsTo({ realPath: file.realPath, scope, foundAt: at }, walk.grounds)
  if (trust === "external") noteLinkOutside(walk.reader, at, file.realPath)
  return { path: at, ...source, scope, trust, file }
}

function readText(walk: Walk, at: string, { source }: Source): Promise<ReadFile | undefined> {
  return walk.reader.read(at, { source, maxBytes: LARGEST_INSTRUCTION_BYTES })
}
