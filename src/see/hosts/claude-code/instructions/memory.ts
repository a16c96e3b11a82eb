import path from "node:path"
import { belongsTo, withRealFolders } from "../../files/file-trust.ts"
import type { HostItem, HostPlace } from "../../host.ts"
import type { ReadFile, SurveyReader } from "../../survey-reader.ts"
import { claudeProjectSlug } from "../../transcripts/find-transcripts.ts"
import type { Folders } from "../folders.ts"
import { LARGEST_INSTRUCTION_BYTES } from "../limits.ts"
import { isOff, isOn, type Settings } from "../settings.ts"
import { SOURCES } from "../sources.ts"
import { type Instruction, transformNoted } from "./chain.ts"

const MOST_MEMORY_UNITS = 25_000

/** Limits for MEMORY.md in lines and UTF-16 units, whichever ends first. */
const MOST_MEMORY_LINES = 200

export async function loadMemory(
  context: { readonly place: HostPlace; readonly folders: Folders; readonly settings: Settings },
  reader: SurveyReader,
): Promise<readonly Instruction[]> {
  const memory = memoryFolder(context)
  const file = path.join(memory.folder, "MEMORY.md")
  const { source } = SOURCES.autoMemory
  const off = whyMemoryOff(context.place, context.settings)
  if (off !== undefined) {
    reader.mark({ path: file, source, outcome: "excluded", detail: off })
    reader.note({ code: "switched-off", text: `Auto memory is off: ${off}.`, path: file })
    return []
  }
  const read = await reader.read(file, { source, maxBytes: LARGEST_INSTRUCTION_BYTES })
  if (read === undefined) return []
  const whole = await transformNoted(read.bytes.toString(), file, reader)
  const { content, isCut } = cutMemory(whole.content)
  if (isCut) {
    const text = `The host loads only the first ${MOST_MEMORY_LINES} lines or ${MOST_MEMORY_UNITS} characters.`
    reader.note({ code: "file-cut", text, path: file })
  }
  const shown = withoutHiddenCharacters(content)
  if (shown.trim() === "") {
    reader.mark({ path: file, source, outcome: "empty" })
    return []
  }
  const base = { ...SOURCES.autoMemory, path: file, kind: "memory" } as const
  const trust = await trustOf(memory, read, { folders: context.folders, reader })
  return [{ ...base, content: shown, root: file, file: read, trust }]
}

/**
 * Own in its default location and where the user put it. A project can set any path; then the
 * file's location decides.
 */
async function trustOf(
  { folder, chosenBy }: MemoryFolder,
  { realPath }: ReadFile,
  it: { readonly folders: Folders; readonly reader: SurveyReader },
): Promise<HostItem["trust"]> {
  const { grounds } = it.folders
  if (chosenBy === undefined) return belongsTo({ realPath, scope: "memory" }, grounds)
  if (chosenBy === "project" || chosenBy === "local") {
    return belongsTo({ realPath, scope: "project" }, grounds)
  }
  const own = [...grounds.own, ...(await withRealFolders(it.reader, [folder]))]
  return belongsTo({ realPath, scope: "memory" }, { ...grounds, own })
}

export function whyMemoryOff({ environment }: HostPlace, settings: Settings): string | undefined {
  const name = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
  if (isOn(environment[name])) return `${name} is set`
  if (isOff(environment[name])) return undefined
  return settings.value("autoMemoryEnabled") === false ? "autoMemoryEnabled is false" : undefined
}

type MemoryFolder = { readonly folder: string; readonly chosenBy?: string }

function memoryFolder(context: {
  readonly folders: Folders
  readonly settings: Settings
}): MemoryFolder {
  const { folders, settings } = context
  const chosen = settings.value("autoMemoryDirectory")
  if (typeof chosen === "string" && chosen !== "") {
    const by = settings.layers.find(
      ({ outcome }) => outcome.kind === "found" && outcome.values["autoMemoryDirectory"] === chosen,
    )
    return { folder: ofPerson(chosen, folders.home), chosenBy: by?.layer ?? "project" }
  }
  const base = folders.git.main ?? folders.cwd
  return { folder: path.join(folders.config, "projects", claudeProjectSlug(base), "memory") }
}

