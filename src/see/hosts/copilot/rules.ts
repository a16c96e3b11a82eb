import path from "node:path"
import { compareText } from "#ground/base"
import { belongsTo, noteLinkOutside, type TrustFolders } from "../files/file-trust.ts"
import { splitFrontmatter } from "../files/frontmatter.ts"
import { textsOf } from "../files/json-settings.ts"
import { onOneLine, strictText, withoutByteOrderMark } from "../files/unicode.ts"
import type { HostItem } from "../host.ts"
import { DEEPEST_FOLDER_LEVELS, LARGEST_INSTRUCTION_BYTES } from "../limits.ts"
import type { Source } from "../source.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"
import { type Folders, SOURCES } from "./folders.ts"

/** A larger rule file of the user is left out. */
const LARGEST_USER_RULE_BYTES = 1024 * 1024

type RuleFolder = {
  readonly folder: string
  readonly source: Source
  readonly scope: "user" | "project"
  /** Table rows name files relative to this; absolute paths if undefined. */
  readonly base: string | undefined
}

export async function ruleItems(
  reader: SurveyReader,
  folders: Folders,
  added: readonly string[],
): Promise<readonly HostItem[]> {
  const { grounds } = folders
  const items: HostItem[] = []
  for (const place of ruleFolders(folders, added)) {
    for (const at of await findRules(reader, place)) {
      const item = await ruleItem(reader, at, { place, grounds })
      if (item !== undefined && !items.some((it) => it.path === item.path)) items.push(item)
    }
  }
  const named = await addedAgentsFiles(reader, folders, added)
  return [
    ...items.filter((it) => it.load === "always"),
    ...named,
    ...items.filter((it) => it.load !== "always"),
  ]
}

function ruleFolders(folders: Folders, added: readonly string[]): readonly RuleFolder[] {
  const { config, root, cwd } = folders
  const ends = root === cwd ? [root] : [root, cwd]
  return [
    {
      folder: path.join(config, "instructions"),
      source: SOURCES.userRules,
      scope: "user",
      base: undefined,
    },
    ...ends.map(
      (end): RuleFolder => ({
        folder: path.join(end, ".github", "instructions"),
        source: SOURCES.projectRules,
        scope: "project",
        base: end,
      }),
    ),
    ...added
      .flatMap((folder) => [path.join(folder, ".github", "instructions"), folder])
      .map(
        (folder): RuleFolder => ({
          folder,
          source: SOURCES.addedRules,
          scope: "project",
          base: undefined,
        }),
      ),
  ]
}

/** Sorted by path, folder by folder; hidden files are left out, linked folders are not entered. */
async function findRules(
  reader: SurveyReader,
  { folder, source }: RuleFolder,
): Promise<readonly string[]> {
  const rulePaths: string[] = []
  async function visit(at: string, level: number): Promise<void> {
    const entries = await reader.list(at, source.source)
    for (const { name, what } of entries.toSorted((a, b) => compareText(a.name, b.name))) {
      if (name.startsWith(".")) continue
      const isRule = what !== "directory" && /\.instructions\.md$/i.test(name)
      if (isRule) rulePaths.push(path.join(at, name))
      const goesDeeper = what === "directory" && level < DEEPEST_FOLDER_LEVELS
      if (goesDeeper) await visit(path.join(at, name), level + 1)
    }
  }
  await visit(folder, 0)
  return rulePaths
}

async function ruleItem(
  reader: SurveyReader,
  at: string,
  it: { readonly place: RuleFolder; readonly grounds: TrustFolders },
): Promise<HostItem | undefined> {
  const { source, scope, base } = it.place
  const isUser = scope === "user"
  const maxBytes = isUser ? LARGEST_USER_RULE_BYTES : LARGEST_INSTRUCTION_BYTES
  const file = await reader.read(at, { source: source.source, maxBytes })
  if (file === undefined) return undefined
  const text = isUser ? strictText(file.bytes) : file.bytes.toString()
  const { fields } = splitFrontmatter(text ?? "")
  const isExcluded = excludes(fields["excludeAgent"])
  if (text === undefined || isExcluded) {
    const why = isExcluded ? "it excludes this agent" : "not UTF-8"
    reader.mark({ path: at, source: source.source, outcome: "excluded", detail: why })
    return undefined
  }
  const trust = belongsTo({ realPath: file.realPath, scope, foundAt: at }, it.grounds)
  if (trust === "external") noteLinkOutside(reader, at, file.realPath)
  const plain = withoutByteOrderMark(text)
  const item = { path: at, scope, kind: "instructions", trust, file } as const
  const patterns = patternsOf(fields["applyTo"])
  if (patterns === undefined) {
    return { ...item, ...source, load: "always", sent: plain, frame: "\n\n", later: "" }
  }
  const shown = base === undefined ? at : path.relative(base, at).replaceAll("\\", "/")
  return {
    ...item,
    ...SOURCES.ruleTable,
    load: "conditional",
    sent: rowOf(patterns, shown, fields["description"]),
    frame: "\n",
    later: plain,
    waitsFor: { patterns, base: base ?? it.place.folder },
  }
}

function excludes(value: unknown): boolean {
  return [value].flat().includes("coding-agent")
}

const EVERYTHING = ["", "*", "**", "**/*"]

/** Undefined if the rule is for all files. */
export function patternsOf(applyTo: unknown): readonly string[] | undefined {
  const patterns = typeof applyTo === "string" ? splitPatterns(applyTo) : textsOf(applyTo)
  if (patterns === undefined || patterns.length === 0) return undefined
  const isForAll = patterns.length === 1 && EVERYTHING.includes(patterns[0] ?? "")
  return isForAll ? undefined : patterns
}

function splitPatterns(text: string): readonly string[] {
  const parts = [""]
  let depth = 0
  for (const character of text) {
    if (character === "{") depth++
    if (character === "}") depth--
    if (character === "," && depth <= 0) parts.push("")
    else parts.push((parts.pop() ?? "") + character)
  }
  return parts.map((it) => it.trim())
}

function rowOf(patterns: readonly string[], file: string, description: unknown): string {
  const about = typeof description === "string" ? onOneLine(description) : ""
  return `| ${cell(patterns.join(", "))} | '${file}' | ${cell(about)} |`
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|")
}

async function addedAgentsFiles(
  reader: SurveyReader,
  { cwd, grounds }: Folders,
  added: readonly string[],
): Promise<readonly HostItem[]> {
  const items: HostItem[] = []
  for (const folder of added) {
    const at = path.join(folder, "AGENTS.md")
    const limits = { source: SOURCES.addedDirectory.source, maxBytes: LARGEST_INSTRUCTION_BYTES }
    const file: ReadFile | undefined = await reader.read(at, limits)
    if (file === undefined) continue
    const way = path.relative(cwd, folder).replaceAll("\\", "/")
    items.push({
      path: at,
      ...SOURCES.addedDirectory,
      scope: "project",
      load: "name-only",
      kind: "instructions",
      trust: belongsTo({ realPath: file.realPath, scope: "project", foundAt: at }, grounds),
      file,
      sent: `| ${way}/ | '${way}/AGENTS.md' | Agent instructions for ${way}/**/* |`,
      frame: "\n",
      later: file.bytes.toString(),
    })
  }
  return items
}
