import { threadModule } from "#ground/base"
import { type PoolAnswer, workAll } from "../thread-pool.ts"
import { createThreads, type WorkerOptions } from "../workers.ts"
import type { GivenText, ReadBatch } from "./read-text.ts"

export type ReadItem = GivenText & { readonly key: string }
export type ReadAnswer = PoolAnswer & ReadBatch

export type Readers = AsyncDisposable & {
  /** Batches are taken when a thread is free; answers come in any order. */
  readAll(work: {
    next(): Promise<readonly ReadItem[] | undefined>
    keep(batch: readonly ReadItem[], reading: ReadBatch): Promise<void>
    readonly signal: AbortSignal
  }): Promise<void>
}

/** A text that ends its thread is indexed by its words only. */
export function createReaders(options: WorkerOptions = {}): Readers {
  const threads = createThreads<ReadItem, ReadAnswer>({ entry: READING_THREAD, ...options })
  let last: Promise<unknown> = Promise.resolve()
  return {
    async readAll(work) {
      const tries = new Map<string, number>()
      const mine = last.then(() =>
        workAll<ReadItem, ReadAnswer>(threads, {
          ...work,
          suffered(item, reason) {
            if (item.problem === undefined) return [{ ...item, problem: { reason } }]
            const tried = (tries.get(item.key) ?? 0) + 1
            tries.set(item.key, tried)
            // Without a parser the work is linear in the text: the machine was busy.
            if (reason === "too-slow" && tried < MOST_TRIES) return [item]
            throw new Error(`a text cannot be read, even without a parser: ${reason}`)
          },
        }),
      )
      last = mine.catch(() => {})
      await mine
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(threads.map((it) => it.end()))
    },
  }
}

const MOST_TRIES = 10

const READING_THREAD = threadModule("know/map/tree/thread/main")
