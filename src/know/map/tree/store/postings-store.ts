import { z } from "zod"
import { createRecentCache, invariant } from "#ground/base"
import type { Db, Tx } from "#ground/store"
import { ROWS_A_STATEMENT, VALUES_A_STATEMENT } from "../../limits.ts"
import { type Blocks, findInBlock, placeOf, rowsOfBlock, STRIDE } from "./blocks.ts"
import {
  BlockRow,
  insertBlocks,
  insertSegment,
  SegmentIdRow,
  SegmentRow,
  selectBlockRange,
  selectBlocks,
  selectSegmentIds,
  selectSegments,
} from "./queries.ts"

const BLOCKS_IN_MEMORY = 2_048

export type Kind = "words" | "names"
const KINDS = ["words", "names"] as const satisfies readonly Kind[]

const Directory = z.object({
  base: z.int(),
  words: z.object({ firstBlock: z.int(), firsts: z.array(z.string()).readonly() }),
  names: z.object({ firstBlock: z.int(), firsts: z.array(z.string()).readonly() }),
})

/** Written once. Segments share no content number. */
export type PostingsSegment = z.output<typeof Directory> & {
  readonly id: number
  readonly contents: number
}

export type PostingsStore = ReturnType<typeof createPostingsStore>

export function createPostingsStore(db: Db<"map">) {
  const current = createSegmentList(db)
  const readBlocks = createBlockReader(db)

  async function tryRows(kind: Kind, terms: readonly string[]): Promise<Rows | undefined> {
    const places = placesOf(await current(), kind, terms)
    const bodies = await readBlocks(places.map((it) => it.block))
    const rows = new Map<string, number[]>()
    for (const { term, block, base } of places) {
      const body = bodies.get(block)
      if (body === undefined) return undefined
      const row = rows.get(term) ?? []
      addShifted(row, findInBlock(body, term) ?? [], base)
      rows.set(term, row)
    }
    return rows
  }

  return {
    current,
    async *all() {
      for (const segment of await current()) {
        for (const kind of KINDS) yield* rowsOfSegment(db, segment, kind)
      }
    },
    async rows(kind: Kind, terms: readonly string[]): Promise<Rows> {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const rows = await tryRows(kind, terms)
        if (rows !== undefined) return rows
      }
      throw new Error("the postings were replaced repeatedly while they were read")
    },
  }
}

type Rows = ReadonlyMap<string, readonly number[]>

/** Numbers ascend from segment to segment. Reads only new segments. */
function createSegmentList(db: Db<"map">): () => Promise<readonly PostingsSegment[]> {
  let segments: readonly PostingsSegment[] = []
  return async () => {
    const ids = (await db.all(SegmentIdRow, selectSegmentIds())).map((it) => it.id)
    const segmentById = new Map(segments.map((it) => [it.id, it]))
    const missing = ids.filter((id) => !segmentById.has(id))
    for (const it of await readSegments(db, missing)) segmentById.set(it.id, it)
    segments = ids.flatMap((id) => segmentById.get(id) ?? []).toSorted((a, b) => a.base - b.base)
    return segments
  }
}

type BlockReader = (ids: readonly number[]) => Promise<ReadonlyMap<number, Uint8Array>>

function createBlockReader(db: Db<"map">): BlockReader {
  const recent = createRecentCache<number, Uint8Array>({
    maxSize: BLOCKS_IN_MEMORY,
    sizeOf: () => 1,
  })
  return async (ids) => {
    const bodies = new Map<number, Uint8Array>()
    const missing: number[] = []
    for (const id of new Set(ids)) {
      const body = recent.get(id)
      if (body === undefined) missing.push(id)
      else bodies.set(id, body)
    }
    for (const round of roundsOf(missing, VALUES_A_STATEMENT)) {
      for (const { id, body } of await db.all(BlockRow, selectBlocks(round))) bodies.set(id, body)
    }
    for (const [id, body] of bodies) recent.set(id, body)
    return bodies
  }
}

const MOST_TRIES = 5

type FoundRow = {
  readonly kind: Kind
  readonly term: string
  readonly row: readonly number[]
}

async function* rowsOfSegment(
  db: Pick<Db<"map">, "all">,
  segment: PostingsSegment,
  kind: Kind,
): AsyncGenerator<FoundRow> {
  const { firstBlock, firsts } = segment[kind]
  const blocks = await db.all(BlockRow, selectBlockRange(firstBlock, firstBlock + firsts.length))
  invariant(blocks.length === firsts.length, "a segment has all of its blocks")
  for (const { body } of blocks) {
    for (const [term, postings] of rowsOfBlock(body))
      yield { kind, term, row: shifted(postings, segment.base) }
  }
}

function shifted(row: readonly number[], base: number): readonly number[] {
  const all: number[] = []
  addShifted(all, row, base)
  return all
}

function addShifted(into: number[], row: readonly number[], base: number): void {
  for (let at = 0; at < row.length; at += STRIDE) {
    into.push(base + (row[at] ?? 0), row[at + 1] ?? 0, row[at + 2] ?? 0)
  }
}

export async function readSegments(
  db: Pick<Db<"map">, "all">,
  ids: readonly number[],
): Promise<readonly PostingsSegment[]> {
  if (ids.length === 0) return []
  const rows = await db.all(SegmentRow, selectSegments(ids))
  return rows.map(({ id, contents, directory }) => ({
    id,
    contents,
    ...Directory.parse(JSON.parse(directory)),
  }))
}

function placesOf(segments: readonly PostingsSegment[], kind: Kind, terms: readonly string[]) {
  return segments.flatMap(({ base, [kind]: { firsts, firstBlock } }) =>
    terms.flatMap((term) => {
      const block = placeOf(firsts, term)
      return block < 0 ? [] : [{ term, base, block: firstBlock + block }]
    }),
  )
}

type NewSegment = { readonly contents: number } & Readonly<Record<Kind, Blocks>>

type NextIds = { readonly next_block: number; readonly next_segment: number }

export async function writeSegment<State extends NextIds>(
  tx: Tx<"map">,
  state: State,
  segment: NewSegment & { readonly base: number },
): Promise<State> {
  const { words, names, base, contents } = segment
  const firstName = state.next_block + words.bodies.length
  const bodies = [...words.bodies, ...names.bodies]
  const rows = bodies.map((body, at) => ({ id: state.next_block + at, body }))
  for (const round of roundsOf(rows, ROWS_A_STATEMENT)) await tx.run(insertBlocks(round))
  const directory = JSON.stringify({
    base,
    words: { firstBlock: state.next_block, firsts: words.firsts },
    names: { firstBlock: firstName, firsts: names.firsts },
  } satisfies z.input<typeof Directory>)
  await tx.run(insertSegment({ id: state.next_segment, contents, directory }))
  invariant(words.firsts.length === words.bodies.length, "each block has a first term")
  return {
    ...state,
    next_block: state.next_block + bodies.length,
    next_segment: state.next_segment + 1,
  }
}

export function* roundsOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
