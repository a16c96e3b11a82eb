import { join } from "node:path"
import {
  type Clock,
  ensureDirectory,
  type Ids,
  listDirectory,
  readTextBounded,
  removeFile,
  writeFileAtomic,
} from "#ground/base"
import {
  CLOCK_SLACK_MS,
  LARGEST_OVERRIDE_BYTES,
  LONGEST_OVERRIDE_MS,
  MOST_OVERRIDES_READ,
  MOST_STATE_ENTRIES,
  OVERRIDE_KEPT_MS,
} from "./limits.ts"
import { appendVerdict } from "./verdicts/log.ts"

/** Somebody said that these paths may be edited all the same, why, and until when. */
export type Override = {
  readonly id: string
  readonly paths: readonly string[]
  readonly reason: string
  readonly at: number
  readonly until: number
}

export type OverridesDeps = {
  readonly stateDirectory: string
  readonly clock: Pick<Clock, "now">
  readonly ids: Ids
}

export type Allowing = {
  /** From the root of the repository; a folder stands for all below it. */
  readonly paths: readonly string[]
  readonly reason: string
  readonly minutes: number
  /** Who says so, for the log. */
  readonly by?: { readonly session: string; readonly host: string }
}

export function createOverrides({ stateDirectory, clock, ids }: OverridesDeps) {
  const folder = folderIn(stateDirectory)
  return {
    /** Written whole, then said in the log. */
    async allow({ paths, reason, minutes, by }: Allowing): Promise<Override> {
      const at = clock.now()
      const lastsMs = Math.min(minutes * 60_000, LONGEST_OVERRIDE_MS)
      const placed = [...new Set(paths.map((it) => it.replace(/\/+$/, "") || "."))]
      const made = { id: ids.next("ovr"), paths: placed, reason, at, until: at + lastsMs }
      await ensureDirectory(folder)
      await writeFileAtomic(join(folder, `${made.id}.json`), `${JSON.stringify(made)}\n`)
      await sweep(folder, at)
      await appendVerdict(stateDirectory, {
        at,
        host: by?.host ?? "qm",
        event: "override",
        session: by?.session ?? "",
        tool: "qm override",
        paths: placed,
        rule: null,
        verdict: "override",
        text: reason,
        ms: 0,
      })
      return made
    },
    covering: (path: string, now: number) => coveringOverride({ stateDirectory, now }, path),
  }
}

type Place = { readonly stateDirectory: string; readonly now: number }

/** The override under which a path may be edited; the newest, when there are several. */
export async function coveringOverride(place: Place, path: string): Promise<Override | undefined> {
  const folder = folderIn(place.stateDirectory)
  const names = await namesIn(folder)
  const young = names.filter((it) => isBetween(place.now - timeOf(it), LONGEST_OVERRIDE_MS))
  for (const name of young.slice(0, MOST_OVERRIDES_READ)) {
    const found = await readOverride(join(folder, name))
    if (found !== undefined && isOpen(found, place.now) && meansPath(found, path)) return found
  }
  return undefined
}

/** However long it says: no more than the longest that can be asked for. */
function isOpen({ at, until }: Override, now: number): boolean {
  return isBetween(now - at, LONGEST_OVERRIDE_MS) && now < until
}

function meansPath({ paths }: Override, path: string): boolean {
  return paths.some((it) => it === "." || it === path || path.startsWith(`${it}/`))
}

function folderIn(stateDirectory: string): string {
  return join(stateDirectory, "overrides")
}

/** As with receipts, the name says the time. */
const OVERRIDE_NAME = /^ovr_([0-9a-z]{9})[0-9a-z]{10}\.json$/

async function namesIn(folder: string): Promise<readonly string[]> {
  const listed = await listDirectory(folder, { maxEntries: MOST_STATE_ENTRIES })
  const entries = listed.kind === "listed" ? listed.entries : []
  const names = entries.flatMap((it) => (it.what === "regular file" ? [it.name] : []))
  return names.filter((it) => OVERRIDE_NAME.test(it)).toReversed()
}

function timeOf(name: string): number {
  return Number.parseInt(OVERRIDE_NAME.exec(name)?.[1] ?? "", 36)
}

function isBetween(ageMs: number, longestMs: number): boolean {
  return ageMs <= longestMs && ageMs >= -CLOCK_SLACK_MS
}

async function sweep(folder: string, now: number): Promise<void> {
  const old = (await namesIn(folder)).filter((it) => now - timeOf(it) > OVERRIDE_KEPT_MS)
  for (const name of old) await removeFile(join(folder, name)).catch(() => {})
}

/** What is no override allows nothing. */
async function readOverride(file: string): Promise<Override | undefined> {
  const read = await readTextBounded(file, { maxBytes: LARGEST_OVERRIDE_BYTES })
  const value = read.kind === "read" ? parsed(read.text) : undefined
  if (typeof value !== "object" || value === null) return undefined
  const it: Readonly<Record<string, unknown>> = { ...value }
  const { id, paths, reason, at, until } = it
  if (typeof id !== "string" || typeof reason !== "string") return undefined
  if (typeof at !== "number" || typeof until !== "number") return undefined
  if (!Array.isArray(paths) || !paths.every((one) => typeof one === "string")) return undefined
  return { id, paths, reason, at, until }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
