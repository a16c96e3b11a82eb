import { z } from "zod"
import { type Clock, isAppError, type Log } from "#ground/base"
import { type Message, Run, type RunStatus } from "#ground/contract"
import { cut, keepRunning, type LiveClient, type LiveSocket, waitForDrain } from "./delivery.ts"

export const LIVE_PAGE_MESSAGES = 100

/** After this many characters the sender waits for the client; one message may have 400,000. */
const LIVE_SLICE_CHARACTERS = 1_000_000

/** Per client. */
export const MOST_FOLLOWED_RUNS = 64

/** Reads runs page by page; nothing of them is buffered here. */
export type RunReader = {
  get(id: string): Promise<Run>
  messages(id: string, filter: MessageFilter): Promise<readonly Message[]>
}

type MessageFilter = { readonly after: number; readonly limit: number; readonly brief: boolean }

/** The last message and state that one client was sent. */
type RunCursor = {
  readonly agentId: string
  readonly brief: boolean
  seq: number
  sent: SentState | undefined
}

type SentState = {
  readonly status: RunStatus
  readonly endedAt: number | null
  readonly shown: string
}

/** The whole text so far; sent and not stored. */
export type RunDelta = {
  readonly runId: string
  readonly parentId?: string | undefined
  readonly text: string
}

export type RunReply =
  | { kind: "subscribed"; agentId: string; lastSeq: number; status: RunStatus }
  | { kind: "refused"; reason: string }
  | { kind: "unsubscribed"; agentId: string }

export type RunStream = ReturnType<typeof createRunStream>

type Deps = {
  readonly client: LiveClient
  readonly runs: RunReader
  readonly clock: Clock
  readonly log: Log
}

/** The runs that one client follows, each as a cursor in the stored messages. */
export function createRunStream(deps: Deps) {
  const { runs } = deps
  const { socket } = deps.client
  const cursors = new Map<string, RunCursor>()
  const sending = createSending(deps, cursors)

  return {
    wake: sending.wake,
    follows: (): IterableIterator<string> => cursors.keys(),
    /** Acknowledges, then sends everything after the given message and whatever follows. */
    async follow(input: unknown, answer: (reply: RunReply) => void): Promise<void> {
      const { reply, cursor } = await locate(input, cursors, runs)
      answer(reply)
      if (cursor === undefined || !socket.connected) return
      cursors.set(cursor.agentId, cursor)
      sending.wake(cursor.agentId)
    },
    unfollow(input: unknown, answer: (reply: RunReply) => void): void {
      const request = Unfollow.safeParse(input)
      if (!request.success) return answer(MALFORMED)
      cursors.delete(request.data.agentId)
      answer({ kind: "unsubscribed", agentId: request.data.agentId })
    },
    /** Dropped for a client that is behind or cannot accept it: the next delta contains it. */
    tellDelta({ runId, parentId, text }: RunDelta): void {
      if (!cursors.has(runId)) return
      const body = { agentId: runId, ...(parentId === undefined ? {} : { parentId }), text }
      // An end is never dropped, or the text would stay on the page.
      if (text === "") socket.emit("agent:delta", body)
      else if (!sending.isBehind(runId)) socket.volatile.emit("agent:delta", body)
    },
    stop: (): void => cursors.clear(),
  }
}

/** One page of one run is in flight at a time; runs take turns. */
function createSending(deps: Deps, cursors: Map<string, RunCursor>) {
  const { socket } = deps.client
  const woken = new Set<string>()
  let inHand: string | undefined
  const isCurrent = (cursor: RunCursor): boolean => cursors.get(cursor.agentId) === cursor

  async function pump(): Promise<void> {
    // Iterating a set includes elements added meanwhile.
    for (const agentId of woken) {
      woken.delete(agentId)
      const cursor = cursors.get(agentId)
      if (cursor === undefined) continue
      inHand = agentId
      const sent = await sendPage(cursor, { ...deps, isCurrent })
      inHand = undefined
      if (isCurrent(cursor)) conclude(agentId, sent)
    }
  }
  function conclude(agentId: string, sent: SendOutcome): void {
    // At the end of the queue, so that a long run does not delay the others.
    if (sent === "more") woken.add(agentId)
    if (sent === "stalled") giveUp()
    if (sent !== "deleted") return
    cursors.delete(agentId)
    socket.emit("agent:deleted", { agentId, timestamp: deps.clock.now() })
  }
  function giveUp(): void {
    cursors.clear()
    cut(socket, { reason: "stalled" })
    deps.client.destroy()
  }
  const running = keepRunning(pump, (error) => {
    deps.log.error("live run failed", { error })
    socket.disconnect(true)
  })
  return {
    wake(agentId: string): void {
      if (!cursors.has(agentId)) return
      woken.add(agentId)
      running.wake()
    },
    isBehind: (agentId: string): boolean => woken.has(agentId) || inHand === agentId,
  }
}

