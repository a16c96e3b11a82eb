import { join } from "node:path"
import { compareText, ensureDirectory, readTextBounded, writeFileAtomic } from "#ground/base"
import type { Redact } from "#ground/secrets"
import { confidenceOf } from "./confidence.ts"
import type { MemoryDeps } from "./deps.ts"
import type { Catalogue, Load } from "./files/catalogue.ts"
import { isQuarantined, type MemoryEntry } from "./files/entry.ts"
import type { createWriteLock } from "./files/lock.ts"
import { redactLine } from "./record/redact.ts"

/** For hooks, which read it without a package and without the database. */
type Pitfall = {
  readonly id: string
  readonly title: string
  readonly line: string
  readonly paths: readonly string[]
}

/** As in `inject`: a memory without feedback has exactly this. */
const LEAST_CONFIDENCE = 0.7

/** A hook reads all of them before an edit, and shows three. */
const MOST_PITFALLS = 500
const LONGEST_LINE_UNITS = 300

const LARGEST_FILE_BYTES = 8 * 1024 ** 2

type WriteLock = ReturnType<typeof createWriteLock>
type Deps = Pick<MemoryDeps, "secrets" | "log"> & { stateDirectory(): string }

/**
 * Wraps reading and writing to update the pitfalls file for hooks. People change memories by hand,
 * so every read rewrites the file when it differs, and so does every change.
 */
export function forHooks(
  load: Load,
  locked: WriteLock,
  { stateDirectory, ...others }: MemoryDeps,
): { readonly load: Load; readonly locked: WriteLock } {
  if (stateDirectory === undefined) return { load, locked }
  const keepingLoad = withPitfalls(load, { ...others, stateDirectory })
  return {
    load: keepingLoad,
    async locked(work) {
      const result = await locked(work)
      // The change has happened; a failure here must not hide it.
      await keepingLoad().catch((error: unknown) => others.log.warn(NOT_WRITTEN, { error }))
      return result
    },
  }
}

const NOT_WRITTEN = "pitfalls for hooks not written"

function withPitfalls(load: Load, deps: Deps): Load {
  let written: string | undefined
  return async () => {
    const catalogue = await load()
    try {
      written = await keepPitfalls(catalogue, { deps, written })
    } catch (error) {
      deps.log.warn(NOT_WRITTEN, { error })
    }
    return catalogue
  }
}

function pitfallsIn({ kept, usesOf }: Catalogue): readonly Pitfall[] {
  const isShown = (it: MemoryEntry) =>
    it.kind === "pitfall" &&
    it.state !== "superseded" &&
    !isQuarantined(it) &&
    it.cites.length > 0 &&
    (it.state === "confirmed" || confidenceOf(it, usesOf(it.id)) >= LEAST_CONFIDENCE)
  const shownEntries = kept.map((it) => it.entry).filter(isShown)
  const latest = shownEntries.toSorted(
    (a, b) => b.createdAt - a.createdAt || compareText(a.id, b.id),
  )
  return latest.slice(0, MOST_PITFALLS).map((it) => ({
    id: it.id,
    title: it.title,
    line: ["", it.title].includes(it.description) ? it.body : it.description,
    paths: [...new Set(it.cites.map((cite) => cite.path))],
  }))
}

type KeepContext = { readonly deps: Deps; readonly written: string | undefined }

async function keepPitfalls(catalogue: Catalogue, { deps, written }: KeepContext): Promise<string> {
  const pitfalls = pitfallsIn(catalogue)
  const source = JSON.stringify(pitfalls)
  if (source === written) return source
  const folder = deps.stateDirectory()
  const file = join(folder, "pitfalls.json")
  const there = await readTextBounded(file, { maxBytes: LARGEST_FILE_BYTES })
  if (there.kind === "missing" && pitfalls.length === 0) return source
  // Again, because a value may have become a known secret since the file was read.
  const { redact } = pitfalls.length === 0 ? { redact: undefined } : await deps.secrets()
  const items = redact === undefined ? [] : pitfalls.map((it) => safe(it, redact))
  const text = `${JSON.stringify({ version: 1, items }, undefined, 1)}\n`
  if (there.kind === "read" && there.text === text) return source
  await ensureDirectory(folder)
  await writeFileAtomic(file, text)
  return source
}

function safe({ id, title, line, paths }: Pitfall, redact: Redact): Pitfall {
  const short = (text: string) => redactLine(text, redact).text.slice(0, LONGEST_LINE_UNITS)
  return { id, title: short(title), line: short(line), paths: paths.map((it) => redact(it).text) }
}
