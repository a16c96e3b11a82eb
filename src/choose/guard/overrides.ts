import { join } from "node:path"
import {
  type Clock,
  ensureDirectory,
  type Ids,
  listDirectory,
  parseJsonRecord,
  readTextBounded,
  removeFile,
  writeFileAtomic,
} from "#ground/base"
import { appendVerdict, CLOCK_SLACK_MS, MOST_STATE_ENTRIES } from "./verdict-log.ts"

const LONGEST_OVERRIDE_MS = 4 * 60 * 60 * 1_000

/** Longer than an override lasts, for inspection. */
const OVERRIDE_KEPT_MS = 24 * 60 * 60 * 1_000

const LARGEST_OVERRIDE_BYTES = 4 * 1024 ** 2

const MOST_OVERRIDES_READ = 50

export type Override = {
  readonly id: string
  readonly paths: readonly string[]
  readonly reason: string
  readonly at: number
  readonly until: number
}

type OverridesDeps = {
  readonly stateDirectory: string
  readonly clock: Pick<Clock, "now">
  readonly ids: Ids
}

type OverrideRequest = {
  readonly paths: readonly string[]
  readonly reason: string
  readonly minutes: number
  readonly by?: { readonly session: string; readonly host: string }
}

export function createOverrides({ stateDirectory, clock, ids }: OverridesDeps) {
  const folder = folderIn(stateDirectory)
  return {
    async allow({ paths, reason, minutes, by }: OverrideRequest): Promise<Override> {
      const at = clock.now()
      const lastsMs = Math.min(minutes * 60_000, LONGEST_OVERRIDE_MS)
      const placed = [...new Set(paths.map((it) => it.replace(/(?<!\/)\/+$/, "") || "."))]
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

type OverridePlace = { readonly stateDirectory: string; readonly now: number }

export async function coveringOverride(
  query: OverridePlace,
  path: string,
): Promise<Override | undefined> {
  const folder = folderIn(query.stateDirectory)
  const names = await namesIn(folder)
  const young = names.filter((it) => isBetween(query.now - timeOf(it), LONGEST_OVERRIDE_MS))
  for (const name of young.slice(0, MOST_OVERRIDES_READ)) {
    const override = await readOverride(join(folder, name))
    if (override !== undefined && isOpen(override, query.now) && meansPath(override, path))
      return override
  }
  return undefined
}

function isOpen({ at, until }: Override, now: number): boolean {
  return isBetween(now - at, LONGEST_OVERRIDE_MS) && now < until
}

function meansPath({ paths }: Override, path: string): boolean {
  return paths.some((it) => it === "." || it === path || path.startsWith(`${it}/`))
}

function folderIn(stateDirectory: string): string {
  return join(stateDirectory, "overrides")
}

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

async function readOverride(file: string): Promise<Override | undefined> {
  const read = await readTextBounded(file, { maxBytes: LARGEST_OVERRIDE_BYTES })
  const { id, paths, reason, at, until } =
    (read.kind === "read" ? parseJsonRecord(read.text) : undefined) ?? {}
  if (typeof id !== "string" || typeof reason !== "string") return undefined
  if (typeof at !== "number" || typeof until !== "number") return undefined
  if (!Array.isArray(paths) || !paths.every((one) => typeof one === "string")) return undefined
  return { id, paths, reason, at, until }
}
