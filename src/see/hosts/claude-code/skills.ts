import path from "node:path"
import { type JsonRecord } from "#ground/base"
import { splitFrontmatter } from "../files/frontmatter.ts"
import type { HostItem, SkillListing } from "../host.ts"
import type { Source } from "../source.ts"
import type { SurveyReader } from "../survey-reader.ts"
import type { ClaudeContext } from "./instructions/instructions.ts"
import { readPatterns } from "./instructions/transform.ts"
import { LONGEST_NAME_UNITS } from "./limits.ts"
import {
  type ListedFile,
  type ListedFolder,
  listedFolders,
  markdownBelow,
  readListed,
  trustOfListed,
} from "./listed-folders.ts"
import { within } from "./settings.ts"
import { SOURCES } from "./sources.ts"
import { type DraftLine, fitListing } from "./start.ts"

const LONGEST_FIRST_LINE_UNITS = 100

/** A description in the skill list is truncated here unless a setting overrides it. */
const LONGEST_DESCRIPTION_UNITS = 1_536

type Skill = ListedFile & {
  readonly name: string
  readonly place: Source
  readonly fields: JsonRecord
  readonly body: string
  readonly description: string
  readonly shownName: string
  readonly patterns: readonly string[]
}

export async function listSkills(
  context: ClaudeContext,
  reader: SurveyReader,
): Promise<{ readonly items: readonly HostItem[]; readonly listing: SkillListing }> {
  const folders = await listedFolders("skills", context, reader)
  const skills: Skill[] = []
  for (const folder of folders) {
    skills.push(...(await skillsIn(folder, reader)).toSorted(byName))
  }
  const all = [...skills, ...(await commandsOf(context, reader))]
  const chosen = firstOfEach(all, reader)
  const drafts = chosen
    .filter((it) => isListed(it, context))
    .map((it) => draftOf(it, chosen, context))
  const { lines, listing } = fitListing(drafts, context)
  return { items: chosen.map((it) => toFound(it, lines, context)), listing }
}

function isListed(skill: Skill, context: ClaudeContext): boolean {
  return skill.patterns.length === 0 && !isSwitchedOff(skill, context)
}

async function skillsIn(folder: ListedFolder, reader: SurveyReader): Promise<readonly Skill[]> {
  const place = SOURCES.skills
  const allSkills: Skill[] = []
  for (const entry of await reader.list(folder.path, place.source)) {
    if (entry.what !== "directory" && entry.what !== "link") continue
    const file = path.join(folder.path, entry.name, "SKILL.md")
    const read = await readListed(file, place.source, reader)
    if (read === undefined) continue
    const listed = { path: file, folder, file: read }
    allSkills.push(readSkill(listed, entry.name, place))
  }
  return allSkills
}

async function commandsOf(context: ClaudeContext, reader: SurveyReader): Promise<readonly Skill[]> {
  const place = SOURCES.commands
  const folders = await listedFolders("commands", context, reader)
  const files: ListedFile[] = []
  for (const folder of folders) {
    files.push(...(await markdownBelow(folder, place.source, reader)))
  }
  return files.map((it) => readSkill(it, commandName(it), place)).toSorted(byName)
}

/**
 * `ns/x.md` is `ns:x`; a SKILL.md among commands is named after its folder.
 */
function commandName({ path: file, folder }: ListedFile): string {
  const isSkill = /^skill\.md$/i.test(path.basename(file))
  const named = isSkill ? path.dirname(file) : file.replace(/\.md$/, "")
  return path.relative(folder.path, named).split(path.sep).join(":")
}

function readSkill(listed: ListedFile, name: string, place: Source): Skill {
  const { fields, body } = splitFrontmatter(listed.file.bytes.toString())
  const isCommand = place.source === SOURCES.commands.source
  const stated = scalarText(fields["description"]).trim()
  const fallback = firstLineOfSkill(body) || (isCommand ? "Custom command" : "Skill")
  const when = scalarText(fields["when_to_use"])
  const text = plainLine(stated === "" ? fallback : stated)
  return {
    ...listed,
    name,
    place,
    fields,
    body,
    description: when === "" ? text : `${text} - ${plainLine(when)}`,
    shownName: isCommand ? name : nameField(fields["name"], name),
    patterns: isCommand ? [] : readPatterns(fields["paths"]),
  }
}

