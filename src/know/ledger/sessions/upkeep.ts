import { join } from "node:path"
import {
  compareText,
  createFile,
  ensureDirectory,
  FileExists,
  isAppError,
  renameFile,
  truncate,
  visibleLine,
} from "#ground/base"
import { LEAST_LIKENESS_SHARE, LONGEST_INDEX_LINE_UNITS, MOST_INDEXED_FILES } from "../limits.ts"
import { digest, makeFolders, openBelow } from "../paths.ts"
import { ARCHIVE_FOLDER, SESSIONS_FOLDER } from "./indices.ts"
import { parseSessionName } from "./session-file.ts"
import { type ReadSession, readLatest } from "./session-log.ts"

/** Shorter lines, such as "tests added", are equal by chance. */
const FEWEST_LESSON_WORDS = 4

const MOST_LESSON_LINES = 20

const MOST_COMPARED_SESSIONS = 100

const FEWEST_LESSON_SESSIONS = 10

const ARCHIVED_AFTER_DAYS = 7

const MOST_UNARCHIVED_SESSIONS = 30

export type Upkeep = {
  readonly level: number
  readonly now: number
}

export type Proposal = {
  readonly text: string
  readonly files: readonly string[]
}

type UpkeepFolders = { readonly root: string; readonly stateDirectory: string }

const UPKEEP_LEVEL = 5

export async function archiveOld(places: UpkeepFolders, upkeep: Upkeep | undefined) {
  if (upkeep === undefined || upkeep.level < UPKEEP_LEVEL) return []
  return unlessRefused([], async () => {
    const names = archivable(sessionNames(places.root), upkeep.now)
    const isDue = names.length > 0 && (await stampOnce(places, `archived-${dayOf(upkeep)}`))
    return isDue ? await archive(places.root, names) : []
  })
}

export async function proposeLesson(
  places: UpkeepFolders,
  upkeep: Upkeep | undefined,
): Promise<Proposal | undefined> {
  if (upkeep === undefined || upkeep.level < UPKEEP_LEVEL) return undefined
  return unlessRefused(undefined, async () => {
    const today = `proposed-${dayOf(upkeep)}`
    if (isDone(places, today)) return undefined
    const lessons = sharedLessons(readLatest(places.root, MOST_COMPARED_SESSIONS))
    const fresh = lessons.find((it) => !isDone(places, `lesson-${it.id}`))
    if (fresh === undefined || !(await stampOnce(places, today))) return undefined
    await stampOnce(places, `lesson-${fresh.id}`)
    return proposalOf(fresh)
  })
}

function proposalOf({ line, files }: Lesson): Proposal {
  const quoted = truncate(visibleLine(line), LONGEST_INDEX_LINE_UNITS)
  return {
    text: `${files.length} sessions recorded nearly the same: "${quoted}". If it is true, record it once: qm memory add "<title>" "<what and why>" --kind strategy --cites <path>`,
    files,
  }
}

function sessionNames(root: string): readonly string[] {
  using held = openBelow(root, SESSIONS_FOLDER)
  const listed = held?.list({ maxEntries: MOST_INDEXED_FILES })
  const entries = listed?.kind === "listed" ? listed.entries : []
  return entries.flatMap(({ name, what }) =>
    what === "regular file" && parseSessionName(name) !== undefined ? [name] : [],
  )
}

/** True for one caller among all processes and worktrees. */
async function stampOnce({ stateDirectory }: UpkeepFolders, stamp: string): Promise<boolean> {
  const folder = join(stateDirectory, UPKEEP_FOLDER)
  await ensureDirectory(folder)
  return (await createFile(join(folder, stamp))).kind === "created"
}

function isDone({ stateDirectory }: UpkeepFolders, stamp: string): boolean {
  using folder = openBelow(stateDirectory, UPKEEP_FOLDER)
  return folder?.stat(stamp).kind === "found"
}

const UPKEEP_FOLDER = "upkeep"

function dayOf({ now }: Upkeep): string {
  return new Date(now).toISOString().slice(0, 10)
}

/** The session is already written, so a failure here must not fail the registration. */
async function unlessRefused<Result>(
  otherwise: Result,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isAppError(error)) throw error
    return otherwise
  }
}

