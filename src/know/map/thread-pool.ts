import type { Thread, ThreadAnswer } from "#ground/base"

type Work<Item, Answer extends PoolAnswer> = {
  /** Called when a thread is free; undefined when there is no more work. */
  next(): Promise<readonly Item[] | undefined>
  /** An answer covers the first `done` items of its batch. */
  keep(batch: readonly Item[], answer: Answer): void | Promise<void>
  /** Replaces an item that ended its thread while alone in the batch. */
  suffered(item: Item, how: "crashed" | "too-slow"): readonly Item[]
  readonly signal: AbortSignal | undefined
}

/** `done` is less than the batch when an item spent the thread. */
export type PoolAnswer = { readonly done: number; readonly isSpent: boolean }

type PoolThread<Item, Answer> = Thread<readonly Item[], Answer>

/** Settles after all threads are idle, also after a failure. */
export async function workAll<Item, Answer extends PoolAnswer>(
  threads: readonly PoolThread<Item, Answer>[],
  work: Work<Item, Answer>,
): Promise<void> {
  const returned: (readonly Item[])[] = []
  const state = { isOver: false }
  const next = async () => {
    if (state.isOver) return undefined
    return returned.shift() ?? (await work.next())
  }
  const outcomes = await Promise.allSettled(
    threads.map(async (thread) => {
      try {
        // Answers are stored while the thread works on its next batch.
        let keep = async () => {}
        for (let batch = await next(); batch !== undefined; batch = await next()) {
          work.signal?.throwIfAborted()
          const asking = thread.ask(batch)
          const [stored, answered] = await Promise.allSettled([keep(), asking])
          if (stored.status === "rejected") throw stored.reason
          if (answered.status === "rejected") throw answered.reason
          const judged = await judge({ thread, batch, work, asked: answered.value })
          keep = judged.keep
          returned.unshift(...judged.left)
        }
        await keep()
      } catch (error) {
        state.isOver = true
        throw error
      }
    }),
  )
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason
}

type PendingBatch<Item, Answer extends PoolAnswer> = {
  readonly thread: PoolThread<Item, Answer>
  readonly batch: readonly Item[]
  readonly work: Work<Item, Answer>
  readonly asked: ThreadAnswer<Answer>
}

type BatchOutcome<Item> = {
  readonly keep: () => Promise<void>
  readonly left: readonly (readonly Item[])[]
}

async function judge<Item, Answer extends PoolAnswer>(
  pending: PendingBatch<Item, Answer>,
): Promise<BatchOutcome<Item>> {
  const { thread, batch, work, asked: outcome } = pending
  switch (outcome.kind) {
    case "answered": {
      const { answer } = outcome
      if (answer.isSpent) await thread.end()
      const left = batch.slice(answer.done)
      return {
        keep: async () => work.keep(batch.slice(0, answer.done), answer),
        left: left.length === 0 ? [] : [left],
      }
    }
    case "died":
    case "silent": {
      if (batch.length > 1) return { keep: nothing, left: batch.map((item) => [item]) }
      const how = outcome.kind === "died" ? "crashed" : "too-slow"
      const left = batch.map((item) => work.suffered(item, how)).filter((it) => it.length > 0)
      return { keep: nothing, left }
    }
    case "failed":
    case "not-started":
      throw new Error(`a thread cannot parse: ${outcome.reason}`)
    default:
      return outcome satisfies never
  }
}

async function nothing(): Promise<void> {}
