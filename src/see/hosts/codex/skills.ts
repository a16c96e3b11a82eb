import path from "node:path"
import { isScalar, parseDocument } from "yaml"
import { compareText, formatExact, isRecord } from "#ground/base"
import { belongsTo } from "../files/file-trust.ts"
import { findSkillFiles } from "../files/folder-walk.ts"
import { tryYaml } from "../files/frontmatter.ts"
import { fieldsOf } from "../files/json-settings.ts"
import { firstCharacters, onOneLine, strictText } from "../files/unicode.ts"
import type { HostItem, HostPlace, Scope, SkillListing } from "../host.ts"
import { LARGEST_INSTRUCTION_BYTES, LONGEST_HEAD_UNITS } from "../limits.ts"
import { shareDescriptions } from "../listing-budget.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"
import { type CodexConfig, SOURCES, settingOf } from "./config.ts"
import { systemFolder } from "./folders.ts"

/** Share of the model's window for the listing of skills. */
const LISTING_SHARE = 0.02

/** A longer description is truncated, with three dots for the last characters. */
const LONGEST_DESCRIPTION_CHARACTERS = 1_024

const LONGEST_SKILL_NAME_CHARACTERS = 64

const DEEPEST_SKILL_LEVELS = 6

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
  readonly foundAt?: string
}

type Skill = SkillText & {
  readonly at: string
  readonly root: Root
  readonly file: ReadFile
  readonly isListed: boolean
}

type SkillPlace = { readonly place: HostPlace; readonly folders: readonly string[] }

export async function skillItems(
  reader: SurveyReader,
  config: CodexConfig,
  it: SkillPlace & { readonly window: number },
): Promise<{ readonly items: readonly HostItem[]; readonly listing: SkillListing | undefined }> {
  const switches = fieldsOf(settingOf(config, "skills"))
  if (switches["include_instructions"] === false) {
    const text = "Codex lists no skills: skills.include_instructions is false."
    reader.note({ code: "switched-off", text })
    return { items: [], listing: undefined }
  }
  const hasBundled = fieldsOf(switches["bundled"])["enabled"] !== false
  const usedRoots = rootsOf(config, it).filter((root) => hasBundled || root.scope !== "system")
  const roots = await withoutLinks(reader, usedRoots)
  const skills = await readSkills(reader, roots)
  const isOff = switchedOff(config)
  const listed = skills.filter((skill) => skill.isListed && !isOff(skill)).toSorted(bySkillOrder)
  const unlisted = skills.filter((skill) => !skill.isListed && !isOff(skill))
  for (const skill of skills.filter(isOff)) {
    reader.mark({
      path: skill.at,
      source: SOURCES.skills.source,
      outcome: "excluded",
      detail: "disabled in the config",
    })
  }
  const trustOf = (skill: Skill) => trustOfSkill(skill, config)
  const { lines, listing } = fitListing(listed, roots, it.window)
  const items = [
    ...lines.map(({ skill, line, frame }) => ({
      ...itemOf(skill, trustOf(skill)),
      load: line === undefined ? ("on-demand" as const) : ("name-only" as const),
      sent: line ?? "",
      frame: line === undefined ? "" : frame,
    })),
    ...unlisted.map((skill) => ({
      ...itemOf(skill, trustOf(skill)),
      load: "on-demand" as const,
      sent: "",
      frame: "",
    })),
  ]
  return { items, listing }
}