function ofPerson(folder: string, home: string): string {
  return folder.startsWith("~/") ? path.join(home, folder.slice("~/".length)) : path.resolve(folder)
}

type Cut = { readonly content: string; readonly isCut: boolean }

export function cutMemory(text: string): Cut {
  const whole = text.trim()
  const lines = whole.split("\n")
  const hasManyLines = lines.length > MOST_MEMORY_LINES
  const isLong = whole.length > MOST_MEMORY_UNITS
  if (!hasManyLines && !isLong) return { content: whole, isCut: false }
  const truncated = cutUnits(hasManyLines ? lines.slice(0, MOST_MEMORY_LINES).join("\n") : whole)
  const size = sizeWords({ hasManyLines, isLong, lines: lines.length, units: whole.length })
  const missing = missingWords(whole, truncated, lines.length)
  const advice = "Keep index entries to one line under ~200 chars; move detail into topic files."
  const warning = `MEMORY.md is ${size}. Only part of it was loaded: ${missing}. ${advice}`
  return { content: `${truncated}\n\n> WARNING: ${warning}`, isCut: true }
}

/** At a line end, unless the first line alone is too long. */
function cutUnits(text: string): string {
  if (text.length <= MOST_MEMORY_UNITS) return text
  const end = text.lastIndexOf("\n", MOST_MEMORY_UNITS)
  return text.slice(0, end > 0 ? end : MOST_MEMORY_UNITS)
}

function sizeWords(it: {
  readonly hasManyLines: boolean
  readonly isLong: boolean
  readonly lines: number
  readonly units: number
}): string {
  if (!it.hasManyLines) {
    const limit = inKilobytes(MOST_MEMORY_UNITS)
    return `${inKilobytes(it.units)} (limit: ${limit}) — index entries are too long`
  }
  return it.isLong
    ? `${it.lines} lines and ${inKilobytes(it.units)}`
    : `${it.lines} lines (limit: ${MOST_MEMORY_LINES})`
}

function inKilobytes(units: number): string {
  const kilobytes = units / 1024
  return kilobytes < 1024
    ? `${kilobytes.toFixed(1).replace(/\.0$/, "")}KB`
    : `${(kilobytes / 1024).toFixed(1).replace(/\.0$/, "")}MB`
}

function missingWords(whole: string, shown: string, lineCount: number): string {
  if (whole[shown.length] !== "\n") {
    return `everything after the first ${shown.length} characters of line 1 was cut off`
  }
  const keptLines = shown.split("\n").length
  const [next = ""] = whole.slice(shown.length + 1).split("\n")
  const quote = next.trim() === "" ? "" : ` ("${shorten(next.trim())}")`
  const from = `starting at line ${keptLines + 1}${quote}`
  return `${lineCount - keptLines} of ${lineCount} lines were cut off, ${from}`
}

const LONGEST_QUOTE_UNITS = 80

/** At a word end, if more than half remains. */
function shorten(text: string): string {
  if (text.length <= LONGEST_QUOTE_UNITS) return text
  const start = text.slice(0, LONGEST_QUOTE_UNITS - 1)
  const end = start.search(/\s\S*$/)
  const atWord = end === -1 ? "" : start.slice(0, end).trimEnd()
  return `${atWord.length > LONGEST_QUOTE_UNITS / 2 ? atWord : start.trimEnd()}…`
}

/** The host removes invisible characters and breaks up tags that could imitate its own. */
function withoutHiddenCharacters(text: string): string {
  const plain = text.replace(/\r\n?|[\u2028\u2029]/g, "\n")
  const visible = Array.from(plain).filter((it) => !isHidden(it))
  return visible.join("").replace(/<(?=\/?system-reminder)/gi, "<\\")
}

/** Joiners and variation selectors that emoji need stay. */
const KEPT = new Set(["\u200C", "\u200D", "\uFE0E", "\uFE0F", "\t", "\n", "\r"])

function isHidden(letter: string): boolean {
  return !KEPT.has(letter) && /^[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{DI}]$/u.test(letter)
}
