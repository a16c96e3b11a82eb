import { GitAnswerTooLarge } from "../errors.ts"
import { BLOBS_A_ROUND_BYTES, GIT_OUTPUT_LIMIT_BYTES } from "../limits.ts"
import { askGit, type GitAnswer, type GitProgram } from "./ask.ts"
import {
  type BatchObject,
  type CommitHeader,
  parseBatch,
  parseCommit,
  parseObjectLine,
} from "./parse.ts"

/** Commits of some hundred bytes each, in one response. */
const OBJECTS_A_ROUND = 4_096

export type BlobOutcome =
  | { readonly kind: "read"; readonly id: string; readonly bytes: Buffer }
  | { readonly kind: "too-large"; readonly id: string; readonly sizeBytes: number }
  | { readonly kind: "missing" | "not-blob"; readonly id: string }

type ObjectLine = ReturnType<typeof parseObjectLine>

export async function describeObjects(
  program: GitProgram,
  ids: readonly string[],
): Promise<readonly ObjectLine[]> {
  const input = ids.map((id) => `${id}\n`).join("")
  const args = ["--batch-check"]
  const { output, isCut } = await askGit(program, { command: "cat-file", args, input })
  if (isCut) throw GitAnswerTooLarge({ command: "cat-file", maxBytes: GIT_OUTPUT_LIMIT_BYTES })
  return output.toString("latin1").trimEnd().split("\n").map(parseObjectLine)
}

export async function* readBlobs(
  program: GitProgram,
  ids: readonly string[],
  limits: { readonly maxBlobBytes: number },
): AsyncGenerator<BlobOutcome> {
  const described = ids.length === 0 ? [] : await describeObjects(program, ids)
  for (const round of roundsOf(described, limits.maxBlobBytes)) {
    const wantedBlobs = round.filter(
      (it) => it.type === "blob" && isWanted(it, limits.maxBlobBytes),
    )
    const objects = await readObjects(program, wantedBlobs)
    const bytesById = new Map(objects.map((it) => [it.id, it.bytes]))
    for (const it of round) yield outcomeOf(it, bytesById.get(it.id))
  }
}

export async function readHeaders(
  program: GitProgram,
  ids: readonly string[],
): Promise<readonly CommitHeader[]> {
  const headers: CommitHeader[] = []
  for (let at = 0; at < ids.length; ) {
    const objects = await readFirst(program, ids.slice(at, at + OBJECTS_A_ROUND))
    for (const it of objects) if (it.type === "commit") headers.push(parseCommit(it))
    // An object that does not fit into one round is left out.
    at += Math.max(1, objects.length)
  }
  return headers
}

/** Undefined for an object that is not a tree; absent if the response was full before it. */
export type Trees = ReadonlyMap<string, Buffer | undefined>

export async function readTrees(program: GitProgram, ids: readonly string[]): Promise<Trees> {
  const objects = await readFirst(program, ids)
  return new Map(objects.map((it) => [it.id, it.type === "tree" ? it.bytes : undefined]))
}

/**
 * As many of the first objects as fit into one round, including missing ones. Sizes are not queried
 * first: most objects are small, and a truncated response is complete up to its last object.
 */
async function readFirst(
  program: GitProgram,
  ids: readonly string[],
): Promise<readonly BatchObject[]> {
  if (ids.length === 0) return []
  const { output } = await askBatch(program, ids, { maxOutputBytes: program.roundBytes })
  return parseBatch(output)
}

function askBatch(
  program: GitProgram,
  ids: readonly string[],
  limits: { readonly maxOutputBytes?: number } = {},
): Promise<GitAnswer> {
  const input = ids.map((id) => `${id}\n`).join("")
  return askGit(program, { command: "cat-file", args: ["--batch", "--buffer"], input, ...limits })
}

async function readObjects(
  program: GitProgram,
  objects: readonly ObjectLine[],
): Promise<readonly BatchObject[]> {
  if (objects.length === 0) return []
  const { output, isCut } = await askBatch(
    program,
    objects.map((it) => it.id),
  )
  if (isCut) throw GitAnswerTooLarge({ command: "cat-file", maxBytes: GIT_OUTPUT_LIMIT_BYTES })
  return parseBatch(output)
}

function roundsOf(described: readonly ObjectLine[], maxBlobBytes: number): readonly ObjectLine[][] {
  const rounds: ObjectLine[][] = []
  let room = 0
  for (const object of described) {
    // Each object needs a header line besides its bytes.
    const needed = OBJECT_LINE_BYTES + (isWanted(object, maxBlobBytes) ? object.sizeBytes : 0)
    if (rounds.length === 0 || needed > room) {
      rounds.push([])
      room = BLOBS_A_ROUND_BYTES
    }
    rounds.at(-1)?.push(object)
    room -= needed
  }
  return rounds
}

const OBJECT_LINE_BYTES = 100

function isWanted(line: ObjectLine, maxBytes: number): boolean {
  return line.type !== "missing" && line.sizeBytes <= Math.min(maxBytes, BLOBS_A_ROUND_BYTES)
}

function outcomeOf({ id, type, sizeBytes }: ObjectLine, bytes: Buffer | undefined): BlobOutcome {
  if (type === "missing") return { kind: "missing", id }
  if (type !== "blob") return { kind: "not-blob", id }
  return bytes === undefined ? { kind: "too-large", id, sizeBytes } : { kind: "read", id, bytes }
}
