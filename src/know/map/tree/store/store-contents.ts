import { compareText, createByteTable, createPause, invariant, releaseMemory } from "#ground/base"
import type { Db } from "#ground/store"
import type { LanguageName } from "../../facts.ts"
import { ROWS_A_STATEMENT, VALUES_A_STATEMENT } from "../../limits.ts"
import { stateOf } from "../merge-segments.ts"
import type { ReadBatch, TermTable } from "../read-text.ts"
import type { ReadItem } from "../readers.ts"
import { countTokens } from "../text-segments.ts"
import { type Blocks, encodeBlocks, type Row, STRIDE } from "./blocks.ts"
import { roundsOf, writeSegment } from "./postings-store.ts"
import {
  insertContents,
  KnownRow,
  type NewContent,
  type Summary,
  selectKnown,
  updateState,
} from "./queries.ts"

const TERMS_A_FLUSH = 250_000

const CONTENTS_A_FLUSH = 1_000

export type ContentKey = string
export function contentKey(blobId: string, language: LanguageName | undefined): ContentKey {
  return `${blobId} ${language ?? ""}`
}

export type KnownContent = Summary & { readonly number: number }

export async function findContents(
  db: Db<"map">,
  reader: string,
  blobIds: readonly string[],
): Promise<ReadonlyMap<ContentKey, KnownContent>> {
  const contents = new Map<ContentKey, KnownContent>()
  for (const round of roundsOf(blobIds, VALUES_A_STATEMENT)) {
    for (const row of await db.all(KnownRow, selectKnown(reader, round))) {
      contents.set(`${row.blob_id} ${row.language}`, { number: row.number, ...row.summary })
    }
  }
  return contents
}

type UnnumberedContent = Omit<NewContent, "number">

/**
 * Stores several hundred contents at a time with one segment of postings, so that the next scan
 * finds them by key after an interruption.
 */
export function createContentWriter(deps: {
  readonly db: Db<"map">
  readonly reader: string
  readonly count: (text: string) => number
  readonly stored: (key: ContentKey, content: KnownContent) => void
}) {
  const words = createGatheredTerms()
  const names = createGatheredTerms()
  let gathered: UnnumberedContent[] = []
  let written = 0
  let last: Promise<void> = Promise.resolve()

  async function flush(): Promise<void> {
    if (gathered.length === 0) return
    // Numbers are assigned in the transaction; blocks count from 0, and a base is added.
    const full = { contents: gathered, words: words.take(0), names: names.take(0) }
    gathered = []
    const mine = last.then(() => store(deps, full))
    written += full.contents.length
    last = mine.catch(() => {})
    await mine
  }

  return {
    async add(batch: readonly ReadItem[], reading: ReadBatch): Promise<void> {
      const contents: UnnumberedContent[] = []
      const pause = createPause()
      for (const [at, { key, text }] of batch.entries()) {
        const read = reading.texts[at]
        invariant(read !== undefined, "a reading has each of its texts")
        const [blobId = "", language = ""] = key.split(" ")
        const { facts, countable, ...terms } = read
        const counts = countTokens(text, countable, deps.count)
        const tokens = counts.segments.reduce((sum, it) => sum + it, 0)
        const summary = { ...terms, tokens }
        const of = { blobId, language, reader: deps.reader }
        contents.push({ ...of, summary, facts, counts: JSON.stringify(counts) })
        await pause()
      }
      // Without a pause: batches of other threads are added meanwhile, and places count from here.
      words.add(reading.words, gathered.length)
      names.add(reading.names, gathered.length)
      for (const { terms, ends, entries } of [reading.words, reading.names])
        releaseMemory([terms, ends, entries])
      gathered.push(...contents)
      const isFull = gathered.length >= CONTENTS_A_FLUSH || words.entries() >= TERMS_A_FLUSH
      if (isFull) await flush()
    },
    flush,
    written: () => written,
  }
}

type ContentGroup = {
  readonly contents: readonly UnnumberedContent[]
  readonly words: Blocks
  readonly names: Blocks
}

