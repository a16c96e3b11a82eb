import type { Clock } from "#ground/base"
import type { Redact } from "#ground/secrets"
import type { Db } from "#ground/store"
import {
  deleteFile,
  entryOfRow,
  FileRow,
  selectFiles,
  selectUses,
  UsesRow,
  upsertFile,
} from "../queries.ts"
import type { MemoryEntry, StoredMemory } from "./entry.ts"
import { readMemory } from "./file-text.ts"
import { type FoundFile, findFiles, type Problem, problemOf, readText } from "./files.ts"

/** Two writes within the resolution of the file system's clock leave the same time. */
const RACY_MS = 2_000

export type Catalogue = {
  readonly kept: readonly StoredMemory[]
  readonly problems: readonly Problem[]
  readonly files: number
  usesOf(id: string): number
}

type Deps = {
  db(): Promise<Db<"memory">>
  root(): string
  readonly clock: Clock
  secrets(): Promise<{ readonly redact: Redact }>
}

export type Load = () => Promise<Catalogue>

/** The index avoids reading unchanged files; without it the result is the same but slower. */
export function createCatalogue(deps: Deps): Load {
  let parsed: ReadonlyMap<string, CurrentFile> = new Map()
  return async () => {
    const db = await deps.db()
    const root = deps.root()
    const knownRows = new Map((await db.all(FileRow, selectFiles(root))).map((it) => [it.file, it]))
    const walk = findFiles(root)
    const rows = await currentRows(walk.files, { known: knownRows, parsed, deps })
    await keepIndex(db, { root, rows, known: knownRows })
    parsed = new Map(rows.map((it) => [it.row.file, it]))
    const uses = new Map(
      (await db.all(UsesRow, selectUses(root))).map((it) => [it.memory, it.uses] as const),
    )
    const files = walk.files.length
    return { ...sorted(rows, walk.problems), files, usesOf: (id) => uses.get(id) ?? 0 }
  }
}

type CurrentFile = { readonly row: FileRow; readonly entry: MemoryEntry | undefined }

type IndexedFile = {
  readonly known: ReadonlyMap<string, FileRow>
  readonly parsed: ReadonlyMap<string, CurrentFile>
  readonly deps: Deps
}

async function currentRows(
  files: readonly FoundFile[],
  { known, parsed, deps }: IndexedFile,
): Promise<readonly CurrentFile[]> {
  const now = deps.clock.now()
  // Only changed files need it, and it may take a while to create.
  let redact: Redact | undefined
  const rows: CurrentFile[] = []
  for (const listedFile of files) {
    const stamp = stampOf(listedFile, now)
    const { file } = listedFile
    const before = currentRow(known.get(file), { stamp, parsed: parsed.get(file) })
    if (before !== undefined) rows.push(before)
    else {
      redact ??= (await deps.secrets()).redact
      const read = await readRow(listedFile, { stamp, root: deps.root(), redact })
      if (read !== undefined) rows.push(read)
    }
  }
  return rows
}

function currentRow(
  row: FileRow | undefined,
  { stamp, parsed }: { readonly stamp: string; readonly parsed: CurrentFile | undefined },
): CurrentFile | undefined {
  if (row === undefined || stamp === NO_STAMP || row.stamp !== stamp) return undefined
  if (parsed !== undefined && isSame(row, parsed.row)) return parsed
  const entry = row.body === null ? undefined : entryOfRow(row.body)
  return entry === undefined && row.problem === null ? undefined : { row, entry }
}

/** Increase it when files are parsed differently, to invalidate old rows. */
const READER = 1

const NO_STAMP = ""

function stampOf({ stat }: FoundFile, now: number): string {
  const { sizeBytes, modifiedAtMs, changedAtMs, inode } = stat
  const isRacy = Math.max(modifiedAtMs, changedAtMs) > now - RACY_MS
  return isRacy ? NO_STAMP : [READER, sizeBytes, modifiedAtMs, changedAtMs, inode].join(" ")
}

type ReadOptions = { readonly stamp: string; readonly root: string; readonly redact: Redact }

async function readRow(
  { file, stat }: FoundFile,
  { stamp, root, redact }: ReadOptions,
): Promise<CurrentFile | undefined> {
  const outcome = await readText(root, file)
  if (outcome.kind === "missing") return undefined
  const wrong = (problem: string) => ({
    row: { file, stamp, problem, body: null },
    entry: undefined,
  })
  if (outcome.kind !== "read") return wrong(problemOf(outcome))
  const read = readMemory(outcome.text, { file, modifiedAtMs: stat.modifiedAtMs }, redact)
  if (read.kind === "problem") return wrong(read.problem)
  const { entry } = read
  return { row: { file, stamp, problem: null, body: JSON.stringify(entry) }, entry }
}

type Index = {
  readonly root: string
  readonly rows: readonly CurrentFile[]
  readonly known: ReadonlyMap<string, FileRow>
}

async function keepIndex(db: Db<"memory">, { root, rows, known }: Index): Promise<void> {
  const names = new Set(rows.map((it) => it.row.file))
  const gone = [...known.keys()].filter((it) => !names.has(it))
  const changed = rows.map((it) => it.row).filter((it) => !isSame(it, known.get(it.file)))
  if (gone.length + changed.length === 0) return
  await db.transaction(async (tx) => {
    for (const file of gone) await tx.run(deleteFile(root, file))
    for (const row of changed) await tx.run(upsertFile(root, row))
  })
}

function isSame(row: FileRow, before: FileRow | undefined): boolean {
  return (
    before !== undefined &&
    row.stamp === before.stamp &&
    row.problem === before.problem &&
    row.body === before.body
  )
}

/** The first file with an id wins; a copy is reported as a problem. */
function sorted(
  rows: readonly CurrentFile[],
  walkProblems: readonly Problem[],
): Pick<Catalogue, "kept" | "problems"> {
  const fileById = new Map<string, string>()
  const memories: StoredMemory[] = []
  const problems = [...walkProblems]
  for (const { row, entry } of rows) {
    const { file, problem } = row
    const other = entry === undefined ? undefined : fileById.get(entry.id)
    if (entry === undefined) problems.push({ file, problem: problem ?? "" })
    else if (other !== undefined) problems.push({ file, problem: `it has the same id as ${other}` })
    else {
      fileById.set(entry.id, file)
      memories.push({ file, entry })
    }
  }
  return { kept: memories, problems }
}
