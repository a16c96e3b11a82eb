import { z } from "zod"
import type { Clock, Log } from "#ground/base"
import { type Cursor, GatewayShow } from "#ground/contract"
import type { Store } from "#ground/store"
import type { App } from "#show/app"
import { keepRunning } from "../live/delivery.ts"
import type { OtlpExporter } from "./otlp-exporter.ts"
import { spanOfRequest, spansOfTurns } from "./spans.ts"

const PAGE_EVENTS = 500
const PAGE_MESSAGES = 1_000
/** Runs whose position is remembered; a forgotten run begins at its next turn. */
const MAX_FOLLOWED_RUNS = 1_000

type FollowDeps = {
  readonly app: App
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly exporter: Pick<OtlpExporter, "add">
}

const RunBody = z.object({ id: z.string() })
const RequestBody = z.object({ proxiedSession: z.string(), seq: z.int() })

/**
 * Exports turns and gateway requests that end from now on, of every process that shares the store.
 * Returns a function that stops it.
 */
export function followForTelemetry(deps: FollowDeps): () => void {
  const { journal, onAdvance } = deps.store
  const startedAt = deps.clock.now()
  const positions = new Map<string, number>()
  let cursor: Cursor | undefined
  let isOver = false

  async function exportTurns(id: string): Promise<void> {
    const agents = await deps.app.agents()
    const run = await agents.get(id)
    const after = positions.get(id) ?? 0
    const messages = await agents.messages(id, { after, limit: PAGE_MESSAGES })
    const { spans, lastSeq } = spansOfTurns(run, messages)
    if (positions.size >= MAX_FOLLOWED_RUNS) positions.delete(positions.keys().next().value ?? "")
    const isFull = messages.length === PAGE_MESSAGES
    // A turn of more messages than a page is exported without its first tools.
    const reached = isFull && lastSeq <= after ? (messages.at(-1)?.seq ?? after) : lastSeq
    positions.set(id, Math.max(after, reached))
    deps.exporter.add(spans.filter((it) => it.endMs >= startedAt))
    if (isFull) await exportTurns(id)
  }
  async function exportRequest(proxiedSession: string, seq: number): Promise<void> {
    const { signal } = new AbortController()
    const shown = await deps.app.call("gateway.show", { id: proxiedSession }, { signal })
    const { sessions, requests } = GatewayShow.parse(shown)
    const request = requests.find((it) => it.proxiedSession === proxiedSession && it.seq === seq)
    const wire = sessions.find((it) => it.id === proxiedSession)?.wire
    if (request !== undefined) deps.exporter.add([spanOfRequest(request, wire ?? "unknown")])
  }
  async function take(name: string, body: unknown): Promise<void> {
    if (name === "agents.updated") await exportTurns(RunBody.parse(body).id)
    if (name === "gateway.recorded") {
      const { proxiedSession, seq } = RequestBody.parse(body)
      await exportRequest(proxiedSession, seq)
    }
  }
  async function pump(): Promise<void> {
    cursor ??= await journal.head()
    while (!isOver) {
      const page = await journal.read({ after: cursor, limit: PAGE_EVENTS })
      if (page.kind !== "entries") {
        cursor = page.head
        return
      }
      for (const { name, body } of page.entries) {
        // A deleted run or request has nothing to export.
        await take(name, body).catch((error: unknown) => {
          deps.log.debug("an event was not exported as telemetry", { name, error })
        })
      }
      cursor = page.next
      if (page.entries.length < PAGE_EVENTS) return
    }
  }
  const running = keepRunning(pump, (error) => deps.log.error("telemetry stopped", { error }))
  const stop = onAdvance(running.wake)
  running.wake()
  return () => {
    isOver = true
    stop()
  }
}
