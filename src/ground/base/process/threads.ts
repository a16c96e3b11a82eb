import { getCompileCacheDir } from "node:module"
import path from "node:path"
import type { Worker } from "node:worker_threads"
import { invariant } from "../error.ts"
import { packageFile } from "../files/package-files.ts"

/** A command without threads does not load the module. */
const workerThreads = () => process.getBuiltinModule("node:worker_threads")

/** More takes up to 50 MB for each thread, without a measurable gain. */
const THREAD_YOUNG_HEAP_MB = 8

export type ThreadOptions = {
  readonly entry: URL
  readonly heapMb: number
  readonly longestSilenceMs: number
}

export type ThreadAnswer<Answer> =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly reason: string }
  /** Out of memory, or it exited. */
  | { readonly kind: "died"; readonly reason: string }
  | { readonly kind: "silent" }
  | { readonly kind: "not-started"; readonly reason: string }

export type Thread<Question, Answer> = AsyncDisposable & {
  /** One question at a time. After a crash the next question starts a new thread. */
  ask(question: Question): Promise<ThreadAnswer<Answer>>
  end(): Promise<void>
}

export function createThread<Question, Answer>(options: ThreadOptions): Thread<Question, Answer> {
  let running: Worker | undefined
  let isBusy = false
  const start = () => {
    const worker = startWorker(options)
    // Without a listener an error between questions would end the process.
    worker.on("error", () => {})
    worker.on("exit", () => {
      if (running === worker) running = undefined
    })
    return worker
  }
  const end = async () => {
    const ending = running
    running = undefined
    await ending?.terminate()
  }
  return {
    async ask(question) {
      invariant(!isBusy, "a thread handles one request at a time")
      isBusy = true
      try {
        running ??= start()
        const answer = await answerOf<Answer>(running, question, options.longestSilenceMs)
        if (answer.kind !== "answered" && answer.kind !== "failed") await end()
        return answer
      } finally {
        isBusy = false
      }
    },
    end,
    [Symbol.asyncDispose]: end,
  }
}

type ThreadMessage<Answer> =
  | { readonly kind: "ready" }
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly reason: string }

function startWorker({ entry, heapMb }: ThreadOptions): Worker {
  return new (workerThreads().Worker)(packageFile("bin/thread.mjs"), {
    argv: [entry.href, compileCacheFolder()],
    env: {},
    execArgv: [],
    resourceLimits: {
      maxOldGenerationSizeMb: heapMb,
      maxYoungGenerationSizeMb: THREAD_YOUNG_HEAP_MB,
    },
  })
}

/** The folder above the one the runtime reports; empty without a compile cache. */
function compileCacheFolder(): string {
  const own = getCompileCacheDir()
  return own === undefined ? "" : path.dirname(own)
}

const ready = new WeakSet<Worker>()

async function answerOf<Answer>(
  worker: Worker,
  question: unknown,
  longestSilenceMs: number,
): Promise<ThreadAnswer<Answer>> {
  const { promise, resolve } = Promise.withResolvers<ThreadAnswer<Answer>>()
  const gone = (reason: string) =>
    resolve({ kind: ready.has(worker) ? "died" : "not-started", reason })
  const listeners = {
    message(reply: ThreadMessage<Answer>) {
      if (reply.kind === "ready") ready.add(worker)
      else resolve(reply)
    },
    messageerror: (error: Error) => gone(messageOf(error)),
    error: (error: unknown) => gone(messageOf(error)),
    exit: (code: number) => gone(`it exited with code ${code}`),
  }
  const timer = setTimeout(() => resolve({ kind: "silent" }), longestSilenceMs)
  // Only a busy thread keeps the process alive.
  worker.ref()
  for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener)
  try {
    worker.postMessage(question)
    return await promise
  } finally {
    clearTimeout(timer)
    for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener)
    worker.unref()
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function answerQuestions<Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
): void {
  const port = workerThreads().parentPort
  invariant(port !== null, "answerQuestions runs in a worker thread")
  let last = Promise.resolve()
  port.on("message", (question: Question) => {
    last = last.then(async () => port.postMessage(await answerOrFailure(answer, question)))
  })
  port.postMessage({ kind: "ready" } satisfies ThreadMessage<Answer>)
}

async function answerOrFailure<Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
  question: Question,
): Promise<ThreadMessage<Answer>> {
  try {
    return { kind: "answered", answer: await answer(question) }
  } catch (error) {
    return { kind: "failed", reason: messageOf(error) }
  }
}
