import type { Socket } from "socket.io"
import { type Clock, isAppError } from "#ground/base"
import type { Message, Run, RunStatus } from "#ground/contract"
import { LIVE_PAGE_MESSAGES, LIVE_SLICE_CHARACTERS } from "./limits.ts"
import { waitForDrain } from "./stream.ts"

/** What is asked of the runs, page by page: nothing of them is kept here. */
export type FollowedRuns = {
  get(id: string): Promise<Run>
  messages(id: string, filter: MessageFilter): Promise<readonly Message[]>
}

type MessageFilter = { readonly after: number; readonly limit: number; readonly brief: boolean }

/** One client's place in a run: the last message it was sent, and the state it was told. */
export type Place = {
  readonly agentId: string
  readonly brief: boolean
  seq: number
  told: Told | undefined
}

type Told = { readonly status: RunStatus; readonly endedAt: number | null; readonly shown: string }

export type Sending = {
  readonly socket: Socket
  readonly runs: FollowedRuns
  readonly clock: Clock
  /** Whether the client still follows from here; while we wait it may have left. */
  isCurrent(place: Place): boolean
}

export type Sent = "up-to-date" | "more" | "stalled" | "deleted"

/** One page; the run's state only when its messages have all been sent. */
export async function sendPage(place: Place, sending: Sending): Promise<Sent> {
  const { socket, runs, clock, isCurrent } = sending
  // First the run: what it says of itself was true when these messages were stored.
  const run = await findRun(runs, place.agentId)
  if (run === undefined) return "deleted"
  const { agentId, brief, seq: after } = place
  const filter = { after, brief, limit: LIVE_PAGE_MESSAGES }
  const messages = after < run.lastSeq ? await runs.messages(agentId, filter) : []
  if (!(await sendMessages(place, messages, sending))) return "stalled"
  if (!isCurrent(place)) return "up-to-date"
  if (messages.length > 0 && place.seq < run.lastSeq) return "more"
  tellState(socket, place, run)
  return (await waitForDrain(socket, clock)) ? "up-to-date" : "stalled"
}

/** Whether the client took them; after every million characters it is waited for. */
async function sendMessages(
  place: Place,
  messages: readonly Message[],
  { socket, clock, isCurrent }: Sending,
): Promise<boolean> {
  let characters = 0
  for (const message of messages) {
    if (!isCurrent(place)) return true
    const { agentId } = place
    socket.emit("agent:message", { agentId, message, timestamp: message.timestamp })
    place.seq = message.seq
    characters += message.content.length + (message.raw?.length ?? 0)
    if (characters < LIVE_SLICE_CHARACTERS) continue
    characters = 0
    if (!(await waitForDrain(socket, clock))) return false
  }
  return true
}

const ENDED: ReadonlySet<RunStatus> = new Set(["completed", "failed", "stopped", "interrupted"])

function tellState(socket: Socket, place: Place, run: Run): void {
  const { agentId, told } = place
  const { status, endedAt, updatedAt: timestamp } = run
  // Its messages were sent; that there are more of them is no news by itself.
  const shown = JSON.stringify({ ...run, lastSeq: 0, updatedAt: 0 })
  place.told = { status, endedAt, shown }
  if (shown === told?.shown) return
  const isTurn = status !== told?.status || endedAt !== told.endedAt
  if (isTurn) socket.emit("agent:status", { agentId, status, timestamp })
  socket.emit("agent:updated", { agentId, run, timestamp })
  if (!isTurn || !ENDED.has(status)) return
  if (status === "failed") {
    socket.emit("agent:error", { agentId, error: { message: run.error ?? "" }, timestamp })
  }
  socket.emit("agent:complete", { agentId, status, timestamp })
}

/** Undefined when it is gone, or never was. */
export async function findRun(runs: FollowedRuns, id: string): Promise<Run | undefined> {
  try {
    return await runs.get(id)
  } catch (error) {
    if (isAppError(error) && error.family === "not-found") return undefined
    throw error
  }
}
