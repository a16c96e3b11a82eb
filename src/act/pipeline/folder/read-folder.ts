import { createHash, type Hash } from "node:crypto"
import path from "node:path"
import { listDirectory, readTextBounded, visibleLine } from "#ground/base"
import type { ConfigProblem } from "#ground/contract"
import {
  DEEPEST_FOLDER_LEVELS,
  LARGEST_FOLDER_BYTES,
  LARGEST_FOLDER_FILE_BYTES,
  MOST_FOLDER_FILES,
} from "./limits.ts"

export type ReadFolder = {
  /** Texts by their path in the folder, with slashes; files that are no text are not here. */
  readonly texts: ReadonlyMap<string, string>
  /** Of every name and every byte; one read serves it and what is run. */
  readonly digest: string
  readonly problems: readonly ConfigProblem[]
}

/** Reads an agent's folder once, whole and within bounds; no link in it is followed. */
export async function readFolder(folder: string): Promise<ReadFolder> {
  const reading: Reading = {
    folder,
    texts: new Map(),
    problems: [],
    hash: createHash("sha256"),
    files: 0,
    bytes: 0,
  }
  await readLevel(reading, "", DEEPEST_FOLDER_LEVELS)
  // A folder that was not read whole never has the digest of one that was.
  if (reading.problems.length > 0) enter(reading.hash, "problems", String(reading.problems.length))
  const { texts, problems } = reading
  return { texts, problems, digest: reading.hash.digest("hex") }
}

type Reading = {
  readonly folder: string
  readonly texts: Map<string, string>
  readonly problems: ConfigProblem[]
  readonly hash: Hash
  files: number
  bytes: number
}

async function readLevel(reading: Reading, within: string, levels: number): Promise<void> {
  const listing = await listDirectory(path.join(reading.folder, within), {
    maxEntries: MOST_FOLDER_FILES,
  })
  if (listing.kind !== "listed") return refuse(reading, within || ".", LISTING[listing.kind])
  if (listing.unnameable > 0) refuse(reading, within || ".", "a name in it is not UTF-8")
  for (const entry of listing.entries) {
    const name = within === "" ? entry.name : `${within}/${entry.name}`
    if (entry.what === "regular file") await readFile(reading, name)
    else if (entry.what !== "directory") refuse(reading, name, `is a ${entry.what}; not followed`)
    else if (levels === 0) refuse(reading, name, "lies too deep in the folder")
    else await readLevel(reading, name, levels - 1)
  }
}

const LISTING = {
  missing: "is not there",
  "not-directory": "is no folder",
  "too-many": `has more than ${MOST_FOLDER_FILES} entries`,
  unreadable: "cannot be read",
} as const

async function readFile(reading: Reading, name: string): Promise<void> {
  reading.files++
  if (reading.files === MOST_FOLDER_FILES + 1)
    refuse(reading, ".", `has more than ${MOST_FOLDER_FILES} files`)
  if (reading.files > MOST_FOLDER_FILES || reading.bytes > LARGEST_FOLDER_BYTES) return
  const read = await readTextBounded(path.join(reading.folder, name), {
    maxBytes: LARGEST_FOLDER_FILE_BYTES,
    root: reading.folder,
  })
  if (read.kind !== "read") return refuse(reading, name, FILE[read.kind])
  reading.bytes += read.bytes.length
  if (reading.bytes > LARGEST_FOLDER_BYTES)
    return refuse(reading, ".", `has more than ${LARGEST_FOLDER_BYTES} bytes`)
  enter(reading.hash, name, read.bytes)
  reading.texts.set(name, read.text)
}

const FILE = {
  missing: "went away while it was read",
  "not-text": "is not UTF-8",
  "not-regular": "is no ordinary file",
  "too-large": `is larger than ${LARGEST_FOLDER_FILE_BYTES} bytes`,
  "outside-root": "lies outside the folder",
  unreadable: "cannot be read",
} as const

function refuse(reading: Reading, name: string, problem: string): void {
  enter(reading.hash, name, problem)
  const file = visibleLine(name)
  reading.problems.push({ file, line: 1, stage: null, field: "", problem: `${file} ${problem}` })
}

/** Lengths first, so that no two folders run together into the same bytes. */
function enter(hash: Hash, name: string, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content
  hash.update(`${Buffer.byteLength(name)}:${name}:${bytes.length}:`)
  hash.update(bytes)
}
