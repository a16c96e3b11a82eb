import path from "node:path"
import { isInside } from "#ground/base"
import { backtickSpans, lineCounter } from "../files/import-text.ts"
import { strictText, withoutByteOrderMark } from "../files/unicode.ts"
import {
  LARGEST_INSTRUCTION_BYTES,
  LONGEST_MATCHED_PATH_UNITS as LONGEST_PATH_UNITS,
  MOST_MENTIONS,
} from "../limits.ts"
import { noteManyMentions, type ReadFile, type SurveyReader } from "../survey-reader.ts"

/** The ninth level stays a name. */
const DEEPEST_IMPORT_LEVELS = 8

type ImportedFile = {
  readonly path: string
  readonly file: ReadFile
  readonly by: { readonly path: string; readonly line: number }
}

export type ExpandedText = { readonly text: string; readonly imports: readonly ImportedFile[] }

type ImportSource = { readonly path: string; readonly text: string; readonly level: number }

type Job = {
  readonly reader: SurveyReader
  readonly root: string
  readonly loaded: Set<string>
  readonly imports: ImportedFile[]
}

export async function expandImports(
  reader: SurveyReader,
  start: { readonly path: string; readonly realPath: string; readonly text: string },
  root: string,
): Promise<ExpandedText> {
  const realRoot = (await reader.realPath(root)) ?? root
  const job: Job = { reader, root: realRoot, loaded: new Set([start.realPath]), imports: [] }
  const text = await expand(job, { path: start.path, text: start.text, level: 0 })
  return { text, imports: job.imports }
}

async function expand(job: Job, from: ImportSource): Promise<string> {
  let text = ""
  let done = 0
  const lineAt = lineCounter(from.text)
  const mentions = findMentions(from.text)
  if (mentions.length === MOST_MENTIONS) noteManyMentions(job.reader, from.path)
  for (const mention of mentions) {
    const by = { path: from.path, line: lineAt(mention.at) }
    const isInsideLast = mention.at < done
    const added = isInsideLast ? undefined : await insertion(job, from, { ...mention, by })
    if (added === undefined) continue
    text += from.text.slice(done, mention.end) + added
    done = mention.end
  }
  return text + from.text.slice(done)
}

async function insertion(
  job: Job,
  from: ImportSource,
  mention: Mention & Pick<ImportedFile, "by">,
): Promise<string | undefined> {
  const { reader } = job
  const { by } = mention
  const it = { name: mention.path, by }
  // Relative to where the file was found: links are not resolved for this.
  const target = await reader.realPath(path.resolve(path.dirname(from.path), mention.path))
  if (target === undefined) return refuse(reader, "import-unresolved", it)
  if (!isInside(job.root, target)) return refuse(reader, "import-external", it)
  if (job.loaded.has(target)) return `\n\n${tag(target)} skipped="already-loaded" />`
  if (from.level === DEEPEST_IMPORT_LEVELS) return refuse(reader, "import-too-deep", it)
  const limits = { source: "import", maxBytes: LARGEST_INSTRUCTION_BYTES }
  const file = await reader.read(target, limits)
  const raw = file === undefined ? undefined : strictText(file.bytes)
  if (file === undefined || raw === undefined) return refuse(reader, "import-unresolved", it)
  job.loaded.add(target)
  job.imports.push({ path: target, file, by })
  const text = withoutClosing(withoutByteOrderMark(raw))
  const inner = await expand(job, { path: target, text, level: from.level + 1 })
  return `\n\n${tag(target)}>\n${inner.trimEnd()}\n</imported_custom_instruction>`
}

function tag(target: string): string {
  return `<imported_custom_instruction source="${target}"`
}

/** An imported text must not contain the marker that ends an import. */
function withoutClosing(text: string): string {
  return text.replaceAll("</imported_custom_instruction", "&lt;/imported_custom_instruction")
}

const PROBLEMS = {
  "import-unresolved": "is not a readable file",
  "import-external": "is outside the folder for imports",
  "import-too-deep": `is more than ${DEEPEST_IMPORT_LEVELS} imports deep`,
} as const

function refuse(
  reader: SurveyReader,
  code: keyof typeof PROBLEMS,
  it: { readonly name: string; readonly by: ImportedFile["by"] },
): undefined {
  reader.note({ code, text: `@${it.name} ${PROBLEMS[code]}; it is not imported.`, ...it.by })
  return undefined
}

type Mention = { readonly at: number; readonly end: number; readonly path: string }

/**
 * Names after an @ that end in .md or .markdown, outside code: from each @ to the end of the word,
 * so that the second one in `@@a.md` is found as well.
 */
export function findMentions(text: string): readonly Mention[] {
  const mentions: Mention[] = []
  for (const { 0: word, index } of withoutCode(text).matchAll(/[^\s`]+/g)) {
    const end = lengthWithoutMarks(word)
    if (!/\.(?:md|markdown)$/i.test(word.slice(Math.max(0, end - LONGEST_ENDING), end))) continue
    for (let at = word.indexOf("@"); at !== -1 && at < end; at = word.indexOf("@", at + 1)) {
      const path = word.slice(at + 1, end)
      const isName = !/[\w.\-/]/.test(word[at - 1] ?? "") && path.length <= LONGEST_PATH_UNITS
      if (isName) mentions.push({ at: index + at, end: index + end, path })
      if (mentions.length === MOST_MENTIONS) return mentions
    }
  }
  return mentions
}

const LONGEST_ENDING = ".markdown".length

/** Punctuation after a name belongs to the sentence. */
function lengthWithoutMarks(word: string): number {
  let end = word.length
  while (end > 0 && TRAILING_MARKS.includes(word[end - 1] ?? "")) end--
  return end
}

const TRAILING_MARKS = [...".,;:!?)]}>'\""]

/** Code is blanked out, so that offsets stay the same. Fences are only counted. */
function withoutCode(text: string): string {
  let isFenced = false
  const lines = text.split("\n").map((line) => {
    const isFence = /^\s*(?:```|~~~)/.test(line)
    if (isFence) isFenced = !isFenced
    return isFence || isFenced ? " ".repeat(line.length) : line
  })
  const open = lines.join("\n")
  let result = ""
  let done = 0
  for (const { from, to } of backtickSpans(open)) {
    result += open.slice(done, from) + open.slice(from, to).replace(/[^\n]/g, " ")
    done = to
  }
  return result + open.slice(done)
}