/** The order of the roots gives them their short names. */
function rootsOf(config: CodexConfig, it: SkillPlace): readonly Root[] {
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

function trustOfSkill({ at, root, file }: Skill, { grounds }: CodexConfig): HostItem["trust"] {
  const foundAt = path.join(root.foundAt ?? root.folder, path.relative(root.folder, at))
  const scope = ITEM_SCOPES[root.scope]
  return belongsTo({ realPath: file.realPath, scope, foundAt }, grounds)
}

/** Codex names a skills folder by its real path. */
async function withoutLinks(
  reader: SurveyReader,
  roots: readonly Root[],
): Promise<readonly Root[]> {
  const real: Root[] = []
  for (const root of roots) {
    const folder = (await reader.realPath(root.folder)) ?? root.folder
    real.push({ ...root, folder, foundAt: root.folder })
  }
  return real
}

async function readSkills(reader: SurveyReader, roots: readonly Root[]): Promise<readonly Skill[]> {
  const skills = new Map<string, Skill>()
  for (const root of roots) {
    const files = await findSkillFiles(reader, root.folder, {
      source: SOURCES.skills.source,
      deepestLevels: DEEPEST_SKILL_LEVELS,
      followsLinks: root.scope !== "system",
      takesLinks: false,
      goesBelowSkills: true,
    })
    for (const at of files) {
      const skill = await readSkill(reader, at, root)
      if (skill !== undefined && !skills.has(skill.file.realPath)) {
        skills.set(skill.file.realPath, skill)
      }
    }
  }
  return [...skills.values()]
}

async function readSkill(reader: SurveyReader, at: string, root: Root): Promise<Skill | undefined> {
  const limits = { source: SOURCES.skills.source, maxBytes: LARGEST_INSTRUCTION_BYTES }
  const file = await reader.read(at, limits)
  if (file === undefined) return undefined
  const folder = path.dirname(at)
  const read = readSkillText(strictText(file.bytes) ?? "", path.basename(folder))
  if (read === undefined) {
    reader.mark({
      path: at,
      source: limits.source,
      outcome: "excluded",
      detail: "no frontmatter with a description",
    })
    return undefined
  }
  return { ...read, at, root, file, isListed: await isOffered(reader, folder) }
}

/** A skill's own file can restrict it to calls by the user. */
async function isOffered(reader: SurveyReader, folder: string): Promise<boolean> {
  const file = await reader.peek(path.join(folder, "agents", "openai.yaml"), LONGEST_HEAD_UNITS)
  if (file.kind !== "file") return true
  const policy = fieldsOf(fieldsOf(tryYaml(file.bytes.toString()))["policy"])
  return policy["allow_implicit_invocation"] !== false
}

/** Rules by path or name, later ones stronger; a project's rules do not count. */
function switchedOff(config: CodexConfig): (skill: Skill) => boolean {
  const files = config.files.filter((it) => it.layer !== "project").toReversed()
  const rules = files.flatMap((file) => {
    const rules = fieldsOf(file.values["skills"])["config"]
    return Array.isArray(rules) ? rules.map(fieldsOf) : []
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

type Line = {
  readonly skill: Skill
  /** Undefined if there was no room even for the name. */
  readonly line: string | undefined
  readonly frame: string
}

type FittedListing = { readonly lines: readonly Line[]; readonly listing: SkillListing }

function fitListing(
  listed: readonly Skill[],
  roots: readonly Root[],
  window: number,
): FittedListing {
  const used = new Set(listed.map((it) => it.root.folder))
  const named = [...new Set(roots.map((it) => it.folder))].filter((it) => used.has(it))
  const announced = new Set<string>()
  const entries = listed.map((skill) => {
    const { folder } = skill.root
    const short = `r${named.indexOf(folder)}`
    const frame = announced.has(folder) ? "" : `- \`${short}\` = \`${folder}\`\n`
    announced.add(folder)
    const locator = `${short}/${path.relative(folder, skill.at).replaceAll("\\", "/")}`
    return { skill, frame, name: skill.name, description: skill.description, path: locator }
  })
  const budget = Math.max(1, Math.floor(window * LISTING_SHARE))
  const texts = shareDescriptions(entries, budget)
  const lines = entries.map(({ skill, frame }, index) => ({ skill, frame, line: texts[index] }))
  const whole = entries.map((it) => `- ${it.name}: ${it.description} (file: ${it.path})`)
  const needed = whole.reduce((sum, it) => sum + Math.ceil((Buffer.byteLength(it) + 1) / 4), 0)
  return {
    lines,
    listing: {
      budget,
      unit: "tokens",
      needed,
      reason: `2 % of a window of ${formatExact(window)} tokens`,
      skills: listed.length,
      shortened: lines.flatMap(({ skill, line }, index) => {
        const lostCharacters = (whole[index]?.length ?? 0) - (line?.length ?? 0)
        const isLeftOut = line === undefined
        return lostCharacters > 0
          ? [{ name: skill.name, path: skill.at, lostCharacters, isLeftOut }]
          : []
      }),
    },
  }
}

function itemOf(skill: Skill, trust: HostItem["trust"]) {
  return {
    path: skill.at,
    ...SOURCES.skills,
    scope: ITEM_SCOPES[skill.root.scope],
    kind: "skills",
    trust,
    file: skill.file,
    later: skill.file.bytes.toString(),
  } as const
}

type SkillText = { readonly name: string; readonly description: string }

export function readSkillText(text: string, folderName: string): SkillText | undefined {
  const block = frontmatterOf(text)
  if (block === undefined) return undefined
  const fields = parseFields(block) ?? parseFields(quoteLooseLines(block))
  if (fields === undefined) return undefined
  const declaredName = onOneLine(fields("name") ?? "")
  const name = declaredName === "" ? folderName : declaredName
  const description = onOneLine(fields("description") ?? "")
  const isTooLong = Array.from(name).length > LONGEST_SKILL_NAME_CHARACTERS
  return isTooLong || description === "" ? undefined : { name, description: cut(description) }
}

function frontmatterOf(text: string): string | undefined {
  const lines = text.split(/\r?\n/)
  const isFence = (line: string | undefined) =>
    line !== undefined && /^[ \t\r]*---[ \t\r]*$/.test(line)
  if (!isFence(lines[0])) return undefined
  const end = lines.findIndex((line, index) => index > 0 && isFence(line))
  const block = end <= 1 ? undefined : lines.slice(1, end).join("\n")
  return block === undefined || block.length > LONGEST_HEAD_UNITS ? undefined : block
}

type FieldReader = (name: string) => string | undefined

/** A duplicate key is an error, as in Codex's YAML parser. */
function parseFields(yaml: string): FieldReader | undefined {
  const document = parseDocument(yaml, { prettyErrors: false, logLevel: "silent" })
  if (document.errors.length > 0 || !isWhole(document)) return undefined
  return (name) => {
    const node: unknown = document.has(name) ? document.get(name, true) : undefined
    if (!isScalar(node) || node.value === null) return undefined
    return typeof node.value === "string" ? node.value : node.source
  }
}

/** An alias without an anchor fails only when the document is evaluated. */
function isWhole(document: { toJS(): unknown }): boolean {
  try {
    return isRecord(document.toJS())
  } catch {
    return false
  }
}

/**
 * `description: Build for AWS: ECS` is invalid YAML; Codex quotes such a value and tries again.
 */
function quoteLooseLines(yaml: string): string {
  return yaml
    .split("\n")
    .map((line) => {
      const colon = line.indexOf(":")
      const key = line.slice(0, Math.max(colon, 0))
      const [, gap, value] = /^(\s+)(\S.*)$/.exec(line.slice(colon + 1)) ?? []
      if (key.trim() === "" || gap === undefined || value === undefined) return line
      const commentAt = value.search(/^#|(?<!\s)\s+#/)
      const comment = commentAt === -1 ? "" : value.slice(commentAt)
      const scalar = value.slice(0, value.length - comment.length).trimEnd()
      return isLoose(scalar) ? `${key}:${gap}'${scalar.replaceAll("'", "''")}'${comment}` : line
    })
    .join("\n")
}

function isLoose(scalar: string): boolean {
  if (/^['"|>]/.test(scalar)) return false
  const isBrokenFlow = /^[[{@`]/.test(scalar) && parseDocument(scalar).errors.length > 0
  return isBrokenFlow || /:\s/.test(scalar)
}

function cut(description: string): string {
  const isShort = Array.from(description).length <= LONGEST_DESCRIPTION_CHARACTERS
  if (isShort) return description
  const room = LONGEST_DESCRIPTION_CHARACTERS - DOTS.length
  return firstCharacters(description, room) + DOTS
}

const DOTS = "..."