const RunId = Run.shape.id

/** Strict: with a misspelt `after`, everything would be sent again. */
const Follow = z.strictObject({
  agentId: RunId,
  after: z.int().nonnegative().default(0),
  brief: z.boolean().default(false),
})
const Unfollow = z.strictObject({ agentId: RunId })

const MALFORMED: RunReply = { kind: "refused", reason: "the subscription is malformed" }

async function locate(
  input: unknown,
  cursors: ReadonlyMap<string, RunCursor>,
  runs: RunReader,
): Promise<{ reply: RunReply; cursor?: RunCursor }> {
  const subscription = Follow.safeParse(input)
  if (!subscription.success) return { reply: MALFORMED }
  const { agentId, after, brief } = subscription.data
  const isOneTooMany = !cursors.has(agentId) && cursors.size >= MOST_FOLLOWED_RUNS
  if (isOneTooMany) return refuse(`more than ${MOST_FOLLOWED_RUNS} runs`)
  const run = await findRun(runs, agentId)
  if (run === undefined) return refuse("unknown run")
  const { lastSeq, status } = run
  // Another history: the store was restored, and numbers are used a second time.
  if (after > lastSeq) return refuse(`the last message is ${lastSeq}; reload the run`)
  const cursor = { agentId, brief, seq: after, sent: undefined }
  return { reply: { kind: "subscribed", agentId, lastSeq, status }, cursor }
}

function refuse(reason: string): { reply: RunReply } {
  return { reply: { kind: "refused", reason } }
}

type StreamContext = {
  readonly client: LiveClient
  readonly runs: RunReader
  readonly clock: Clock
  /** The client may have unsubscribed while we waited. */
  isCurrent(cursor: RunCursor): boolean
}

type SendOutcome = "up-to-date" | "more" | "stalled" | "deleted"

/** One page; the run's state only after all its messages. */
async function sendPage(cursor: RunCursor, sending: StreamContext): Promise<SendOutcome> {
  const { runs, clock, isCurrent } = sending
  const { socket } = sending.client
  // Read the run first: its state was true when these messages were stored.
  const run = await findRun(runs, cursor.agentId)
  if (run === undefined) return "deleted"
  const { agentId, brief, seq: after } = cursor
  const filter = { after, brief, limit: LIVE_PAGE_MESSAGES }
  const messages = after < run.lastSeq ? await runs.messages(agentId, filter) : []
  if (!(await sendMessages(cursor, messages, sending))) return "stalled"
  if (!isCurrent(cursor)) return "up-to-date"
  if (messages.length > 0 && cursor.seq < run.lastSeq) return "more"
  sendState(socket, cursor, run)
  return (await waitForDrain(socket, clock)) ? "up-to-date" : "stalled"
}

/** Waits for the client after every million characters; false if it stalled. */
async function sendMessages(
  cursor: RunCursor,
  messages: readonly Message[],
  { client: { socket }, clock, isCurrent }: StreamContext,
): Promise<boolean> {
  let characters = 0
  for (const message of messages) {
    if (!isCurrent(cursor)) return true
    const { agentId } = cursor
    socket.emit("agent:message", { agentId, message, timestamp: message.timestamp })
    cursor.seq = message.seq
    characters += message.content.length + (message.raw?.length ?? 0)
    if (characters < LIVE_SLICE_CHARACTERS) continue
    characters = 0
    if (!(await waitForDrain(socket, clock))) return false
  }
  return true
}

const ENDED: ReadonlySet<RunStatus> = new Set(["completed", "failed", "stopped", "interrupted"])

function sendState(socket: LiveSocket, cursor: RunCursor, run: Run): void {
  const { agentId, sent } = cursor
  const { status, endedAt, updatedAt: timestamp } = run
  // New messages alone are not a new state.
  const shown = JSON.stringify({ ...run, lastSeq: 0, updatedAt: 0 })
  cursor.sent = { status, endedAt, shown }
  if (shown === sent?.shown) return
  const isTurn = status !== sent?.status || endedAt !== sent.endedAt
  if (isTurn) socket.emit("agent:status", { agentId, status, timestamp })
  socket.emit("agent:updated", { agentId, run, timestamp })
  if (!isTurn || !ENDED.has(status)) return
  if (status === "failed") {
    socket.emit("agent:error", { agentId, error: { message: run.error ?? "" }, timestamp })
  }
  socket.emit("agent:complete", { agentId, status, timestamp })
}

/** Undefined if it was deleted or never existed. */
export async function findRun(runs: RunReader, id: string): Promise<Run | undefined> {
  try {
    return await runs.get(id)
  } catch (error) {
    if (isAppError(error) && error.family === "not-found") return undefined
    throw error
  }
}
