import path from "node:path"
import { compareText, isInside } from "#ground/base"
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
import { jsonMcpServers, readJsonFile, textsOf } from "../files/json-settings.ts"
import { firstCharacters } from "../files/unicode.ts"
import { findProgram } from "../find-program.ts"
import type { Host, HostItem, HostPlace, Survey } from "../host.ts"
import { LARGEST_INSTRUCTION_BYTES } from "../limits.ts"
import { configItem, type Source } from "../source.ts"
import { createSurveyReader, type ReadFile, type SurveyReader } from "../survey-reader.ts"

const DEEPEST_SKILL_LEVELS = 1

/** The limit in the documents for a rule file. */
const LONGEST_RULE_CHARACTERS = 12_000

const CONTEXT_KEYS = ["mcpServers"]

/** Not on npm, and we could not run it: everything here is from documents. */
export const antigravity: Host = {
  name: "antigravity",
  title: "Antigravity",
  factsVersions: [],
  isVerified: false,
  contextKeys: CONTEXT_KEYS,
  survey,
  findInstalled: (place, disk) =>
    findProgram(place, disk, { names: ["agy", "antigravity"], packages: [] }),
}

type Walk = {
  readonly reader: SurveyReader
  readonly config: string
  readonly folders: readonly string[]
  readonly grounds: TrustFolders
}

async function survey(place: HostPlace, disk: Disk): Promise<Survey> {
  const reader = createSurveyReader(disk)
  const startDirectory = path.resolve(place.workingDirectory)
  const cwd = (await reader.realPath(startDirectory)) ?? startDirectory
  const top = await findUp(
    cwd,
    async (it) => (await reader.realPath(path.join(it, ".git"))) !== undefined,
  )
  const folders = top === undefined || top === cwd ? [cwd] : [top, cwd]
  const config = path.join(place.home, ".gemini")
  const grounds = { own: await withRealFolders(reader, [config]), project: folders.slice(0, 1) }
  const walk = { reader, config, folders, grounds }
  const instructions = await instructionItems(walk)
  const rules = await ruleItems(walk)
  const skills = await skillItems(walk)
  const workflows = await workflowItems(walk)
  const mcp = await readJsonFile(
    reader,
    path.join(walk.config, "antigravity", "mcp_config.json"),
    SOURCES.mcpConfig.source,
  )
  const { path: at, file } = mcp
  const trust = belongsIfThere(file, { path: at, scope: "user" }, grounds)
  return {
    items: [
      ...instructions,
      ...rules,
      ...skills,
      ...workflows,
      ...(file === undefined ? [] : [mcpItem({ path: at, file, trust })]),
    ],
    searched: reader.searched(),
    layers: [],
    mcpServers: jsonMcpServers({ ...mcp, trust }, "user", () => "connects"),
    notes: reader.notes(),
  }
}

function mcpItem(item: Pick<HostItem, "path" | "file" | "trust">): HostItem {
  return configItem(item, SOURCES.mcpConfig, "user")
}

const CONTEXT_FILES = ["GEMINI.md", "AGENTS.md"]

async function instructionItems(walk: Walk): Promise<readonly HostItem[]> {
  const places = [
    { folder: walk.config, source: SOURCES.userMemory },
    ...walk.folders.map((folder) => ({ folder, source: SOURCES.projectRoot })),
  ]
  const items: HostItem[] = []
  for (const { folder, source } of places) {
    for (const name of CONTEXT_FILES) {
      const at = path.join(folder, name)
      const file = await readText(walk.reader, at, source)
      if (file === undefined) continue
      const sent = file.bytes.toString()
      items.push({ ...baseOf(walk, { at, file, source }), load: "always", sent, later: "" })
    }
  }
  return items
}

const DOT_FOLDERS = [".agents", ".agent"]

async function ruleItems(walk: Walk): Promise<readonly HostItem[]> {
  const items: HostItem[] = []
  for (const at of await markdownIn(walk, "rules", SOURCES.rules)) {
    const file = await readText(walk.reader, at, SOURCES.rules)
    if (file === undefined) continue
    const parts = ruleParts(walk.reader, at, file.bytes.toString())
    const [base] = walk.folders
    const { patterns, ...rest } = parts
    const waitsFor = patterns === undefined ? {} : { waitsFor: { patterns, base: base ?? at } }
    items.push({ ...baseOf(walk, { at, file, source: SOURCES.rules }), ...rest, ...waitsFor })
  }
  return items
}

