import { type PoolAnswer, workAll } from "../pool.ts"
import { createThreads, type WorkerOptions } from "../workers.ts"
import type { GivenText, Reading } from "./read-text.ts"

/** A text on its way to a thread; whoever sends it knows it again by its key. */
export type ReadItem = GivenText & { readonly key: string }
export type ReadAnswer = PoolAnswer & Reading

export type Readers = AsyncDisposable & {
  /** Batches are taken when a thread is free; their answers come in any order. */
  readAll(work: {
    next(): Promise<readonly ReadItem[] | undefined>
    keep(batch: readonly ReadItem[], reading: Reading): Promise<void>
    readonly signal: AbortSignal
  }): Promise<void>
}

/** Threads that read texts. One that ends its thread takes part by its words alone. */
export function createReaders(options: WorkerOptions = {}): Readers {
  const threads = createThreads<ReadItem, ReadAnswer>({ entry: READING_THREAD, ...options })
  let last: Promise<unknown> = Promise.resolve()
  return {
    async readAll(work) {
      const mine = last.then(() =>
        workAll<ReadItem, ReadAnswer>(threads, {
          ...work,
          suffered(item, reason) {
            if (item.problem === undefined) return [{ ...item, problem: { reason } }]
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

const READING_THREAD = new URL("./thread/main.ts", import.meta.url)
