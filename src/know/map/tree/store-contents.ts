import { invariant } from "#ground/base"
import type { Db } from "#ground/store"
import type { LanguageName } from "../facts.ts"
import { CONTENTS_A_FLUSH, ROWS_A_STATEMENT, TERMS_A_FLUSH, VALUES_A_STATEMENT } from "../limits.ts"
import { createGatheredTerms } from "./gather-terms.ts"
import { stateOf } from "./merge.ts"
import { roundsOf, writeSegment } from "./postings-store.ts"
import {
  insertContents,
  KnownRow,
  type NewContent,
  type Summary,
  selectKnown,
  updateState,
} from "./queries.ts"
import type { Reading } from "./read-text.ts"
import type { ReadItem } from "./readers.ts"
import { countTokens } from "./segments.ts"

/** The same bytes are another content in another language. */
export type ContentKey = string
export function contentKey(blobId: string, language: LanguageName | undefined): ContentKey {
  return `${blobId} ${language ?? ""}`
}

export type KnownContent = Summary & { readonly number: number }

/** Contents that are stored already, by their keys. */
export async function findContents(
  db: Db<"map">,
  reader: string,
  blobIds: readonly string[],
): Promise<ReadonlyMap<ContentKey, KnownContent>> {
  const known = new Map<ContentKey, KnownContent>()
  for (const round of roundsOf(blobIds, VALUES_A_STATEMENT)) {
    // In the order of their numbers: of two equal ones the newer counts.
    for (const row of await db.all(KnownRow, selectKnown(reader, round))) {
      known.set(`${row.blob_id} ${row.language}`, { number: row.number, ...row.summary })
    }
  }
  return known
}

type Waiting = Omit<NewContent, "number">

/**
 * New contents on their way to the store, some hundred at a time with one segment of postings.
 * What was stored stays when a scan is interrupted; the next one finds it by its key.
 */
export function createContentWriter(deps: {
  readonly db: Db<"map">
  readonly reader: string
  readonly count: (text: string) => number
  readonly stored: (key: ContentKey, content: KnownContent) => void
}) {
  let group = emptyGroup()
  let written = 0
  let last: Promise<void> = Promise.resolve()

  async function flush(): Promise<void> {
    const full = group
    if (full.contents.length === 0) return
    group = emptyGroup()
    const mine = last.then(() => store(deps, full))
    written += full.contents.length
    last = mine.catch(() => {})
    await mine
  }

  return {
    async add(batch: readonly ReadItem[], reading: Reading): Promise<void> {
      group.words.add(reading.words, group.contents.length)
      group.names.add(reading.names, group.contents.length)
      for (const [at, { key, text }] of batch.entries()) {
        const read = reading.texts[at]
        invariant(read !== undefined, "a reading has each of its texts")
        const [blobId = "", language = ""] = key.split(" ")
        const { facts, countable, ...found } = read
        const counts = countTokens(text, countable, deps.count)
        const tokens = counts.segments.reduce((sum, it) => sum + it, 0)
        const summary = { ...found, tokens }
        const of = { blobId, language, reader: deps.reader }
        group.contents.push({ ...of, summary, facts, counts: JSON.stringify(counts) })
      }
      const isFull =
        group.contents.length >= CONTENTS_A_FLUSH || group.words.entries() >= TERMS_A_FLUSH
      if (isFull) await flush()
    },
    flush,
    /** How many were stored so far. */
    written: () => written,
  }
}

function emptyGroup() {
  const contents: Waiting[] = []
  return { contents, words: createGatheredTerms(), names: createGatheredTerms() }
}

async function store(
  deps: Parameters<typeof createContentWriter>[0],
  group: ReturnType<typeof emptyGroup>,
): Promise<void> {
  // Numbers are known inside of the transaction only; blocks count from 0, and a base is added.
  const segment = {
    contents: group.contents.length,
    words: group.words.blocks(0),
    names: group.names.blocks(0),
  }
  const base = await deps.db.transaction(async (tx) => {
    const state = await stateOf(tx)
    const first = state.next_content
    const numbered = group.contents.map((it, at) => ({ ...it, number: first + at }))
    for (const round of roundsOf(numbered, ROWS_A_STATEMENT)) await tx.run(insertContents(round))
    const after = await writeSegment(tx, state, { ...segment, base: first })
    await tx.run(updateState({ ...after, next_content: first + numbered.length }))
    return first
  })
  for (const [at, { blobId, language, summary }] of group.contents.entries()) {
    deps.stored(`${blobId} ${language}`, { number: base + at, ...summary })
  }
}
