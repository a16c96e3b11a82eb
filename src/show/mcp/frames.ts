import type { Readable } from "node:stream"
import {
  deserializeMessage,
  INVALID_REQUEST,
  type JSONRPCMessage,
  PARSE_ERROR,
  type RequestId,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/server"
import { formatExact } from "#ground/base"
import { LARGEST_FRAME_BYTES } from "./limits.ts"

type FrameDeps = {
  readonly input: Readable
  write(frame: string): Promise<void>
  onEnd(): void
}

type Frames = Transport & {
  /** Resolves when every request has its response. */
  answered(): Promise<void>
}

const NEWLINE = 0x0a

/**
 * One message per line. The package's own reader closes the connection at a frame that is too large
 * and drops invalid JSON silently; here the client gets an error and the server continues.
 */
export function createFrames({ input, write, onEnd }: FrameDeps): Frames {
  const openRequests = createAsked()
  const frames: Frames = {
    answered: openRequests.untilNone,
    async start() {
      input.on("data", take).on("end", end).on("close", end).on("error", end)
      if (input.readableEnded || input.destroyed) end()
    },
    send: (message) => write(serializeMessage(message)).finally(() => openRequests.said(message)),
    async close() {
      input.off("data", take).off("end", end).off("close", end).off("error", end).pause()
      frames.onclose?.()
    },
  }
  const lines = splitLines()
  const take = (chunk: Buffer): void => {
    for (const line of lines.take(chunk)) receive(line, { frames, asked: openRequests, write })
  }
  let hasEnded = false
  const end = (): void => {
    if (hasEnded) return
    hasEnded = true
    onEnd()
  }
  return frames
}

type Line = { readonly kind: "line"; readonly text: string } | { readonly kind: "too-large" }

type ReceiveDeps = Pick<FrameDeps, "write"> & {
  readonly frames: Frames
  readonly asked: PendingRequests
}

function receive(line: Line, { frames, asked, write }: ReceiveDeps): void {
  const refuse = (code: number, message: string): void => {
    // An unreadable frame has no id.
    const answer = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } })
    write(`${answer}\n`).catch((error: Error) => frames.onerror?.(error))
  }
  if (line.kind === "too-large") {
    const most = formatExact(LARGEST_FRAME_BYTES)
    refuse(INVALID_REQUEST, `Frame too large: the limit is ${most} bytes.`)
    return
  }
  if (line.text.trim() === "") return
  let message: JSONRPCMessage
  try {
    message = deserializeMessage(line.text)
  } catch (error) {
    if (error instanceof SyntaxError)
      refuse(PARSE_ERROR, "Parse error: a line must be one JSON document.")
    else refuse(INVALID_REQUEST, "Invalid request: a line must be one JSON-RPC 2.0 message.")
    return
  }
  asked.heard(message)
  frames.onmessage?.(message)
}

type PendingRequests = ReturnType<typeof createAsked>

function createAsked() {
  const open = new Set<RequestId>()
  let onNone = (): void => {}
  const leave = (id: unknown): void => {
    if (typeof id === "string" || typeof id === "number") open.delete(id)
    if (open.size === 0) onNone()
  }
  return {
    heard(message: JSONRPCMessage): void {
      if (!("method" in message)) return
      // A subscription stays open as long as the client.
      if ("id" in message && message.method !== "subscriptions/listen") open.add(message.id)
      // A cancelled request gets no response.
      if (message.method === "notifications/cancelled") leave(message.params?.["requestId"])
    },
    said(message: JSONRPCMessage): void {
      if (!("method" in message)) leave(message.id)
    },
    untilNone: (): Promise<void> =>
      new Promise((resolve) => {
        onNone = resolve
        if (open.size === 0) resolve()
      }),
  }
}

/** Buffers at most one frame; the rest of a frame that is too large is dropped. */
function splitLines() {
  let held: Buffer[] = []
  let heldBytes = 0
  let isSkipping = false
  const hold = (part: Buffer): Line[] => {
    if (isSkipping) return []
    if (heldBytes + part.length > LARGEST_FRAME_BYTES) {
      held = []
      heldBytes = 0
      isSkipping = true
      return [{ kind: "too-large" }]
    }
    held.push(part)
    heldBytes += part.length
    return []
  }
  const finish = (): Line[] => {
    const wasSkipping = isSkipping
    const text = Buffer.concat(held).toString("utf8")
    held = []
    heldBytes = 0
    isSkipping = false
    return wasSkipping ? [] : [{ kind: "line", text }]
  }
  return {
    take(chunk: Buffer): readonly Line[] {
      const lines: Line[] = []
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        lines.push(...hold(chunk.subarray(from, at)), ...finish())
        from = at + 1
      }
      if (from < chunk.length) lines.push(...hold(chunk.subarray(from)))
      return lines
    },
  }
}
