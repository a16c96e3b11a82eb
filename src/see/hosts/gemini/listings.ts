import path from "node:path"
import { compareText } from "#ground/base"
import { belongsTo } from "../files/file-trust.ts"
import { findSkillFiles } from "../files/folder-walk.ts"
import { tryYaml } from "../files/frontmatter.ts"
import { fieldsOf, textsOf } from "../files/json-settings.ts"
import type { HostItem } from "../host.ts"
import { LARGEST_INSTRUCTION_BYTES, LONGEST_HEAD_UNITS } from "../limits.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"
import { type GeminiSettings, SOURCES, settingOf } from "./settings.ts"

/** The folder itself and one level below. */
const DEEPEST_SKILL_LEVELS = 1

type Head = { readonly name: string; readonly description: string }
type ListedFile = Head & {
  readonly at: string
  readonly file: ReadFile
  readonly scope: "user" | "project"
}

export async function skillItems(
  reader: SurveyReader,
  settings: GeminiSettings,
): Promise<readonly HostItem[]> {
  const byName = new Map<string, ListedFile>()
  for (const { folder, scope } of skillFolders(settings)) {
    for (const skill of await skillsIn(reader, folder, scope)) {
      const first = byName.get(skill.name)
      if (first !== undefined) markHidden(reader, first.at, skill.at)
      byName.set(skill.name, skill)
    }
  }
  const isOff = settingOf(settings, "skills", "enabled") === false
  const names = textsOf(settingOf(settings, "skills", "disabled")) ?? []
  const disabled = names.map((it) => it.toLowerCase())
  const skills = [...byName.values()].filter(
    (it) => !isOff && !disabled.includes(it.name.toLowerCase()),
  )
  return skills.map((skill) => itemOf(skill, settings, SOURCES.skills))
}

function skillFolders({ home, cwd, isTrusted }: GeminiSettings) {
  const inside = (folder: string, scope: ListedFile["scope"]) =>
    [".gemini", ".agents"].map((it) => ({ folder: path.join(folder, it, "skills"), scope }))
  return [...inside(home, "user"), ...(isTrusted ? inside(cwd, "project") : [])]
}

async function skillsIn(
  reader: SurveyReader,
  folder: string,
  scope: ListedFile["scope"],
): Promise<readonly ListedFile[]> {
  const { source } = SOURCES.skills
  const files = await findSkillFiles(reader, folder, {
    source,
    deepestLevels: DEEPEST_SKILL_LEVELS,
    followsLinks: true,
    takesLinks: true,
    goesBelowSkills: true,
  })
  const skills: ListedFile[] = []
  for (const at of files) {
    const file = await reader.read(at, { source, maxBytes: LARGEST_INSTRUCTION_BYTES })
    const head = file === undefined ? undefined : readHead(file.bytes.toString())
    if (file === undefined) continue
    if (head === undefined) {
      reader.mark({ path: at, source, outcome: "excluded", detail: "no valid frontmatter" })
      continue
    }
    skills.push({ ...head, name: head.name.replace(/[:\\/<>*?"|]/g, "-"), at, file, scope })
  }
  return skills
}

function markHidden(reader: SurveyReader, hidden: string, by: string): void {
  const { source } = SOURCES.skills
  reader.mark({ path: hidden, source, outcome: "excluded", detail: `overridden by ${by}` })
}

/** A project's agents wait until the user has agreed to each. */
export async function agentItems(
  reader: SurveyReader,
  settings: GeminiSettings,
): Promise<readonly HostItem[]> {
  const folders = [
    { folder: path.join(settings.home, ".gemini", "agents"), scope: "user" },
    ...(settings.isTrusted
      ? [{ folder: path.join(settings.cwd, ".gemini", "agents"), scope: "project" } as const]
      : []),
  ] as const
  const items: HostItem[] = []
  for (const { folder, scope } of folders) {
    const entries = await reader.list(folder, SOURCES.agents.source)
    const names = entries.filter((it) => it.what === "file" && /^[^_].*\.md$/.test(it.name))
    for (const { name } of names.toSorted((a, b) => compareText(a.name, b.name))) {
      const item = await agentItem(reader, path.join(folder, name), { settings, scope })
      if (item !== undefined) items.push(item)
    }
  }
  return items
}

async function agentItem(
  reader: SurveyReader,
  at: string,
  it: { readonly settings: GeminiSettings; readonly scope: ListedFile["scope"] },
): Promise<HostItem | undefined> {
  const { source } = SOURCES.agents
  const file = await reader.read(at, { source, maxBytes: LARGEST_INSTRUCTION_BYTES })
  if (file === undefined) return undefined
  const head = readHead(file.bytes.toString())
  if (head === undefined || !/^[a-z0-9-_]+$/.test(head.name)) {
    reader.mark({ path: at, source, outcome: "excluded", detail: "no valid frontmatter" })
    return undefined
  }
  const item = itemOf({ ...head, at, file, scope: it.scope }, it.settings, SOURCES.agents)
  if (it.scope === "user") return item
  return { ...item, load: "on-demand", sent: "", frame: "", reason: "Waits for your consent" }
}

/** Must be YAML with two texts, or look like it. */
export function readHead(text: string): Head | undefined {
  const block = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text)?.[1]
  if (block === undefined || block.length > LONGEST_HEAD_UNITS) return undefined
  const { name, description } = fieldsOf(tryYaml(block))
  const isRead = typeof name === "string" && typeof description === "string"
  return isRead ? { name, description } : readLines(block)
}

function readLines(block: string): Head | undefined {
  const name = block.match(/^[^\S\r\n\u2028\u2029]*name:\s*(.*)$/m)?.[1]?.trim()
  const described = /^[ \t]*description:[ \t]*(.*(?:\r?\n[ \t]+\S.*)*)/m.exec(block)?.[1]
  if (name === undefined || described === undefined) return undefined
  const lines = described.split(/\r?\n/).map((line) => line.trim())
  return { name, description: lines.filter((line) => line !== "").join(" ") }
}

function itemOf(
  listed: ListedFile,
  { grounds }: GeminiSettings,
  source: (typeof SOURCES)["skills"] | (typeof SOURCES)["agents"],
): HostItem {
  const { at, file, scope } = listed
  const isSkill = source.source === "skills"
  const tag = isSkill ? "skill" : "subagent"
  const lines = [
    `  <${tag}>`,
    `    <name>${listed.name}</name>`,
    `    <description>${listed.description}</description>`,
    ...(isSkill ? [`    <location>${at}</location>`] : []),
    `  </${tag}>`,
  ]
  return {
    path: at,
    ...source,
    scope,
    load: "name-only",
    kind: isSkill ? "skills" : "agents",
    trust: belongsTo({ realPath: file.realPath, scope, foundAt: at }, grounds),
    file,
    sent: lines.join("\n"),
    frame: "\n",
    later: file.bytes.toString(),
  }
}
