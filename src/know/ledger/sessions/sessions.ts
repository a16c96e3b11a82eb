import { join } from "node:path"
import {
  createFile,
  ensureDirectory,
  openFolder,
  withoutHiddenCharacters,
  writeFileAtomic,
} from "#ground/base"
import { SessionInvalid, TooManySessions } from "../errors.ts"
import { LONGEST_PART_UNITS, MOST_INDEXED_FILES, MOST_SESSIONS_A_DAY } from "../limits.ts"
import { makeFolders } from "../paths.ts"
import {
  ARCHIVE_FOLDER,
  type IndexedClaim,
  isIndexed,
  SESSIONS_FOLDER,
  type WrittenIndices,
  writeIndices,
} from "./indices.ts"
import { renderSession } from "./session-file.ts"
import { archiveOld, type Proposal, proposeLesson, type Upkeep } from "./upkeep.ts"

const LONGEST_SLUG_UNITS = 48

const MOST_LIST_ITEMS = 200

export type SessionEntry = {
  readonly date: string
  readonly slug: string
  readonly request: string
  readonly done: readonly string[]
  readonly decisions: readonly string[]
  readonly finalState: string
}

type SessionsDeps = {
  root(): string
  readonly stateDirectory: string
  /** Redacts secrets. When it throws, nothing is written. */
  redact(text: string): string
  /** Active claims, which the index of the workspace lists. */
  claims?(): readonly IndexedClaim[]
}

type RegisteredSession = {
  readonly file: string
  readonly indices: WrittenIndices
  readonly archived: readonly string[]
  readonly proposal: Proposal | undefined
}

export function createSessions(deps: SessionsDeps) {
  return {
    async register(entry: SessionEntry, upkeep?: Upkeep): Promise<RegisteredSession> {
      const cleaned = checked(entry, deps)
      const root = deps.root()
      const places = { root, stateDirectory: deps.stateDirectory }
      await makeFolders(root, SESSIONS_FOLDER)
      const name = await reserveName(root, cleaned, deps.stateDirectory)
      const file = `${SESSIONS_FOLDER}/${name}`
      // `reserveName` created the file, so no foreign bytes are replaced.
      await writeFileAtomic(join(root, file), renderSession(name, cleaned), { mode: 0o644 })
      const archived = await archiveOld(places, upkeep)
      const indices = await writeIndices(root, deps.claims?.())
      return { file, indices, archived, proposal: await proposeLesson(places, upkeep) }
    },
    writeIndices: () => writeIndices(deps.root(), deps.claims?.()),
    /** After a claim: updates the indices only where they are in use. */
    async renewIndices(): Promise<void> {
      if (isIndexed(deps.root())) await writeIndices(deps.root(), deps.claims?.())
    },
  }
}

function checked(entry: SessionEntry, { redact }: SessionsDeps): SessionEntry {
  const date = entry.date
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(date) && isDay(date)
  if (!isDate)
    throw SessionInvalid({ field: "date", wrong: "is not a date of the form YYYY-MM-DD" })
  const clean = (field: string, text: string) => {
    const safe = redact(withoutHiddenCharacters(text.replaceAll("\r\n", "\n"))).trim()
    if (safe.length <= LONGEST_PART_UNITS) return safe
    const wrong = `has ${safe.length} characters; the limit is ${LONGEST_PART_UNITS}`
    throw SessionInvalid({ field, wrong })
  }
  const cleanList = (field: string, texts: readonly string[]) => {
    if (texts.length <= MOST_LIST_ITEMS)
      return texts.map((it) => clean(field, it)).filter((it) => it !== "")
    const wrong = `has ${texts.length} items; the limit is ${MOST_LIST_ITEMS}`
    throw SessionInvalid({ field, wrong })
  }
  const request = clean("request", entry.request)
  if (request === "") throw SessionInvalid({ field: "request", wrong: "is empty" })
  return {
    date,
    request,
    slug: slugOf(clean("slug", entry.slug)),
    done: cleanList("done", entry.done),
    decisions: cleanList("decisions", entry.decisions),
    finalState: clean("final state", entry.finalState),
  }
}

function isDay(date: string): boolean {
  const moment = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(date)
}

function slugOf(text: string): string {
  const words = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  const slug = (words ?? []).join("-").slice(0, LONGEST_SLUG_UNITS).replace(/-$/, "")
  return slug === "" ? "session" : slug
}

/**
 * Reserves the number where all worktrees see it, then creates the file; both succeed for one
 * process only.
 */
async function reserveName(
  root: string,
  { date, slug }: SessionEntry,
  stateDirectory: string,
): Promise<string> {
  const reserved = join(stateDirectory, "sessions")
  await ensureDirectory(reserved)
  const folders = [SESSIONS_FOLDER, ARCHIVE_FOLDER].map((it) => join(root, it))
  const first = Math.max(...folders.map((it) => highestNumber(it, date))) + 1
  for (let number = first; number <= MOST_SESSIONS_A_DAY; number++) {
    const label = `${date}-${String(number).padStart(2, "0")}`
    if ((await createFile(join(reserved, label))).kind === "exists") continue
    const name = `${label}-${slug}.md`
    const made = await createFile(join(root, SESSIONS_FOLDER, name), { mode: 0o644 })
    if (made.kind === "created") return name
  }
  throw TooManySessions({ date })
}

function highestNumber(folder: string, date: string): number {
  const opened = openFolder(folder)
  if (opened.kind !== "open") return 0
  using held = opened.folder
  const listed = held.list({ maxEntries: MOST_INDEXED_FILES })
  const names = listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
  const numbers = names.flatMap((name) => {
    const [, number] = name.startsWith(`${date}-`) ? (/^.{11}(\d{2,3})-/.exec(name) ?? []) : []
    return number === undefined ? [] : [Number(number)]
  })
  return Math.max(0, ...numbers)
}
