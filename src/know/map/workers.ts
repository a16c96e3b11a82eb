import { createThread, invariant, type Thread } from "#ground/base"
import { type FileFacts, type LanguageName, withoutFacts } from "./facts.ts"
import {
  LARGEST_BATCH_UNITS,
  LONGEST_SILENCE_MS,
  MOST_BATCH_FILES,
  PARSING_THREADS,
  THREAD_HEAP_MB,
} from "./limits.ts"

export type SourceFile = {
  readonly path: string
  readonly language: LanguageName
  readonly text: string
}
export type ParsedFile = { readonly path: string; readonly facts: FileFacts }

export type Workers = AsyncDisposable & {
  /** The facts of each file, in the order given. */
  parseMany(
    files: readonly SourceFile[],
    options?: {
      readonly signal?: AbortSignal
      /** How many files are done, after each batch. */
      readonly onProgress?: (done: number) => void
    },
  ): Promise<readonly ParsedFile[]>
}

export type WorkerOptions = {
  readonly threads?: number
  readonly heapMb?: number
  readonly longestSilenceMs?: number
  /** The module the threads run. */
  readonly entry?: URL
}

/**
 * Parses on threads of its own. A text that ends a thread, or keeps it longer than any budget, is
 * the only one that suffers: it is found by asking for each file of its batch alone.
 */
export function createWorkers(options: WorkerOptions = {}): Workers {
  const threads = Array.from({ length: options.threads ?? PARSING_THREADS }, () =>
    createThread<Batch, BatchAnswer>({
      entry: options.entry ?? PARSING_THREAD,
      heapMb: options.heapMb ?? THREAD_HEAP_MB,
      longestSilenceMs: options.longestSilenceMs ?? LONGEST_SILENCE_MS,
    }),
  )
  // One call after the other: two would ask the same thread at once.
  let last: Promise<unknown> = Promise.resolve()
  return {
    async parseMany(files, { signal, onProgress } = {}) {
      const factsOf = new Map<SourceFile, FileFacts>()
      const run: Run = {
        waiting: batchesOf(files),
        signal,
        keep(file, facts) {
          factsOf.set(file, facts)
        },
        report: () => onProgress?.(factsOf.size),
      }
      const mine = last.then(() => workAll(threads, run))
      last = mine.catch(() => {})
      await mine
      return files.map((file) => ({ path: file.path, facts: known(factsOf, file) }))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(threads.map((it) => it.end()))
    },
  }
}

const PARSING_THREAD = new URL("./thread/main.ts", import.meta.url)

type Batch = readonly SourceFile[]

type Run = {
  readonly waiting: Batch[]
  readonly signal: AbortSignal | undefined
  readonly keep: (file: SourceFile, facts: FileFacts) => void
  readonly report: () => void
}

function batchesOf(files: readonly SourceFile[]): Batch[] {
  const batches: Batch[] = []
  let batch: SourceFile[] = []
  let units = 0
  for (const file of files) {
    const isFull =
      batch.length === MOST_BATCH_FILES || units + file.text.length > LARGEST_BATCH_UNITS
    if (isFull && batch.length > 0) {
      batches.push(batch)
      batch = []
      units = 0
    }
    batch.push(file)
    units += file.text.length
  }
  return batch.length > 0 ? [...batches, batch] : batches
}

/** Fewer facts than files when one of them spent the thread. */
export type BatchAnswer = { readonly facts: readonly FileFacts[]; readonly isSpent: boolean }

type ParsingThread = Thread<Batch, BatchAnswer>

/** All have come to rest when it is over, also when one of them failed. */
async function workAll(threads: readonly ParsingThread[], run: Run): Promise<void> {
  const outcomes = await Promise.allSettled(threads.map((thread) => work(thread, run)))
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason
}

async function work(thread: ParsingThread, run: Run): Promise<void> {
  for (let batch = run.waiting.shift(); batch !== undefined; batch = run.waiting.shift()) {
    try {
      run.signal?.throwIfAborted()
      run.waiting.unshift(...(await parseBatch(thread, batch, run)))
      run.report()
    } catch (error) {
      run.waiting.length = 0
      throw error
    }
  }
}

/** What is left to do of it: nothing, mostly. */
async function parseBatch(
  thread: ParsingThread,
  batch: Batch,
  run: Run,
): Promise<readonly Batch[]> {
  const asked = await thread.ask(batch)
  switch (asked.kind) {
    case "answered":
      for (const [at, facts] of asked.answer.facts.entries()) keepAt(run, { batch, at, facts })
      if (asked.answer.isSpent) await thread.end()
      return rest(batch, asked.answer.facts.length)
    case "died":
    case "silent": {
      if (batch.length > 1) return batch.map((file) => [file])
      const reason = asked.kind === "died" ? "crashed" : "too-slow"
      for (const file of batch) run.keep(file, withoutFacts(file.language, { reason }))
      return []
    }
    case "failed":
    case "not-started":
      throw new Error(`a thread cannot parse: ${asked.reason}`)
  }
}

function keepAt(
  run: Run,
  { batch, at, facts }: { readonly batch: Batch; readonly at: number; readonly facts: FileFacts },
): void {
  const file = batch[at]
  if (file !== undefined) run.keep(file, facts)
}

function rest(batch: Batch, done: number): readonly Batch[] {
  const left = batch.slice(done)
  return left.length === 0 ? [] : [left]
}

function known(factsOf: ReadonlyMap<SourceFile, FileFacts>, file: SourceFile): FileFacts {
  const facts = factsOf.get(file)
  invariant(facts !== undefined, "every file of every batch was answered for")
  return facts
}
