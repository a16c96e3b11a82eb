import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { statSync } from "node:fs"
import type { Readable, Writable } from "node:stream"
import { invariant } from "../error.ts"
import { reasonOf } from "../files/system-error.ts"
import { holdsGroup, type ProcessIdentity, processIdentity } from "./process.ts"
import { endGroup, endTree } from "./process-group.ts"

/** Node treats timers above 2^31 ms as 1 ms. */
const SPAWN_LONGEST_TIMEOUT_MS = 24 * 60 * 60 * 1_000

/** A process that left the group may hold the output open forever. */
const SPAWN_LONGEST_DRAIN_MS = 5_000

/** Between SIGTERM and SIGKILL: agents need a moment to save their transcript. */
const SPAWN_GRACE_MS = 2_000

/** Always explicit: a child never inherits our environment, which contains the user's keys. */
export type Environment = Readonly<Record<string, string>>

export function pickEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Environment {
  const pairs = names.map((name) => [name, source[name]] as const)
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

export type StartOptions = {
  readonly cwd: string
  readonly env: Environment
  /** Never our own terminal. */
  readonly stdin?: "pipe" | "none"
  readonly signal?: AbortSignal
  readonly graceMs?: number
}

export type RunOptions = Omit<StartOptions, "stdin"> & {
  readonly timeoutMs: number
  /** For each of the two streams; the rest is read and dropped. */
  readonly maxOutputBytes: number
  /** "end" ends the program at that limit. */
  readonly atLimit?: "drop" | "end"
  readonly input?: string | Uint8Array
}

export type ExitOutcome =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }

export type NotStarted =
  | { readonly kind: "not-found" }
  | { readonly kind: "not-started"; readonly reason: string }
  | { readonly kind: "aborted" }

type Output = {
  readonly stdout: Buffer
  readonly stderr: Buffer
  readonly truncated: boolean
}

export type RunOutcome =
  | ((ExitOutcome | { readonly kind: "timed-out" } | { readonly kind: "aborted" }) & Output)
  | Exclude<NotStarted, { readonly kind: "aborted" }>

/**
 * Runs a program without a shell in its own process group; however it ends, nothing of the group is
 * left running.
 */
export async function run(
  file: string,
  args: readonly string[],
  options: RunOptions,
): Promise<RunOutcome> {
  const { timeoutMs, maxOutputBytes, input } = options
  invariant(
    timeoutMs > 0 && timeoutMs <= SPAWN_LONGEST_TIMEOUT_MS,
    `the timeout of a run is between 1 and ${SPAWN_LONGEST_TIMEOUT_MS} ms, not ${timeoutMs}`,
  )
  const stdin = input === undefined ? "none" : "pipe"
  const started = await start(file, args, { ...options, stdin })
  if (started.kind === "aborted") return { ...started, ...NO_OUTPUT }
  if (started.kind !== "started") return started
  await using child = started.child
  const onCut = () => void (options.atLimit === "end" && child.end())
  const stdout = keepFirst(child.stdout, { maxBytes: maxOutputBytes, onCut })
  const stderr = keepFirst(child.stderr, { maxBytes: maxOutputBytes, onCut })
  child.stdin?.end(input)

  const stop = await stopOf(child, options)
  const exit = await child.end()
  const truncated = stdout.isCut() || stderr.isCut()
  return { ...(stop ?? exit), stdout: stdout.bytes(), stderr: stderr.bytes(), truncated }
}

export type RunningChild = {
  readonly identity: ProcessIdentity
  readonly stdin: Writable | null
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exited: Promise<ExitOutcome>
  end(): Promise<ExitOutcome>
  [Symbol.asyncDispose](): Promise<void>
}

export type StartOutcome = { readonly kind: "started"; readonly child: RunningChild } | NotStarted

export async function start(
  file: string,
  args: readonly string[],
  options: StartOptions,
): Promise<StartOutcome> {
  if (options.signal?.aborted) return { kind: "aborted" }
  try {
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env,
      shell: false,
      // A separate group, so that grandchildren can be ended too. On Windows `detached` would open
      // a console window, and taskkill finds the tree without it.
      detached: process.platform !== "win32",
      windowsHide: true,
      stdio: [options.stdin === "pipe" ? "pipe" : "ignore", "pipe", "pipe"],
    })
    await once(child, "spawn")
    return { kind: "started", child: watch(child, options) }
  } catch (error) {
    return notStarted(reasonOf(error), options.cwd)
  }
}

/**
 * Starts a program that may outlive us, e.g. a browser: not read, not awaited, never ended by us.
 */
export async function launch(
  file: string,
  args: readonly string[],
  options: Pick<StartOptions, "cwd" | "env">,
): Promise<{ readonly kind: "launched" } | NotStarted> {
  try {
    const child = spawn(file, args, { ...options, shell: false, detached: true, stdio: "ignore" })
    await once(child, "spawn")
    child.unref()
    return { kind: "launched" }
  } catch (error) {
    return notStarted(reasonOf(error), options.cwd)
  }
}

/**
 * Runs an interactive program in our terminal, streams and group, so keys and job control reach it
 * directly. We ignore SIGINT, which is meant for the program, and forward SIGTERM.
 */
