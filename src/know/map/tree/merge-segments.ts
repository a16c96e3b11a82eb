import { invariant } from "#ground/base"
import type { Db, Tx } from "#ground/store"
import { MOST_DEAD_CONTENTS, MOST_SEGMENTS, VALUES_A_STATEMENT } from "../limits.ts"
import { encodeBlocks, type Row, rowsOfBlock, STRIDE } from "./store/blocks.ts"
import {
  type Kind,
  type PostingsSegment,
  readSegments,
  roundsOf,
  writeSegment,
} from "./store/postings-store.ts"
import {
  BlockRow,
  BodyRow,
  CountRow,
  countContents,
  deleteBlockRange,
  deleteContents,
  deleteSegments,
  NumberRow,
  SegmentIdRow,
  StateRow,
  selectAllTreeFiles,
  selectBlockRange,
  selectNumbers,
  selectSegmentIds,
  selectState,
  updateState,
} from "./store/queries.ts"
import { decodeTree } from "./store/tree-codec.ts"

/** Merges a segment with an older one only when it has grown to its size. */
export async function mergeNewest(db: Db<"map">): Promise<void> {
  const { length } = await db.all(SegmentIdRow, selectSegmentIds())
  if (length <= MOST_SEGMENTS) return
  await db.transaction(async (tx) => {
    const segments = await allSegments(tx)
    const joined = newestToMerge(segments.map((it) => it.contents))
    if (joined > 1) await replace(tx, { segments: segments.slice(-joined), isAlive: () => true })
  })
}

export function newestToMerge(sizes: readonly number[]): number {
  if (sizes.length <= MOST_SEGMENTS) return 0
  let count = 0
  let sum = 0
  for (const size of sizes.toReversed()) {
    const isFew = sizes.length - count < MOST_SEGMENTS / 2
    if (isFew && size > sum) break
    count++
    sum += size
  }
  return count
}

/**
 * Deletes contents that no tree has, once they are the majority. A running scan of another process
 * notices by `sweeps`.
 */
export async function sweepDead(db: Db<"map">, alive: number): Promise<void> {
  const row = await db.get(CountRow, countContents())
  const isMaybe = (row?.count ?? 0) > 2 * alive + MOST_DEAD_CONTENTS
  if (!isMaybe) return
  await db.transaction(async (tx) => {
    const usedContents = new Set<number>()
    for (const { body } of await tx.all(BodyRow, selectAllTreeFiles())) {
      for (const { content } of decodeTree(body)?.files ?? []) usedContents.add(content)
    }
    const numbers = (await tx.all(NumberRow, selectNumbers())).map((it) => it.number)
    const dead = numbers.filter((it) => !usedContents.has(it))
    if (dead.length <= usedContents.size + MOST_DEAD_CONTENTS) return
    const segments = await allSegments(tx)
    await replace(tx, { segments, isAlive: (number) => usedContents.has(number) })
    for (const round of roundsOf(dead, VALUES_A_STATEMENT)) await tx.run(deleteContents(round))
    const state = await stateOf(tx)
    await tx.run(updateState({ ...state, sweeps: state.sweeps + 1 }))
  })
}

export async function stateOf(tx: Pick<Tx<"map">, "get">) {
  const state = await tx.get(StateRow, selectState())
  invariant(state !== undefined, "the state of the map is made with its tables")
  return state
}

async function allSegments(tx: Tx<"map">): Promise<readonly PostingsSegment[]> {
  const ids = (await tx.all(SegmentIdRow, selectSegmentIds())).map((it) => it.id)
  return (await readSegments(tx, ids)).toSorted((a, b) => a.base - b.base)
}

type ReplacedSegments = {
  readonly segments: readonly PostingsSegment[]
  readonly isAlive: (number: number) => boolean
}

async function replace(tx: Tx<"map">, { segments, isAlive }: ReplacedSegments): Promise<void> {
  const [first] = segments
  if (first === undefined) return
  const { base } = first
  const merged = async (kind: Kind) => {
    const sources: Iterator<Row>[] = []
    for (const segment of segments) {
      const bodies = await bodiesOf(tx, segment, kind)
      sources.push(shiftedRows(bodies, { by: segment.base - base, isAlive, base }))
    }
    return encodeBlocks(mergedRows(sources))
  }
  const words = await merged("words")
  const names = await merged("names")
  for (const { words: of, names: also } of segments) {
    for (const { firstBlock, firsts } of [of, also]) {
      await tx.run(deleteBlockRange(firstBlock, firstBlock + firsts.length))
    }
  }
  await tx.run(deleteSegments(segments.map((it) => it.id)))
  const contents = segments.reduce((sum, it) => sum + it.contents, 0)
  const after = await writeSegment(tx, await stateOf(tx), { base, contents, words, names })
  await tx.run(updateState(after))
}

async function bodiesOf(
  tx: Tx<"map">,
  segment: PostingsSegment,
  kind: Kind,
): Promise<readonly Uint8Array[]> {
  const { firstBlock, firsts } = segment[kind]
  const rows = await tx.all(BlockRow, selectBlockRange(firstBlock, firstBlock + firsts.length))
  invariant(rows.length === firsts.length, "a segment has all of its blocks")
  return rows.map((it) => it.body)
}

type Shift = {
  readonly by: number
  readonly base: number
  readonly isAlive: ReplacedSegments["isAlive"]
}

function* shiftedRows(bodies: readonly Uint8Array[], shift: Shift): Generator<Row> {
  for (const body of bodies) {
    for (const [term, row] of rowsOfBlock(body)) {
      const postings = shifted(row, shift)
      if (postings.length > 0) yield [term, postings]
    }
  }
}

function shifted(row: readonly number[], { by, base, isAlive }: Shift): readonly number[] {
  const postings: number[] = []
  for (let at = 0; at < row.length; at += STRIDE) {
    const number = (row[at] ?? 0) + by
    if (isAlive(number + base)) postings.push(number, row[at + 1] ?? 0, row[at + 2] ?? 0)
  }
  return postings
}

export function* mergedRows(sources: readonly Iterator<Row>[]): Generator<Row> {
  const heads = sources.map((it) => it.next())
  for (;;) {
    let term: string | undefined
    for (const { done, value } of heads) {
      if (!done && (term === undefined || value[0] < term)) term = value[0]
    }
    if (term === undefined) return
    const row: number[] = []
    for (const [at, { done, value }] of heads.entries()) {
      if (done || value[0] !== term) continue
      for (const number of value[1]) row.push(number)
      heads[at] = sources[at]?.next() ?? { done: true, value: undefined }
    }
    yield [term, row]
  }
}
