import { createThread, invariant, threadModule } from "#ground/base"
import { type FileFacts, type LanguageName, withoutFacts } from "./facts.ts"
import { LARGEST_BATCH_UNITS, MOST_BATCH_FILES } from "./limits.ts"
import { type PoolAnswer, workAll } from "./thread-pool.ts"

/** For the facts of one batch; the parser's memory is outside this heap. */
const THREAD_HEAP_MB = 128

/** Two are almost twice as fast as one; a third would take the core that stores the result. */
const PARSING_THREADS = 2

/** For a thread that hangs where the parser's own budget does not apply. */
const LONGEST_SILENCE_MS = 10_000

export type SourceFile = {
  readonly path: string
  readonly language: LanguageName
  readonly text: string
}
export type ParsedFile = { readonly path: string; readonly facts: FileFacts }

export type Workers = AsyncDisposable & {
  parseMany(
    files: readonly SourceFile[],
    options?: {
      readonly signal?: AbortSignal
      readonly onProgress?: (done: number) => void
    },
  ): Promise<readonly ParsedFile[]>
}

export type WorkerOptions = {
  readonly threads?: number
  readonly heapMb?: number
  readonly longestSilenceMs?: number
  readonly entry?: URL
}

export type BatchAnswer = PoolAnswer & { readonly facts: readonly FileFacts[] }

/**
 * Isolates a text that ends a thread or exceeds the time limit by sending each file of its batch
 * alone.
 */
export function createWorkers(options: WorkerOptions = {}): Workers {
  const threads = createThreads<SourceFile, BatchAnswer>({ entry: PARSING_THREAD, ...options })
  let last: Promise<unknown> = Promise.resolve()
  return {
    async parseMany(files, { signal, onProgress } = {}) {
      const factsOf = new Map<SourceFile, FileFacts>()
      const waiting = batchesOf(files)
      const work = {
        signal,
        next: async () => waiting.shift(),
        keep(batch: readonly SourceFile[], { facts }: BatchAnswer) {
          for (const [at, file] of batch.entries()) keepAt(factsOf, file, facts[at])
          onProgress?.(factsOf.size)
        },
        suffered(file: SourceFile, reason: "crashed" | "too-slow") {
          factsOf.set(file, withoutFacts(file.language, { reason }))
          return []
        },
      }
      const mine = last.then(() => workAll(threads, work))
      last = mine.catch(() => {})
      await mine
      return files.map((file) => ({ path: file.path, facts: factsFor(factsOf, file) }))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(threads.map((it) => it.end()))
    },
  }
}

const PARSING_THREAD = threadModule("know/map/thread/main")

export function createThreads<Item, Answer extends PoolAnswer>(
  options: WorkerOptions & { readonly entry: URL },
) {
  return Array.from({ length: options.threads ?? PARSING_THREADS }, () =>
    createThread<readonly Item[], Answer>({
      entry: options.entry,
      heapMb: options.heapMb ?? THREAD_HEAP_MB,
      longestSilenceMs: options.longestSilenceMs ?? LONGEST_SILENCE_MS,
    }),
  )
}

function batchesOf(files: readonly SourceFile[]): (readonly SourceFile[])[] {
  const batches: (readonly SourceFile[])[] = []
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

function keepAt(
  factsOf: Map<SourceFile, FileFacts>,
  file: SourceFile,
  facts: FileFacts | undefined,
): void {
  invariant(facts !== undefined, "an answer has facts for each file that is done")
  factsOf.set(file, facts)
}

function factsFor(factsOf: ReadonlyMap<SourceFile, FileFacts>, file: SourceFile): FileFacts {
  const facts = factsOf.get(file)
  invariant(facts !== undefined, "every file of every batch was answered for")
  return facts
}
