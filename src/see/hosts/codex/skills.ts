import path from "node:path"
import { parse } from "yaml"
import { compareText } from "#ground/base"
import { belongsTo } from "../belongs.ts"
import type { Found, Place, Scope } from "../host.ts"
import { SETTINGS_LIMIT_BYTES } from "../limits.ts"
import type { Look, ReadFile } from "../look.ts"
import { fieldsOf } from "../record.ts"
import { findSkillFiles } from "../skill-files.ts"
import { strictText } from "../unicode.ts"
import { LARGEST_INSTRUCTION_BYTES } from "../walk-limits.ts"
import type { CodexConfig } from "./config.ts"
import { settingOf } from "./config.ts"
import { systemFolder } from "./folders.ts"
import { DEEPEST_SKILL_LEVELS, SKILL_LIST_LIMIT_BYTES } from "./limits.ts"
import { readSkillText, type SkillText } from "./skill-text.ts"
import { SOURCES } from "./sources.ts"

/** In the order in which Codex lists what they hold. */
const SCOPES = ["system", "admin", "project", "user"] as const

const ITEM_SCOPES = {
  system: "user",
  admin: "managed",
  project: "project",
  user: "user",
} as const satisfies Record<(typeof SCOPES)[number], Scope>

type Root = {
  readonly folder: string
  readonly scope: (typeof SCOPES)[number]
  /** The folder as the walk came by it, when links led somewhere else. */
  readonly foundAt?: string
}

type Skill = SkillText & {
  readonly at: string
  readonly root: Root
  readonly file: ReadFile
  /** Whether the model hears of it; a person can still call it. */
  readonly isListed: boolean
}

/** One line for each skill; its text comes when it is used. */
export async function skillItems(
  look: Look,
  config: CodexConfig,
  it: { readonly place: Place; readonly folders: readonly string[] },
): Promise<readonly Found[]> {
  const switches = fieldsOf(settingOf(config, "skills"))
  if (switches["include_instructions"] === false) {
    const text = "Codex lists no skills: skills.include_instructions is false."
    look.note({ code: "switched-off", text })
    return []
  }
  const hasBundled = fieldsOf(switches["bundled"])["enabled"] !== false
  const wanted = rootsOf(config, it).filter((root) => hasBundled || root.scope !== "system")
  const roots = await withoutLinks(look, wanted)
  const skills = await readSkills(look, roots)
  const isOff = switchedOff(config)
  const listed = skills.filter((skill) => skill.isListed && !isOff(skill)).toSorted(bySkillOrder)
  const unlisted = skills.filter((skill) => !skill.isListed && !isOff(skill))
  for (const skill of skills.filter(isOff)) {
    look.mark({
      path: skill.at,
      source: SOURCES.skills.source,
      outcome: "excluded",
      detail: "switched off in the config",
    })
  }
  const trustOf = (skill: Skill) => trustOfSkill(skill, config)
  const lines = listing(listed, roots)
  noteLongList(look, lines)
  return [
    ...lines.map(({ skill, line, frame }) => ({
      ...itemOf(skill, trustOf(skill)),
      load: "name-only" as const,
      sent: line,
      frame,
    })),
    ...unlisted.map((skill) => ({
      ...itemOf(skill, trustOf(skill)),
      load: "on-demand" as const,
      sent: "",
      frame: "",
    })),
  ]
}

/** The order of the roots gives them their short names. */
function rootsOf(
  config: CodexConfig,
  it: { readonly place: Place; readonly folders: readonly string[] },
): readonly Root[] {
  const all: readonly Root[] = [
    ...config.dotFolders.map(
      (it) => ({ folder: path.join(it, "skills"), scope: "project" }) as const,
    ),
    { folder: path.join(config.home, "skills"), scope: "user" },
    { folder: path.join(it.place.home, ".agents", "skills"), scope: "user" },
    { folder: path.join(config.home, "skills", ".system"), scope: "system" },
    { folder: path.join(systemFolder(it.place), "skills"), scope: "admin" },
    ...it.folders.map(
      (folder) => ({ folder: path.join(folder, ".agents", "skills"), scope: "project" }) as const,
    ),
  ]
  return all.filter((root, index) => all.findIndex((it) => it.folder === root.folder) === index)
}

function trustOfSkill({ at, root, file }: Skill, { grounds }: CodexConfig): Found["trust"] {
  const foundAt = path.join(root.foundAt ?? root.folder, path.relative(root.folder, at))
  const scope = ITEM_SCOPES[root.scope]
  return belongsTo({ realPath: file.realPath, scope, foundAt }, grounds)
}

