import { GitAnswerTooLarge } from "../errors.ts"
import { BLOBS_A_ROUND_BYTES, GIT_OUTPUT_LIMIT_BYTES, OBJECTS_A_ROUND } from "../limits.ts"
import { askGit, type GitProgram } from "./ask.ts"
import {
  type BatchObject,
  type CommitHeader,
  parseBatch,
  parseCommit,
  parseObjectLine,
} from "./parse.ts"

export type BlobOutcome =
  | { readonly kind: "read"; readonly id: string; readonly bytes: Buffer }
  | { readonly kind: "too-large"; readonly id: string; readonly sizeBytes: number }
  | { readonly kind: "missing" | "not-blob"; readonly id: string }

type Described = ReturnType<typeof parseObjectLine>

/** Type and size of each, `missing` for what is not there; nothing is fetched. */
export async function describeObjects(
  program: GitProgram,
  ids: readonly string[],
): Promise<readonly Described[]> {
  const input = ids.map((id) => `${id}\n`).join("")
  const args = ["--batch-check"]
  const { output, isCut } = await askGit(program, { command: "cat-file", args, input })
  if (isCut) throw GitAnswerTooLarge({ command: "cat-file", maxBytes: GIT_OUTPUT_LIMIT_BYTES })
  return output.toString("latin1").trimEnd().split("\n").map(parseObjectLine)
}

/** Sizes first, so that no round holds more than it may. */
export async function* readBlobs(
  program: GitProgram,
  ids: readonly string[],
  limits: { readonly maxBlobBytes: number },
): AsyncGenerator<BlobOutcome> {
  const described = ids.length === 0 ? [] : await describeObjects(program, ids)
  for (const round of roundsOf(described, limits.maxBlobBytes)) {
    const wanted = round.filter((it) => it.type === "blob" && isWanted(it, limits.maxBlobBytes))
    const objects = await readObjects(program, wanted)
    const bytesById = new Map(objects.map((it) => [it.id, it.bytes]))
    for (const it of round) yield outcomeOf(it, bytesById.get(it.id))
  }
}

export async function readCommits(
  program: GitProgram,
  ids: readonly string[],
): Promise<readonly CommitHeader[]> {
  const objects = await readSmall(program, { ids, type: "commit" })
  return objects.map(parseCommit)
}

/**
 * Those that are trees and not too large, one character for each byte, which is the fastest form
 * to compare; the others are not in the answer.
 */
export async function readTrees(
  program: GitProgram,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const trees = new Map<string, string>()
  for (let at = 0; at < ids.length; at += OBJECTS_A_ROUND) {
    const round = ids.slice(at, at + OBJECTS_A_ROUND)
    const objects = await readSmall(program, { ids: round, type: "tree" })
    for (const it of objects) trees.set(it.id, it.bytes.toString("latin1"))
  }
  return trees
}

type Wanted = { readonly ids: readonly string[]; readonly type: "commit" | "tree" }

/** Commonly small, so that sizes are asked for only when the answer was too large at once. */
async function readSmall(
  program: GitProgram,
  { ids, type }: Wanted,
): Promise<readonly BatchObject[]> {
  if (ids.length === 0) return []
  const input = ids.map((id) => `${id}\n`).join("")
  const maxOutputBytes = BLOBS_A_ROUND_BYTES
  const question = { command: "cat-file", args: ["--batch"], input, maxOutputBytes } as const
  const { output, isCut } = await askGit(program, question)
  if (!isCut) return parseBatch(output).filter((it) => it.type === type)
  const objects: BatchObject[] = []
  for (const round of roundsOf(await describeObjects(program, ids), BLOBS_A_ROUND_BYTES)) {
    const wanted = round.filter((it) => it.type === type && isWanted(it, BLOBS_A_ROUND_BYTES))
    objects.push(...(await readObjects(program, wanted)))
  }
  return objects
}

async function readObjects(
  program: GitProgram,
  wanted: readonly Described[],
): Promise<readonly BatchObject[]> {
  if (wanted.length === 0) return []
  const input = wanted.map(({ id }) => `${id}\n`).join("")
  const { output, isCut } = await askGit(program, { command: "cat-file", args: ["--batch"], input })
  if (isCut) throw GitAnswerTooLarge({ command: "cat-file", maxBytes: GIT_OUTPUT_LIMIT_BYTES })
  return parseBatch(output)
}

function roundsOf(described: readonly Described[], maxBlobBytes: number): readonly Described[][] {
  const rounds: Described[][] = []
  let room = 0
  for (const it of described) {
    // Each takes a line of its own besides its bytes.
    const needed = OBJECT_LINE_BYTES + (isWanted(it, maxBlobBytes) ? it.sizeBytes : 0)
    if (rounds.length === 0 || needed > room) {
      rounds.push([])
      room = BLOBS_A_ROUND_BYTES
    }
    rounds.at(-1)?.push(it)
    room -= needed
  }
  return rounds
}

const OBJECT_LINE_BYTES = 100

function isWanted(it: Described, maxBytes: number): boolean {
  return it.type !== "missing" && it.sizeBytes <= Math.min(maxBytes, BLOBS_A_ROUND_BYTES)
}

function outcomeOf({ id, type, sizeBytes }: Described, bytes: Buffer | undefined): BlobOutcome {
  if (type === "missing") return { kind: "missing", id }
  if (type !== "blob") return { kind: "not-blob", id }
  return bytes === undefined ? { kind: "too-large", id, sizeBytes } : { kind: "read", id, bytes }
}
