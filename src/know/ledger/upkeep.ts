import { join } from "node:path"
import { createFile, ensureDirectory, isAppError, visibleLine } from "#ground/base"
import { archivable, archive } from "./archive.ts"
import { openBelow } from "./below.ts"
import { SESSIONS_FOLDER } from "./indices.ts"
import { type Lesson, sharedLessons } from "./lessons.ts"
import { LONGEST_INDEX_LINE_UNITS, MOST_COMPARED_SESSIONS, MOST_INDEXED_FILES } from "./limits.ts"
import { readLatest } from "./logged.ts"
import { parseSessionName } from "./session-text.ts"

/** What the kit does beside a registration. */
export type Upkeep = {
  readonly level: number
  readonly now: number
}

/** A lesson that many sessions share, to be kept once as a memory. */
export type Proposal = {
  readonly text: string
  /** Of the sessions, from the root of the repository. */
  readonly files: readonly string[]
}

type Places = { readonly root: string; readonly stateDirectory: string }

/** From this level on sessions are archived and lessons proposed. */
const UPKEEP_LEVEL = 5

/** Old sessions go to the archive, once a day. What fails is left for tomorrow. */
export async function archiveOld(places: Places, upkeep: Upkeep | undefined) {
  if (upkeep === undefined || upkeep.level < UPKEEP_LEVEL) return []
  return unlessRefused([], async () => {
    const names = archivable(sessionNames(places.root), upkeep.now)
    const isDue = names.length > 0 && (await stampOnce(places, `archived-${dayOf(upkeep)}`))
    return isDue ? await archive(places.root, names) : []
  })
}

/** One lesson a day, and each lesson once. */
export async function proposeLesson(
  places: Places,
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
  const points = [...visibleLine(line)]
  const isLong = points.length > LONGEST_INDEX_LINE_UNITS
  const said = `${points.slice(0, LONGEST_INDEX_LINE_UNITS).join("")}${isLong ? "…" : ""}`
  return {
    text: `${files.length} sessions say nearly the same: "${said}". If it holds, keep it once: qm memory add "<title>" "<what and why>" --kind strategy --cites <path>`,
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

/** True for one caller, of all processes and worktrees. */
async function stampOnce({ stateDirectory }: Places, stamp: string): Promise<boolean> {
  const folder = join(stateDirectory, UPKEEP_FOLDER)
  await ensureDirectory(folder)
  return (await createFile(join(folder, stamp))).kind === "created"
}

function isDone({ stateDirectory }: Places, stamp: string): boolean {
  using folder = openBelow(stateDirectory, UPKEEP_FOLDER)
  return folder?.stat(stamp).kind === "found"
}

const UPKEEP_FOLDER = "upkeep"

function dayOf({ now }: Upkeep): string {
  return new Date(now).toISOString().slice(0, 10)
}

/** The session is written down already: what is done beside it may fail. */
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
