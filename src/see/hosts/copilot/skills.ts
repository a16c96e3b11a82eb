import path from "node:path"
import { parseDocument } from "yaml"
import { compareText, isRecord, type JsonRecord } from "#ground/base"
import { belongsTo, type TrustFolders } from "../files/file-trust.ts"
import { findSkillFiles } from "../files/folder-walk.ts"
import { onOneLine, strictText, withoutByteOrderMark } from "../files/unicode.ts"
import type { HostItem, HostPlace } from "../host.ts"
import { DEEPEST_FOLDER_LEVELS, LARGEST_INSTRUCTION_BYTES, LONGEST_HEAD_UNITS } from "../limits.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"
import { type Folders, namedFolders, SKILLS_VARIABLE, SOURCES } from "./folders.ts"

const LONGEST_DESCRIPTION_CHARACTERS = 1_024

/** A skill with a longer name or description is dropped. */
const LONGEST_SKILL_NAME_CHARACTERS = 64

type Root = {
  readonly folder: string
  readonly group: "here" | "above" | "user" | "agents" | "named" | "commands"
  readonly location: "project" | "user" | "custom"
}

type Skill = {
  readonly at: string
  readonly root: Root
  readonly file: ReadFile
  readonly name: string
  readonly description: string
  readonly isListed: boolean
}

export async function skillItems(
  reader: SurveyReader,
  folders: Folders,
  place: HostPlace,
): Promise<readonly HostItem[]> {
  const roots = rootsOf(folders, place)
  const byName = new Map<string, Skill>()
  for (const root of roots) {
    for (const skill of await skillsOf(reader, root)) {
      const first = byName.get(skill.name)
      if (first === undefined) byName.set(skill.name, skill)
      else
        reader.mark({
          path: skill.at,
          source: sourceOf(root).source,
          outcome: "excluded",
          detail: `overridden by ${first.at}`,
        })
    }
  }
  return inListOrder([...byName.values()]).map((skill) => itemOf(skill, folders.grounds))
}

function rootsOf({ config, home, cwd, above }: Folders, place: HostPlace): readonly Root[] {
  const kinds = [".github", ".agents", ".claude"].flatMap((kind): readonly Root[] => {
    const inFolder = (folder: string) => path.join(folder, kind, "skills")
    // The user's ~/.claude belongs to another host and does not count as a parent folder.
    const upper = above.filter((folder) => kind !== ".claude" || folder !== home)
    return [
      { folder: inFolder(cwd), group: "here", location: "project" },
      ...upper.map(
        (it) => ({ folder: inFolder(it), group: "above", location: "project" }) as const,
      ),
    ]
  })
  const commands = [cwd, ...above.filter((it) => it !== home)].map(
    (it) =>
      ({
        folder: path.join(it, ".claude", "commands"),
        group: "commands",
        location: "project",
      }) as const,
  )
  const named = namedFolders(place, SKILLS_VARIABLE).map(
    (folder) => ({ folder, group: "named", location: "custom" }) as const,
  )
  return [
    ...kinds,
    { folder: path.join(config, "skills"), group: "user", location: "user" },
    { folder: path.join(home, ".agents", "skills"), group: "agents", location: "user" },
    ...named,
    ...commands,
  ]
}

async function skillsOf(reader: SurveyReader, root: Root): Promise<readonly Skill[]> {
  const files =
    root.group === "commands" ? await commandFiles(reader, root) : await findSkills(reader, root)
  const skills: Skill[] = []
  for (const at of files) {
    const skill = await readSkill(reader, at, root)
    if (skill !== undefined) skills.push(skill)
  }
  return skills
}

function findSkills(reader: SurveyReader, root: Root): Promise<readonly string[]> {
  return findSkillFiles(reader, root.folder, {
    source: SOURCES.skills.source,
    deepestLevels: DEEPEST_FOLDER_LEVELS,
    followsLinks: true,
    takesLinks: true,
    goesBelowSkills: false,
  })
}

async function commandFiles(reader: SurveyReader, { folder }: Root): Promise<readonly string[]> {
  const entries = await reader.list(folder, SOURCES.commands.source)
  const names = entries.filter((it) => it.what !== "directory" && it.name.endsWith(".md"))
  return names.map((it) => path.join(folder, it.name)).toSorted(compareText)
}

