import path from "node:path"
import { isInside } from "#ground/base"
import { findUp } from "../files/folder-walk.ts"
import { backtickSpans, lineCounter } from "../files/import-text.ts"
import {
  LARGEST_INSTRUCTION_BYTES,
  LONGEST_MATCHED_PATH_UNITS as LONGEST_PATH_UNITS,
  MOST_MENTIONS,
} from "../limits.ts"
import { noteManyMentions, type ReadFile, type SurveyReader } from "../survey-reader.ts"

/** One text with its imports; a file named repeatedly is inserted each time. */
const LONGEST_EXPANDED_UNITS = 16_000_000

/** In the fifth file names stay names. */
const DEEPEST_IMPORT_LEVELS = 5

type ImportedFile = {
  readonly path: string
  readonly file: ReadFile
  readonly by: { readonly path: string; readonly line: number }
}

export type ExpandedText = { readonly text: string; readonly imports: readonly ImportedFile[] }

type ImportSource = {
  readonly path: string
  readonly text: string
  readonly inside: ReadonlySet<string>
  readonly level: number
}

type Job = {
  readonly reader: SurveyReader
  readonly root: string
  readonly imports: ImportedFile[]
}

export async function expandImports(
  reader: SurveyReader,
  start: Pick<ImportSource, "path" | "text">,
  markers: readonly string[],
): Promise<ExpandedText> {
  const root = await realOrNearest(
    reader,
    await importRoot(reader, path.dirname(start.path), markers),
  )
  const job: Job = { reader, root, imports: [] }
  const text = await expand(job, { ...start, inside: new Set(), level: 0 })
  return { text, imports: job.imports }
}

async function expand(job: Job, from: ImportSource): Promise<string> {
  if (from.level >= DEEPEST_IMPORT_LEVELS) return from.text
  let text = ""
  let done = 0
  const lineAt = lineCounter(from.text)
  const mentions = findMentions(from.text)
  if (mentions.length === MOST_MENTIONS) noteManyMentions(job.reader, from.path)
  for (const mention of mentions) {
    if (text.length > LONGEST_EXPANDED_UNITS) break
    const by = { path: from.path, line: lineAt(mention.at) }
    text += from.text.slice(done, mention.at)
    done = mention.end
    text += mention.isCode ? `@${mention.path}` : await insertion(job, from, { ...mention, by })
  }
  if (text.length > LONGEST_EXPANDED_UNITS) noteLong(job.reader, from.path)
  return text + from.text.slice(done)
}

function noteLong(reader: SurveyReader, path: string): void {
  const text = `With its imports this file is longer than ${LONGEST_EXPANDED_UNITS} characters; further imports are not expanded.`
  reader.note({ code: "too-many", text, path })
}

async function insertion(
  job: Job,
  from: ImportSource,
  mention: Mention & Pick<ImportedFile, "by">,
): Promise<string> {
  const { reader } = job
  const { path: name, by } = mention
  const at = path.resolve(path.dirname(from.path), name)
  const isAddress = /^(?:file|https?):\/\//.test(name)
  if (isAddress || !isInside(job.root, await realOrNearest(reader, at))) {
    const text = `@${name} is outside the project; the host inserts a comment instead.`
    reader.note({ code: "import-external", text, ...by })
    return failed(mention, "Path traversal attempt")
  }
  if (from.inside.has(at)) return `<!-- File already processed: ${name} -->`
  const file = await reader.read(at, { source: "import", maxBytes: LARGEST_INSTRUCTION_BYTES })
  if (file === undefined) {
    const text = `@${name} is not a readable file; the host inserts a comment instead.`
    reader.note({ code: "import-unresolved", text, ...by })
    return failed(mention, await reasonAt(reader, at))
  }
  job.imports.push({ path: at, file, by })
  const inside = new Set([...from.inside, at])
  const next = { path: at, text: file.bytes.toString(), inside, level: from.level + 1 }
  const inner = await expand(job, next)
  return `<!-- Imported from: ${name} -->\n${inner}\n<!-- End of import from: ${name} -->`
}

function failed({ path: name }: Mention, why: string): string {
  return `<!-- Import failed: ${name} - ${why} -->`
}

async function importRoot(
  reader: SurveyReader,
  folder: string,
  markers: readonly string[],
): Promise<string> {
  const projectRoot = await findUp(folder, (it) => checkForMarker(reader, it, markers))
  return projectRoot ?? folder
}

export async function checkForMarker(
  reader: SurveyReader,
  folder: string,
  markers: readonly string[],
): Promise<boolean> {
  for (const marker of markers) {
    if (path.isAbsolute(marker) || marker.includes("..")) continue
    if ((await reader.realPath(path.join(folder, marker))) !== undefined) return true
  }
  return false
}

async function realOrNearest(reader: SurveyReader, at: string): Promise<string> {
  const real = await reader.realPath(at)
  const parent = path.dirname(at)
  if (real !== undefined || parent === at) return real ?? at
  return path.join(await realOrNearest(reader, parent), path.basename(at))
}

/** Uses Node's message, which the host puts into the text. */
async function reasonAt(reader: SurveyReader, at: string): Promise<string> {
  const file = await reader.peek(at, LARGEST_INSTRUCTION_BYTES)
  if (file.kind === "missing") return `ENOENT: no such file or directory, access '${at}'`
  if (file.kind === "directory") return `EISDIR: illegal operation on a directory, read '${at}'`
  return file.kind === "unreadable" ? file.reason : file.kind
}

type Mention = {
  readonly at: number
  readonly end: number
  readonly path: string
  readonly isCode: boolean
}

/** An @ at the start or after a blank, up to the next blank. */
export function findMentions(text: string): readonly Mention[] {
  const code = backtickSpans(text)
  const mentions: Mention[] = []
  let span = 0
  for (const match of text.matchAll(/(?<![^ \t\n\r])@([^ \t\n\r]+)/g)) {
    const at = match.index
    const name = match[1] ?? ""
    while ((code[span]?.to ?? Number.POSITIVE_INFINITY) <= at) span++
    if (!/^[./A-Za-z]/.test(name) || name.length > LONGEST_PATH_UNITS) continue
    const isCode = at >= (code[span]?.from ?? Number.POSITIVE_INFINITY)
    mentions.push({ at, end: at + 1 + name.length, path: name, isCode })
    if (mentions.length === MOST_MENTIONS) break
  }
  return mentions
}
