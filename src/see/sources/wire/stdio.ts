import { isUtf8 } from "node:buffer"
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client"
import { type Environment, type ExitOutcome, type RunningChild, start } from "#ground/base"
import type { Program } from "../command.ts"
import { LARGEST_FRAME_BYTES } from "../limits.ts"

/** Between the polite signal and the last one; with the rest of the ending it stays under 5 s. */
const CHILD_GRACE_MS = 1_000

/** Kept of what a server complains of, for the sentence that says why it failed. */
const KEPT_STDERR_CHARACTERS = 2_000

/** Input a server has not read yet; a question has a few hundred bytes. */
const MOST_WAITING_INPUT_BYTES = 1_000_000

const MOST_UNASKED_BYTES = 64_000_000

/** What a server may say without being asked, until the next question. */
const MOST_UNASKED_LINES = 20_000

export type Wire = Transport & {
  problem(): string | undefined
}

/**
 * A server that runs as a child of ours: one message a line, within bounds. The package has a
 * transport of its own, which starts the program itself and reads lines of any length.
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
        throw new Error("it does not listen any more")
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

function listen(child: RunningChild, held: ServerProcess & { readonly unasked: Unasked }): void {
  const { state, wire, unasked } = held
  state.child = child
  const lines = createLines(LARGEST_FRAME_BYTES)
  const hear = (line: Buffer): void => {
    if (state.isOver) return
    const problem = receive(line, wire) ?? unasked.heard(line.length)
    if (problem !== undefined) void fail(problem, held)
  }
  child.stdout.on("data", (chunk: Buffer) => {
    if (state.isOver) return
    const isInBounds = lines.take(chunk, hear)
    if (!isInBounds) void fail(`it sent a message of over ${LARGEST_FRAME_BYTES} bytes`, held)
  })
  child.stderr.on("data", (chunk: Buffer) => {
    // The beginning, not the end: a key whose first half was cut off would not be recognised.
    const room = KEPT_STDERR_CHARACTERS - state.stderr.length
    if (room > 0) state.stderr += chunk.toString("utf8").slice(0, room)
  })
  // A pipe that breaks is told by the end of the program.
  for (const stream of [child.stdout, child.stderr]) stream.on("error", () => {})
  child.stdout.once("end", () => void finish(held))
  void child.exited.then(() => finish(held))
}

function receive(line: Buffer, wire: Wire): string | undefined {
  const isMessage = line.subarray(0, 64).toString("latin1").trimStart().startsWith("{")
  if (!isMessage) return undefined
  if (!isUtf8(line)) return "it sent bytes that are not UTF-8"
  let value: unknown
  try {
    value = JSON.parse(line.toString("utf8"))
  } catch {
    return "it sent a message that is no JSON"
  }
  const message = isReport(value) ? undefined : messageIn(value)
  if (message !== undefined) wire.onmessage?.(message)
  return undefined
}

/** What a server tells by itself: nobody here listens to it, so ten thousand of them cost nothing. */
function isReport(value: unknown): boolean {
  return typeof value === "object" && value !== null && "method" in value && !("id" in value)
}

/** Undefined for JSON that is no message: a log line of someone who logs as JSON. */
function messageIn(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value)
  } catch {
    return undefined
  }
}

async function fail(problem: string, held: ServerProcess): Promise<void> {
  held.state.problem ??= problem
  // Nobody reads on: what is still in the pipe must not hold up the end.
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
  // Those who wait are told at once when we know why; the end of a program says more than its silence.
  if (state.problem !== undefined) wire.onclose?.()
  const exit = await child?.end()
  if (state.problem !== undefined) return
  state.problem = exit === undefined ? "it was not started" : sayEnd(exit, state.stderr)
  wire.onclose?.()
}

function sayEnd(exit: ExitOutcome, stderr: string): string {
  const how = exit.kind === "exited" ? `with exit code ${exit.code}` : `by ${exit.signal}`
  const words = stderr.trim().split(/\s+/).join(" ")
  return words === "" ? `it ended ${how}` : `it ended ${how}: ${words}`
}

function notStarted(
  outcome: Exclude<Awaited<ReturnType<typeof start>>, { kind: "started" }>,
): string {
  switch (outcome.kind) {
    case "not-found":
      return "its program is not there"
    case "not-started":
      return `it could not be started (${outcome.reason})`
    case "aborted":
      return "it was taken back"
    default:
      return outcome satisfies never
  }
}

type Unasked = ReturnType<typeof createUnasked>

/** Counts what is said since the last question: a server may report, but not for ever. */
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
      return isTooMuch ? "it talks without being asked" : undefined
    },
  }
}

const NEWLINE = 0x0a

/** Bytes to lines. It holds no more than one line of the largest size, and says so at the next byte. */
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
    /** Whole lines, each handed on at once; false when one is too large, and nothing more is read. */
    take(chunk: Buffer, hear: (line: Buffer) => void): boolean {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        if (!hold(chunk.subarray(from, at))) return false
        const line = Buffer.concat(held)
        held = []
        heldBytes = 0
        from = at + 1
        hear(line)
      }
      return hold(chunk.subarray(from))
    },
  }
}