/** Codex names a folder of skills by where it really lies. */
async function withoutLinks(look: Look, roots: readonly Root[]): Promise<readonly Root[]> {
  const real: Root[] = []
  for (const root of roots) {
    const folder = (await look.realPath(root.folder)) ?? root.folder
    real.push({ ...root, folder, foundAt: root.folder })
  }
  return real
}

/** The same real file counts once, for the first root that leads to it. */
async function readSkills(look: Look, roots: readonly Root[]): Promise<readonly Skill[]> {
  const skills = new Map<string, Skill>()
  for (const root of roots) {
    const files = await findSkillFiles(look, root.folder, {
      source: SOURCES.skills.source,
      deepestLevels: DEEPEST_SKILL_LEVELS,
      followsLinks: root.scope !== "system",
      takesLinks: false,
      goesBelowSkills: true,
    })
    for (const at of files) {
      const skill = await readSkill(look, at, root)
      if (skill !== undefined && !skills.has(skill.file.realPath)) {
        skills.set(skill.file.realPath, skill)
      }
    }
  }
  return [...skills.values()]
}

async function readSkill(look: Look, at: string, root: Root): Promise<Skill | undefined> {
  const limits = { source: SOURCES.skills.source, maxBytes: LARGEST_INSTRUCTION_BYTES }
  const file = await look.read(at, limits)
  if (file === undefined) return undefined
  const folder = path.dirname(at)
  const read = readSkillText(strictText(file.bytes) ?? "", path.basename(folder))
  if (read === undefined) {
    look.mark({
      path: at,
      source: limits.source,
      outcome: "excluded",
      detail: "it has no head with a description",
    })
    return undefined
  }
  return { ...read, at, root, file, isListed: await isOffered(look, folder) }
}

/** A skill can say in a file of its own that only a person may call it. */
async function isOffered(look: Look, folder: string): Promise<boolean> {
  const found = await look.peek(path.join(folder, "agents", "openai.yaml"), SETTINGS_LIMIT_BYTES)
  if (found.kind !== "file") return true
  const policy = fieldsOf(fieldsOf(tryYaml(found.bytes.toString()))["policy"])
  return policy["allow_implicit_invocation"] !== false
}

function tryYaml(text: string): unknown {
  try {
    return parse(text, { logLevel: "silent", prettyErrors: false })
  } catch {
    return undefined
  }
}

/** Rules by path or by name, the later ones stronger; a project's own rules do not count. */
function switchedOff(config: CodexConfig): (skill: Skill) => boolean {
  const files = config.files.filter((it) => it.layer !== "project").toReversed()
  const rules = files.flatMap((it) => {
    const given = fieldsOf(it.values["skills"])["config"]
    return Array.isArray(given) ? given.map(fieldsOf) : []
  })
  return (skill) => {
    const last = rules.findLast(
      (rule) => rule["path"] === skill.file.realPath || rule["name"] === skill.name,
    )
    return last?.["enabled"] === false
  }
}

function bySkillOrder(a: Skill, b: Skill): number {
  const byScope = SCOPES.indexOf(a.root.scope) - SCOPES.indexOf(b.root.scope)
  return byScope || compareText(a.name, b.name) || compareText(a.file.realPath, b.file.realPath)
}

type Line = { readonly skill: Skill; readonly line: string; readonly frame: string }

/** Paths are short: each root with a listed skill has a line of its own and the name r0, r1… */
function listing(listed: readonly Skill[], roots: readonly Root[]): readonly Line[] {
  const used = new Set(listed.map((it) => it.root.folder))
  const named = [...new Set(roots.map((it) => it.folder))].filter((it) => used.has(it))
  const announced = new Set<string>()
  return listed.map((skill) => {
    const { folder } = skill.root
    const short = `r${named.indexOf(folder)}`
    const frame = announced.has(folder) ? "" : `- \`${short}\` = \`${folder}\`\n`
    announced.add(folder)
    const locator = `${short}/${path.relative(folder, skill.at).replaceAll("\\", "/")}`
    return { skill, line: `- ${skill.name}: ${skill.description} (file: ${locator})`, frame }
  })
}

function noteLongList(look: Look, lines: readonly Line[]): void {
  const size = lines.reduce((sum, { line }) => sum + Buffer.byteLength(line) + 1, 0)
  if (size <= SKILL_LIST_LIMIT_BYTES) return
  const text = `The list of ${lines.length} skills is long; Codex shortens descriptions to fit it.`
  look.note({ code: "too-many", text })
}

function itemOf(skill: Skill, trust: Found["trust"]) {
  return {
    path: skill.at,
    ...SOURCES.skills,
    scope: ITEM_SCOPES[skill.root.scope],
    kind: "tools",
    trust,
    file: skill.file,
    later: skill.file.bytes.toString(),
  } as const
}