async function readSkill(reader: SurveyReader, at: string, root: Root): Promise<Skill | undefined> {
  const { source } = sourceOf(root)
  const file = await reader.read(at, { source, maxBytes: LARGEST_INSTRUCTION_BYTES })
  const text = file === undefined ? undefined : strictText(file.bytes)
  if (file === undefined || text === undefined) return undefined
  const isCommand = root.group === "commands"
  const head = readHead(text) ?? (isCommand ? { fields: {}, body: text } : undefined)
  const named = head === undefined ? undefined : nameOf(head, fallbackName(at, root))
  const description = head === undefined ? undefined : descriptionOf(head)
  if (head === undefined || named === undefined || description === undefined) {
    reader.mark({
      path: at,
      source,
      outcome: "excluded",
      detail: "Copilot rejects its frontmatter",
    })
    return undefined
  }
  const isListed = head.fields["disable-model-invocation"] !== true
  return { at, root, file, name: named, description, isListed }
}

function fallbackName(at: string, root: Root): string {
  return root.group === "commands" ? path.basename(at, ".md") : path.basename(path.dirname(at))
}

function nameOf({ fields }: FrontmatterFile, fallback: string): string | undefined {
  const declaredName = fields["name"] ?? fallback
  if (typeof declaredName !== "string") return undefined
  const name = declaredName.trim().replace(/\s+/g, "-")
  const isFit = /^[\w.:-]+$/.test(name) && name.length <= LONGEST_SKILL_NAME_CHARACTERS
  return isFit ? name : undefined
}

function descriptionOf({ fields, body }: FrontmatterFile): string | undefined {
  const declaredDescription = fields["description"]
  if (declaredDescription === undefined || declaredDescription === null) return describeBody(body)
  if (typeof declaredDescription !== "string") return undefined
  const description = declaredDescription.trim()
  const isTooLong = Array.from(description).length > LONGEST_DESCRIPTION_CHARACTERS
  return isTooLong ? undefined : description
}

function inListOrder(skills: readonly Skill[]): readonly Skill[] {
  const runs: Skill[][] = []
  for (const skill of skills) {
    const run = runs.at(-1)
    const isSameRun = run?.[0]?.root.group === skill.root.group && skill.root.group !== "commands"
    if (run !== undefined && isSameRun) run.push(skill)
    else runs.push([skill])
  }
  return runs.flatMap((run) => run.toSorted((a, b) => compareText(a.name, b.name)))
}

function sourceOf({ group }: Root) {
  return group === "commands" ? SOURCES.commands : SOURCES.skills
}

function itemOf(skill: Skill, grounds: TrustFolders): HostItem {
  const { at, root, file, isListed } = skill
  const scope = root.location === "user" ? "user" : "project"
  const lines = [
    "<skill>",
    `  <name>${escaped(skill.name)}</name>`,
    `  <description>${escaped(skill.description)}</description>`,
    `  <location>${root.location}</location>`,
    "</skill>",
  ]
  return {
    path: at,
    ...sourceOf(root),
    scope,
    load: isListed ? "name-only" : "on-demand",
    kind: "skills",
    trust: belongsTo({ realPath: file.realPath, scope, foundAt: at }, grounds),
    file,
    sent: isListed ? lines.join("\n") : "",
    frame: isListed ? "\n" : "",
    later: file.bytes.toString(),
  }
}

type FrontmatterFile = { readonly fields: JsonRecord; readonly body: string }

export function readHead(text: string): FrontmatterFile | undefined {
  const plain = withoutByteOrderMark(text)
  const match = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n|$)/.exec(plain)
  if (match === null || match[0].length > LONGEST_HEAD_UNITS) return undefined
  const document = parseDocument(match[1] ?? "", { prettyErrors: false, logLevel: "silent" })
  const fields = document.errors.length === 0 ? toPlain(document) : undefined
  return isRecord(fields) ? { fields, body: plain.slice(match[0].length) } : undefined
}

/** An alias without an anchor fails only here. */
function toPlain(document: { toJS(): unknown }): unknown {
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}

export function describeBody(body: string): string {
  const lines = body.split(/\r?\n/).filter((line) => !/^\s*#/.test(line))
  return onOneLine(lines.join(" "))
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => ESCAPES[mark] ?? mark)
}