async function skillItems(walk: Walk): Promise<readonly HostItem[]> {
  const roots = [
    path.join(walk.config, "antigravity", "skills"),
    path.join(walk.config, "skills"),
    ...walk.folders.flatMap((it) => DOT_FOLDERS.map((dot) => path.join(it, dot, "skills"))),
  ]
  const items: HostItem[] = []
  for (const root of roots) {
    const files = await findSkillFiles(walk.reader, root, {
      source: SOURCES.skills.source,
      deepestLevels: DEEPEST_SKILL_LEVELS,
      followsLinks: true,
      takesLinks: true,
      goesBelowSkills: true,
    })
    for (const at of files) {
      const name = path.basename(path.dirname(at))
      items.push(...(await namedItem(walk, at, { name, source: SOURCES.skills })))
    }
  }
  return items
}

async function workflowItems(walk: Walk): Promise<readonly HostItem[]> {
  const items: HostItem[] = []
  for (const at of await markdownIn(walk, "workflows", SOURCES.workflows)) {
    const name = path.basename(at, ".md")
    items.push(...(await namedItem(walk, at, { name, source: SOURCES.workflows })))
  }
  return items
}

async function namedItem(
  walk: Walk,
  at: string,
  it: { readonly name: string; readonly source: Source },
): Promise<readonly HostItem[]> {
  const file = await readText(walk.reader, at, it.source)
  if (file === undefined) return []
  const later = file.bytes.toString()
  const { fields } = splitFrontmatter(later)
  const name = textField(fields, "name") || it.name
  const sent = `${name}: ${textField(fields, "description")}`
  const base = baseOf(walk, { at, file, source: it.source })
  return [{ ...base, kind: "skills", load: "name-only", sent, later }]
}

async function markdownIn(
  { reader, folders }: Walk,
  name: string,
  { source }: Source,
): Promise<readonly string[]> {
  const paths: string[] = []
  for (const folder of folders.flatMap((it) =>
    DOT_FOLDERS.map((dot) => path.join(it, dot, name)),
  )) {
    const entries = await reader.list(folder, source)
    const names = entries.filter((it) => it.what !== "directory" && it.name.endsWith(".md"))
    paths.push(...names.map((it) => path.join(folder, it.name)).toSorted(compareText))
  }
  return paths
}

function readText(
  reader: SurveyReader,
  at: string,
  { source }: Source,
): Promise<ReadFile | undefined> {
  return reader.read(at, { source, maxBytes: LARGEST_INSTRUCTION_BYTES })
}

function baseOf(
  walk: Walk,
  it: { readonly at: string; readonly file: ReadFile; readonly source: Source },
) {
  const { at, file, source } = it
  const scope = isInside(walk.config, at) ? "user" : "project"
  const trust = belongsTo({ realPath: file.realPath, scope, foundAt: at }, walk.grounds)
  if (trust === "external") noteLinkOutside(walk.reader, at, file.realPath)
  return { path: at, ...source, scope, kind: "instructions", trust, file, frame: "" } as const
}

/** The order is that of the documents. */
export const SOURCES = {
  userMemory: { source: "user-memory", priority: 1, reason: "User rules" },
  projectRoot: { source: "project-root", priority: 100, reason: "Project instructions" },
  rules: { source: "rules", priority: 101, reason: "Workspace rule" },
  skills: { source: "skills", priority: 102, reason: "Skill" },
  workflows: { source: "workflows", priority: 103, reason: "Workflow, called by name" },
  mcpConfig: { source: "mcp-config", priority: 104, reason: "MCP server configuration" },
} as const satisfies Readonly<Record<string, Source>>

type RuleParts = Pick<HostItem, "load" | "sent" | "later"> & {
  readonly patterns?: readonly string[]
}

export function ruleParts(reader: SurveyReader, at: string, text: string): RuleParts {
  const { fields, body } = splitFrontmatter(text)
  const truncated = firstCharacters(body, LONGEST_RULE_CHARACTERS)
  const isCut = truncated.length < body.length
  if (isCut) {
    const about = `This rule exceeds ${LONGEST_RULE_CHARACTERS} characters; the rest is truncated.`
    reader.note({ code: "file-cut", text: about, path: at })
  }
  switch (textField(fields, "trigger")) {
    case "glob":
      return { load: "conditional", sent: "", later: truncated, patterns: globsOf(fields["globs"]) }
    case "model_decision":
      return { load: "name-only", sent: textField(fields, "description"), later: truncated }
    case "manual":
      return { load: "on-demand", sent: "", later: truncated }
    default:
      return { load: isCut ? "startup-capped" : "always", sent: truncated, later: "" }
  }
}

function globsOf(value: unknown): readonly string[] {
  if (typeof value !== "string") return textsOf(value) ?? []
  return value
    .split(",")
    .map((it) => it.trim())
    .filter((it) => it !== "")
}