async function store(
  deps: Parameters<typeof createContentWriter>[0],
  group: ContentGroup,
): Promise<void> {
  const segment = { ...group, contents: group.contents.length }
  const base = await deps.db.transaction(async (tx) => {
    const state = await stateOf(tx)
    const first = state.next_content
    const numbered = group.contents.map((it, at) => ({ ...it, number: first + at }))
    for (const round of roundsOf(numbered, ROWS_A_STATEMENT)) await tx.run(insertContents(round))
    const after = await writeSegment(tx, state, { ...segment, base: first })
    await tx.run(updateState({ ...after, next_content: first + numbered.length }))
    return first
  })
  releaseMemory(group.contents.map((it) => it.facts))
  releaseMemory([...group.words.bodies, ...group.names.bodies])
  for (const [at, { blobId, language, summary }] of group.contents.entries()) {
    deps.stored(`${blobId} ${language}`, { number: base + at, ...summary })
  }
}

/**
 * Four numbers per entry in one flat list: a map of lists takes ten times the memory. Its lists are
 * used again after `take`, because freed ones of several MB fragment the memory of the process.
 */
export function createGatheredTerms() {
  const terms = createByteTable(FIRST_TERMS)
  let entries = new Uint32Array(FIRST_ENTRIES * 4)
  let used = 0

  return {
    add(table: TermTable, firstContent: number): void {
      const own = new Uint32Array(table.ends.length)
      for (let at = 0, from = 0; at < own.length; at++) {
        const end = table.ends[at] ?? from
        own[at] = terms.numberOf(table.terms, from, end)
        from = end
      }
      const { entries: more } = table
      while (used + more.length > entries.length) entries = doubled(entries)
      for (let at = 0; at < more.length; at += 4) {
        entries[used++] = own[more[at] ?? 0] ?? 0
        entries[used++] = firstContent + (more[at + 1] ?? 0)
        entries[used++] = more[at + 2] ?? 0
        entries[used++] = more[at + 3] ?? 0
      }
    },
    entries: () => used / 4,
    /** The blocks of all rows, which are gathered anew afterwards. */
    take(firstNumber: number): Blocks {
      const texts = Array.from({ length: terms.size() }, (_, term) => terms.textOf(term))
      const gathered = { termCount: texts.length, entries: entries.subarray(0, used) }
      const { ends, postings } = sortedByTerm(gathered, firstNumber)
      const blocks = encodeBlocks(rowsOf(texts, { ends, postings }))
      releaseMemory([postings])
      terms.clear()
      used = 0
      return blocks
    },
  }
}

const FIRST_TERMS = 4_096
const FIRST_ENTRIES = 4_096

function doubled(entries: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  return new Uint32Array(entries.buffer.transfer(entries.byteLength * 2))
}

type GatheredPostings = {
  readonly termCount: number
  readonly entries: Uint32Array
}

type SortedPostings = { readonly ends: Uint32Array; readonly postings: Uint32Array }

function* rowsOf(
  terms: readonly string[],
  { ends, postings }: SortedPostings,
): Generator<Row<Uint32Array>> {
  const byText = [...terms.keys()].toSorted((a, b) => compareText(terms[a] ?? "", terms[b] ?? ""))
  for (const index of byText) {
    const from = ends[index - 1] ?? 0
    yield [terms[index] ?? "", postings.subarray(from * STRIDE, (ends[index] ?? from) * STRIDE)]
  }
}

/** Counting sort, because a list per term would be 50,000 lists. */
function sortedByTerm(
  { termCount, entries }: GatheredPostings,
  firstNumber: number,
): SortedPostings {
  const ends = new Uint32Array(termCount)
  for (let at = 0; at < entries.length; at += 4) {
    const term = entries[at] ?? 0
    ends[term] = (ends[term] ?? 0) + 1
  }
  for (let term = 1; term < termCount; term++)
    ends[term] = (ends[term] ?? 0) + (ends[term - 1] ?? 0)
  const next = ends.slice()
  const postings = new Uint32Array((entries.length / 4) * STRIDE)
  for (let at = entries.length - 4; at >= 0; at -= 4) {
    const term = entries[at] ?? 0
    const slot = (next[term] ?? 0) - 1
    next[term] = slot
    postings[slot * STRIDE] = firstNumber + (entries[at + 1] ?? 0)
    postings[slot * STRIDE + 1] = entries[at + 2] ?? 0
    postings[slot * STRIDE + 2] = entries[at + 3] ?? 0
  }
  return { ends, postings }
}