export function archivable(names: readonly string[], now: number): readonly string[] {
  if (names.length <= MOST_UNARCHIVED_SESSIONS) return []
  const first = new Date(now - ARCHIVED_AFTER_DAYS * DAY_MS).toISOString().slice(0, 10)
  return names.filter((it) => (parseSessionName(it)?.day ?? first) < first)
}

const DAY_MS = 24 * 60 * 60_000

async function archive(root: string, names: readonly string[]): Promise<readonly string[]> {
  await makeFolders(root, ARCHIVE_FOLDER)
  const moved: string[] = []
  for (const name of names) {
    const to = `${ARCHIVE_FOLDER}/${name}`
    if (await moveUnlessThere(join(root, SESSIONS_FOLDER, name), join(root, to))) moved.push(to)
  }
  return moved
}

async function moveUnlessThere(from: string, to: string): Promise<boolean> {
  try {
    return (await renameFile(from, to)).kind === "renamed"
  } catch (error) {
    if (!FileExists.is(error)) throw error
    return false
  }
}

type Lesson = {
  readonly id: string
  readonly line: string
  readonly files: readonly string[]
}

export function sharedLessons(sessions: readonly ReadSession[]): readonly Lesson[] {
  const groups = grouped(sessions.flatMap(linesOf))
  return groups
    .filter((it) => it.files.size >= FEWEST_LESSON_SESSIONS)
    .toSorted((a, b) => b.files.size - a.files.size || compareText(a.id, b.id))
    .map(({ id, line, files }) => ({ id, line, files: [...files] }))
}

type Line = {
  readonly file: string
  readonly line: string
  readonly words: ReadonlySet<string>
  readonly key: string
}

function linesOf({ file, decisions, done }: ReadSession): readonly Line[] {
  return [...decisions, ...done].slice(0, MOST_LESSON_LINES).flatMap((item) => {
    const [line = ""] = item.split("\n")
    const words = new Set(line.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu))
    const key = [...words].toSorted().join(" ")
    return words.size < FEWEST_LESSON_WORDS ? [] : [{ file, line, words, key }]
  })
}

type Group = {
  readonly id: string
  readonly line: string
  readonly words: ReadonlySet<string>
  readonly files: Set<string>
}

function grouped(lines: readonly Line[]): readonly Group[] {
  const rarest = byRarity(lines)
  const groups: Group[] = []
  const groupByLine = new Map<string, Group>()
  const byWord = new Map<string, Group[]>()
  for (const { file, line, words, key } of lines) {
    const rareWords = rarest(words)
    const near =
      groupByLine.get(key) ??
      nearest(words, new Set(rareWords.flatMap((it) => byWord.get(it) ?? [])))
    const group = near ?? { id: digest(key), line, words, files: new Set() }
    if (near === undefined) {
      groups.push(group)
      for (const word of rareWords) put(byWord, word, group)
    }
    groupByLine.set(key, group)
    group.files.add(file)
  }
  return groups
}

function put(byWord: Map<string, Group[]>, word: string, group: Group): void {
  const there = byWord.get(word)
  if (there === undefined) byWord.set(word, [group])
  else there.push(group)
}

/**
 * The rarest words of a line, just enough that two lines that share enough words share one of
 * these. Limits the comparisons.
 */
function byRarity(lines: readonly Line[]): (words: ReadonlySet<string>) => readonly string[] {
  const counts = new Map<string, number>()
  for (const { words } of lines)
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const rarer = (a: string, b: string) =>
    (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || compareText(a, b)
  return (words) => {
    const most = words.size - Math.ceil(LEAST_LIKENESS_SHARE * words.size) + 1
    return [...words].toSorted(rarer).slice(0, most)
  }
}

function nearest(words: ReadonlySet<string>, groups: Iterable<Group>): Group | undefined {
  let best: { readonly group: Group; readonly share: number } | undefined
  for (const group of groups) {
    const share = shareOf(words, group.words)
    if (share >= LEAST_LIKENESS_SHARE && share > (best?.share ?? 0)) best = { group, share }
  }
  return best?.group
}

function shareOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a]
  // Too low even if the longer line contained the shorter one.
  if (fewer.size < more.size * LEAST_LIKENESS_SHARE) return 0
  let shared = 0
  for (const word of fewer) if (more.has(word)) shared += 1
  return shared / (a.size + b.size - shared)
}
