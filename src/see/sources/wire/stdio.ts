import { isUtf8 } from "node:buffer"
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client"
import {
  type Environment,
  type ExitOutcome,
  parseJson,
  type RunningChild,
  start,
} from "#ground/base"
import type { Program } from "../describe/command.ts"
import { FRAME_TOO_LARGE, LARGEST_FRAME_BYTES } from "../limits.ts"

/** Between SIGTERM and SIGKILL; with the rest of the shutdown it stays under 5 s. */
const CHILD_GRACE_MS = 1_000

const KEPT_STDERR_CHARACTERS = 2_000

/** Unread input of a server; a request has a few hundred bytes. */
const MOST_WAITING_INPUT_BYTES = 1_000_000

const MOST_UNASKED_BYTES = 64_000_000

/** Unsolicited lines until the next request. */
const MOST_UNASKED_LINES = 20_000

export type Wire = Transport & {
  problem(): string | undefined
}

/**
 * One message per line, within limits. The package's own transport starts the program itself and
 * reads lines of any length.
 */
export function stdioWire(program: Program, env: Environment): Wire {
  const state: State = { child: undefined, problem: undefined, stderr: "", isOver: false }
  const unasked = createUnasked()
  const wire: Wire = {
    problem: () => state.problem,
    async start() {
      const started = await start(program.file, program.args, {
        cwd: program.cwd,
        env,
        stdin: "pipe",
        graceMs: CHILD_GRACE_MS,
      })
      if (started.kind !== "started") {
        state.problem = notStarted(started)
        throw new Error(state.problem)
      }
      listen(started.child, { state, wire, unasked })
    },
    async send(message) {
      const stdin = state.child?.stdin
      if (stdin === null || stdin === undefined || !stdin.writable || state.isOver) {
        throw new Error("the connection is closed")
      }
      unasked.reset()
      stdin.write(serializeMessage(message))
      if (stdin.writableLength <= MOST_WAITING_INPUT_BYTES) return
      void fail("it does not read its input", { state, wire })
    },
    close: () => finish({ state, wire }),
  }
  return wire
}

type State = {
  child: RunningChild | undefined
  problem: string | undefined
  stderr: string
  isOver: boolean
}
type ServerProcess = { readonly state: State; readonly wire: Wire }

function listen(
  child: RunningChild,
  held: ServerProcess & { readonly unasked: UnrequestedLines },
): void {
  const { state, wire, unasked } = held
  state.child = child
  const lines = createLines(LARGEST_FRAME_BYTES)
  const handleLine = (line: Buffer): void => {
    if (state.isOver) return
    const problem = receive(line, wire) ?? unasked.heard(line.length)
    if (problem !== undefined) void fail(problem, held)
  }
  child.stdout.on("data", (chunk: Buffer) => {
    if (state.isOver) return
    const isInBounds = lines.take(chunk, handleLine)
    if (!isInBounds) void fail(FRAME_TOO_LARGE, held)
  })
  child.stderr.on("data", (chunk: Buffer) => {
    // Stores the beginning, not the end: a key without its first half would not be redacted.
    const room = KEPT_STDERR_CHARACTERS - state.stderr.length
    if (room > 0) state.stderr += chunk.toString("utf8").slice(0, room)
  })
  // A broken pipe is reported by the end of the program.
  for (const stream of [child.stdout, child.stderr]) stream.on("error", () => {})
  child.stdout.once("end", () => void finish(held))
  void child.exited.then(() => finish(held))
}

function receive(line: Buffer, wire: Wire): string | undefined {
  const isMessage = line.subarray(0, 64).toString("latin1").trimStart().startsWith("{")
  if (!isMessage) return undefined
  if (!isUtf8(line)) return "it sent bytes that are not UTF-8"
  const value = parseJson(line.toString("utf8"))
  if (value === undefined) return "it sent a message that is not valid JSON"
  const message = isReport(value) ? undefined : messageIn(value)
  if (message !== undefined) wire.onmessage?.(message)
  return undefined
}

/** Notifications are ignored, so ten thousand of them cost nothing. */
function isReport(value: unknown): boolean {
  return typeof value === "object" && value !== null && "method" in value && !("id" in value)
}

/** Undefined for JSON that is not a message, for example a JSON log line. */
function messageIn(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value)
  } catch {
    return undefined
  }
}

async function fail(problem: string, held: ServerProcess): Promise<void> {
  held.state.problem ??= problem
  // No reader is left: unread data in the pipe must not delay the end.
  held.state.child?.stdout.destroy()
  await finish(held)
}

async function finish({ state, wire }: ServerProcess): Promise<void> {
  const { child } = state
  if (state.isOver) {
    await child?.end()
    return
  }
  state.isOver = true
  child?.stdin?.end()
  // If the reason is known, reject callers at once; otherwise the exit code has more detail.
  if (state.problem !== undefined) wire.onclose?.()
  const exit = await child?.end()
  if (state.problem !== undefined) return
  state.problem = exit === undefined ? "it was not started" : describeExit(exit, state.stderr)
  wire.onclose?.()
}

function describeExit(exit: ExitOutcome, stderr: string): string {
  const how = exit.kind === "exited" ? `with exit code ${exit.code}` : `by ${exit.signal}`
  const words = stderr.trim().split(/\s+/).join(" ")
  return words === "" ? `it exited ${how}` : `it exited ${how}: ${words}`
}

function notStarted(
  outcome: Exclude<Awaited<ReturnType<typeof start>>, { kind: "started" }>,
): string {
  switch (outcome.kind) {
    case "not-found":
      return "its program was not found"
    case "not-started":
      return `it could not be started (${outcome.reason})`
    case "aborted":
      return "the call was cancelled"
    default:
      return outcome satisfies never
  }
}

type UnrequestedLines = ReturnType<typeof createUnasked>

/** Counts unsolicited lines since the last request. */
function createUnasked() {
  let lines = 0
  let bytes = 0
  return {
    reset(): void {
      lines = 0
      bytes = 0
    },
    heard(sizeBytes: number): string | undefined {
      lines += 1
      bytes += sizeBytes
      const isTooMuch = lines > MOST_UNASKED_LINES || bytes > MOST_UNASKED_BYTES
      return isTooMuch ? "it sent too many unsolicited messages" : undefined
    },
  }
}

const NEWLINE = 0x0a

/** Buffers at most one line of the maximum size. */
function createLines(largestBytes: number) {
  let held: Buffer[] = []
  let heldBytes = 0
  function hold(part: Buffer): boolean {
    heldBytes += part.length
    if (heldBytes > largestBytes) {
      held = []
      return false
    }
    if (part.length > 0) held.push(part)
    return true
  }
  return {
    /** False if a line is too large; then nothing more is read. */
    take(chunk: Buffer, onLine: (line: Buffer) => void): boolean {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        if (!hold(chunk.subarray(from, at))) return false
        const line = Buffer.concat(held)
        held = []
        heldBytes = 0
        from = at + 1
        onLine(line)
      }
      return hold(chunk.subarray(from))
    },
  }
}