export async function attend(
  file: string,
  args: readonly string[],
  options: Pick<StartOptions, "cwd" | "env">,
): Promise<ExitOutcome | NotStarted> {
  const ignore = (): void => {}
  const handOn = (signal: NodeJS.Signals): void => void child?.kill(signal)
  let child: ChildProcess | undefined
  process.on("SIGINT", ignore).on("SIGTERM", handOn).on("SIGHUP", handOn)
  try {
    child = spawn(file, args, { ...options, shell: false, stdio: "inherit" })
    const exited = exitOf(child)
    await once(child, "spawn")
    return await exited
  } catch (error) {
    return notStarted(reasonOf(error), options.cwd)
  } finally {
    process.off("SIGINT", ignore).off("SIGTERM", handOn).off("SIGHUP", handOn)
  }
}

/**
 * Ends a process tree that an earlier process of ours started, also the rest of its group. A later
 * process with the same pid is not touched.
 */
export async function endProcessTree(identity: ProcessIdentity): Promise<void> {
  if (!holdsGroup(identity)) return
  await endTree(identity, { graceMs: SPAWN_GRACE_MS, env: {} })
}

function notStarted(reason: string, cwd: string): NotStarted {
  if (reason !== "ENOENT") return { kind: "not-started", reason }
  // ENOENT also means a missing working directory.
  const isDirectory = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() ?? false
  return isDirectory
    ? { kind: "not-found" }
    : { kind: "not-started", reason: "the working directory does not exist" }
}

function watch(child: ChildProcess, options: StartOptions): RunningChild {
  const { pid, stdin } = child
  const [stdout, stderr] = [readable(child.stdout), readable(child.stderr)]
  invariant(pid !== undefined, "a spawned child has a pid")
  const identity = processIdentity(pid)
  const ending = { graceMs: options.graceMs ?? SPAWN_GRACE_MS, env: options.env }
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const exited = exitOf(child)
  // Immediately, before the group's number can be reused.
  const groupEnded = exited.then(() => endGroup(pid, ending))

  async function endAll(): Promise<ExitOutcome> {
    const isRunning = child.exitCode === null && child.signalCode === null
    if (isRunning) await endTree(identity, ending)
    await groupEnded
    await drain([stdout, stderr], closed)
    return exited
  }
  let ended: Promise<ExitOutcome> | undefined
  const end = () => (ended ??= endAll())

  // A child may close its input without reading it.
  stdin?.on("error", () => {})
  const endOnAbort = () => void end()
  options.signal?.addEventListener("abort", endOnAbort, { once: true })
  void exited.then(() => options.signal?.removeEventListener("abort", endOnAbort))
  return {
    identity,
    stdin,
    stdout,
    stderr,
    exited,
    end,
    async [Symbol.asyncDispose]() {
      await end()
    },
  }
}

function readable(stream: Readable | null): Readable {
  invariant(stream !== null, "output goes to pipes")
  return stream
}

function exitOf(child: ChildProcess): Promise<ExitOutcome> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      resolve(
        code === null ? { kind: "signalled", signal: String(signal) } : { kind: "exited", code },
      )
    })
  })
}

/** Lets readers receive the last bytes, without waiting for a process that holds the pipe open. */
async function drain(streams: readonly Readable[], closed: Promise<void>): Promise<void> {
  for (const stream of streams) {
    const hasReader = stream.readableFlowing !== null
    if (!hasReader) stream.destroy()
  }
  await within(SPAWN_LONGEST_DRAIN_MS, closed)
  for (const stream of streams) stream.destroy()
}

async function stopOf(
  child: RunningChild,
  options: RunOptions,
): Promise<{ readonly kind: "timed-out" } | { readonly kind: "aborted" } | undefined> {
  const { signal } = options
  const { promise: aborted, resolve: abort } = Promise.withResolvers<"aborted">()
  const onAbort = () => abort("aborted")
  signal?.addEventListener("abort", onAbort, { once: true })
  const first = await within(options.timeoutMs, Promise.race([child.exited, aborted]))
  signal?.removeEventListener("abort", onAbort)
  if (first === "aborted" || signal?.aborted) return { kind: "aborted" }
  return first === undefined ? { kind: "timed-out" } : undefined
}

async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, ms, undefined)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

const NO_OUTPUT: Output = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), truncated: false }

/** Reads a stream to its end and stores the first bytes, so the writer never blocks. */
function keepFirst(stream: Readable, limit: { readonly maxBytes: number; onCut(): void }) {
  const chunks: Buffer[] = []
  let room = limit.maxBytes
  let isCut = false
  stream.on("data", (chunk: Buffer) => {
    if (chunk.length > room && !isCut) limit.onCut()
    if (chunk.length > room) isCut = true
    if (room > 0) chunks.push(chunk.subarray(0, room))
    room = Math.max(0, room - chunk.length)
  })
  return {
    bytes: () => Buffer.concat(chunks),
    // Destroyed before its end: a process outside the group held it open.
    isCut: () => isCut || !stream.readableEnded,
  }
}
