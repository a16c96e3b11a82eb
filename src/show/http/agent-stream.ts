import type { Socket } from "socket.io"
import { z } from "zod"
import type { Clock, Log } from "#ground/base"
import { Run, type RunStatus } from "#ground/contract"
import { type FollowedRuns, findRun, type Place, type Sent, sendPage } from "./agent-place.ts"
import { MOST_FOLLOWED_RUNS } from "./limits.ts"
import { cut, keepRunning } from "./stream.ts"

/** Text as it is written: the whole of it so far, told and not kept. */
export type RunDelta = {
  readonly runId: string
  readonly parentId?: string | undefined
  readonly text: string
}

export type Followed =
  | { kind: "subscribed"; agentId: string; lastSeq: number; status: RunStatus }
  | { kind: "refused"; reason: string }
  | { kind: "unsubscribed"; agentId: string }

export type AgentStream = ReturnType<typeof createAgentStream>

type Deps = {
  readonly socket: Socket
  readonly runs: FollowedRuns
  readonly clock: Clock
  readonly log: Log
}

/** The runs that one client follows. Each is only a place in the stored messages. */
export function createAgentStream(deps: Deps) {
  const { socket, runs } = deps
  const places = new Map<string, Place>()
  const sending = createSending(deps, places)

  return {
    wake: sending.wake,
    follows: (): IterableIterator<string> => places.keys(),
    /** Everything after a message, then what comes; the answer goes out before the first of them. */
    async follow(input: unknown, answer: (reply: Followed) => void): Promise<void> {
      const { reply, place } = await locate(input, places, runs)
      answer(reply)
      if (place === undefined || !socket.connected) return
      places.set(place.agentId, place)
      sending.wake(place.agentId)
    },
    unfollow(input: unknown, answer: (reply: Followed) => void): void {
      const asked = Unfollow.safeParse(input)
      if (!asked.success) return answer(MALFORMED)
      places.delete(asked.data.agentId)
      answer({ kind: "unsubscribed", agentId: asked.data.agentId })
    },
    /** Dropped for who cannot take it, or has not all that was said before: the next holds it too. */
    tellDelta({ runId, parentId, text }: RunDelta): void {
      if (!places.has(runId)) return
      const body = { agentId: runId, ...(parentId === undefined ? {} : { parentId }), text }
      // An end is never dropped: what was being written would stand there for good.
      if (text === "") socket.emit("agent:delta", body)
      else if (!sending.isBehind(runId)) socket.volatile.emit("agent:delta", body)
    },
    stop: (): void => places.clear(),
  }
}

/** One page of one run is on its way at a time, and the runs take turns. */
function createSending(deps: Deps, places: Map<string, Place>) {
  const { socket } = deps
  const woken = new Set<string>()
  let inHand: string | undefined
  const isCurrent = (place: Place): boolean => places.get(place.agentId) === place

  async function pump(): Promise<void> {
    // A set is walked to its end, also through what is added meanwhile.
    for (const agentId of woken) {
      woken.delete(agentId)
      const place = places.get(agentId)
      if (place === undefined) continue
      inHand = agentId
      const sent = await sendPage(place, { ...deps, isCurrent })
      inHand = undefined
      if (isCurrent(place)) conclude(agentId, sent)
    }
  }
  function conclude(agentId: string, sent: Sent): void {
    // At the end of the row: a long run does not keep the others waiting.
    if (sent === "more") woken.add(agentId)
    if (sent === "stalled") giveUp()
    if (sent !== "deleted") return
    places.delete(agentId)
    socket.emit("agent:deleted", { agentId, timestamp: deps.clock.now() })
  }
  function giveUp(): void {
    places.clear()
    cut(socket, { reason: "stalled" })
    // No word reaches who does not read: a farewell would wait in the socket for half a minute.
    socket.request.socket.destroy()
  }
  const running = keepRunning(pump, (error) => {
    deps.log.error("live run failed", { error })
    socket.disconnect(true)
  })
  return {
    wake(agentId: string): void {
      if (!places.has(agentId)) return
      woken.add(agentId)
      running.wake()
    },
    isBehind: (agentId: string): boolean => woken.has(agentId) || inHand === agentId,
  }
}

const RunId = Run.shape.id

/** Strict, because a typo must not become a default: without `after` everything comes again. */
const Follow = z.strictObject({
  agentId: RunId,
  after: z.int().nonnegative().default(0),
  brief: z.boolean().default(false),
})
const Unfollow = z.strictObject({ agentId: RunId })

const MALFORMED: Followed = { kind: "refused", reason: "the subscription is malformed" }

async function locate(
  input: unknown,
  places: ReadonlyMap<string, Place>,
  runs: FollowedRuns,
): Promise<{ reply: Followed; place?: Place }> {
  const asked = Follow.safeParse(input)
  if (!asked.success) return { reply: MALFORMED }
  const { agentId, after, brief } = asked.data
  const isOneTooMany = !places.has(agentId) && places.size >= MOST_FOLLOWED_RUNS
  if (isOneTooMany) return refuse(`more than ${MOST_FOLLOWED_RUNS} runs`)
  const run = await findRun(runs, agentId)
  if (run === undefined) return refuse("there is no such run")
  const { lastSeq, status } = run
  // Of another history: the store was restored, and the numbers will be given a second time.
  if (after > lastSeq) return refuse(`the last message is ${lastSeq}; fetch afresh`)
  const place = { agentId, brief, seq: after, told: undefined }
  return { reply: { kind: "subscribed", agentId, lastSeq, status }, place }
}

function refuse(reason: string): { reply: Followed } {
  return { reply: { kind: "refused", reason } }
}