function scalarText(value: unknown): string {
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "boolean" ? String(value) : ""
}

function nameField(value: unknown, fallback: string): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : ""
  return text === "" || text.length > LONGEST_NAME_UNITS ? fallback : text
}

function firstLineOfSkill(body: string): string {
  const line =
    body
      .split("\n")
      .find((it) => it.trim() !== "")
      ?.trim() ?? ""
  const text = /^#+\s+(\S.*)$/.exec(line)?.[1] ?? line
  return text.length > LONGEST_FIRST_LINE_UNITS
    ? `${text.slice(0, LONGEST_FIRST_LINE_UNITS - "...".length)}...`
    : text
}

/** One line, without invisible characters and tags. */
function plainLine(text: string): string {
  const flat = text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
  return flat.replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}

function byName(a: Skill, b: Skill): number {
  return a.name.localeCompare(b.name)
}

function firstOfEach(skills: readonly Skill[], reader: SurveyReader): readonly Skill[] {
  const names = new Set<string>()
  const files = new Set<string>()
  return skills.filter((skill) => {
    const isNew = !files.has(skill.file.realPath) && !names.has(skill.name)
    files.add(skill.file.realPath)
    if (isNew) names.add(skill.name)
    else
      reader.mark({
        path: skill.path,
        source: skill.place.source,
        outcome: "excluded",
        detail: `overridden by another skill named ${skill.name}`,
      })
    return isNew
  })
}

function toFound(
  skill: Skill,
  lines: ReadonlyMap<string, string>,
  context: ClaudeContext,
): HostItem {
  const isHidden = isSwitchedOff(skill, context)
  const isWaiting = skill.patterns.length > 0
  const base = {
    path: skill.path,
    source: skill.place.source,
    priority: skill.place.priority,
    scope: skill.folder.scope,
    kind: "skills",
    trust: trustOfListed(skill, context),
    file: skill.file,
    frame: "",
    later: skill.body.trim(),
  } as const
  if (isWaiting) {
    const waitsFor = { patterns: skill.patterns, base: context.folders.cwd }
    return {
      ...base,
      load: "conditional",
      reason: "Skill, loads with matching files",
      sent: "",
      waitsFor,
    }
  }
  if (isHidden) return { ...base, load: "on-demand", reason: "Only the user can call it", sent: "" }
  return {
    ...base,
    load: "name-only",
    reason: skill.place.reason,
    sent: lines.get(skill.path) ?? "",
  }
}

function draftOf(skill: Skill, all: readonly Skill[], context: ClaudeContext): DraftLine {
  const { name, path: at } = skill
  if (choiceFor(skill, context) === "name-only") {
    return { name, path: at, full: `- ${name}`, nameOnly: `- ${name}`, isFixed: true }
  }
  const nameOnly = `- ${listedName(skill, all)}`
  const full = `${nameOnly}: ${cutDescription(skill.description, context)}`
  return { name, path: at, full, nameOnly, isFixed: false }
}

function choiceFor({ name }: Skill, { settings }: ClaudeContext): unknown {
  return within(settings.value("skillOverrides"), name)
}

function isSwitchedOff(skill: Skill, context: ClaudeContext): boolean {
  const flag = skill.fields["disable-model-invocation"]
  const choice = choiceFor(skill, context)
  const isHidden = choice === "off" || choice === "user-invocable-only"
  return (
    isHidden || flag === true || (typeof flag === "string" && /^(?:1|true|yes|on)$/i.test(flag))
  )
}

/**
 * `folder (name)`, if the frontmatter has a name that no other skill has.
 */
function listedName(skill: Skill, all: readonly Skill[]): string {
  const { name, shownName } = skill
  const isCallable = /^[\p{L}\p{M}\p{N}_:.-]+$/u.test(shownName)
  const isShared = all.some((it) => it !== skill && it.name === shownName)
  if (shownName === name || name.endsWith(`:${shownName}`) || !isCallable || isShared) return name
  return `${name} (${shownName})`
}

function cutDescription(text: string, { settings }: ClaudeContext): string {
  const chosen = settings.value("skillListingMaxDescChars")
  const most = typeof chosen === "number" ? chosen : LONGEST_DESCRIPTION_UNITS
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}
