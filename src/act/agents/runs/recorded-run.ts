import type { Clock, Ids, Log } from "#ground/base"
import { AgentEvent, type AgentType, type Run } from "#ground/contract"
import type { PrepareRedaction } from "#ground/secrets"
import type { EmittedEvent } from "../agent.ts"
import { messageOfEvent, type NewMessage } from "../event-message.ts"
import { newRun } from "./run-commands.ts"
import { initialProgress, type PriceOf, progressAfter } from "./run-progress.ts"
import { NO_LEASE, updateRun } from "./stores/run-store.ts"
import type { Stores } from "./stores/stores.ts"

type Deps = {
  readonly stores: Stores
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly priceOf: PriceOf
  redact(text: string): string
  redactEvent(event: AgentEvent): unknown
  readonly prepareRedaction?: PrepareRedaction
  contextMessage(run: Run, cwd: string): Promise<NewMessage | undefined>
}

export type RecordedSession = {
  readonly type: AgentType
  readonly cwd: string
  readonly events: AsyncIterable<EmittedEvent>
}

/** Events before the first prompt, which starts the run. */
const MAX_HELD_EVENTS = 1_000

/**
 * Records a session that another program drives, such as an editor: a run that no process works on.
 * It begins with the first prompt. A failure to record is logged and never disturbs the session.
 */
export function createRecorder(deps: Deps) {
  const { stores } = deps
  return ({ type, cwd, events }: RecordedSession) => {
    let run: Run | undefined
    const held: EmittedEvent[] = []
    let progress: ReturnType<typeof initialProgress> | undefined
    let writing: Promise<void> = Promise.resolve()
    let isLost = false

    async function write(emitted: readonly EmittedEvent[], added: readonly NewMessage[] = []) {
      if (run === undefined || progress === undefined || isLost) return
      using _ = await deps.prepareRedaction?.(emitted)
      for (const { event } of emitted) progress = progressAfter(progress, event, deps.priceOf)
      const messages = [...added, ...emitted.map((it) => redacted(it, deps))]
      if (messages.length === 0) return
      const { id } = run
      const change = { ...progress, status: "completed" } as const
      const claim = { runId: id, fence: 0 }
      // A user who sends a turn to the run takes it over; then the rest belongs to that session.
      isLost = !(await stores.messages.append(claim, messages, async (tx) => {
        await tx.run(updateRun(id, change, deps.clock.now()))
        tx.emit("agents.updated", { id, status: "completed" })
      }))
    }
    function enqueue(work: () => Promise<void>): void {
      writing = writing.then(work).catch((error: unknown) => {
        deps.log.warn("could not record a session", { error })
      })
    }
    async function begin(prompt: string): Promise<void> {
      const id = deps.ids.next("run")
      const input = { type, prompt, configuration: { mode: "ask" } } as const
      const made = newRun(input, { id, cwd, at: deps.clock.now() })
      run = { ...made, status: "completed", origin: "imported", startedAt: deps.clock.now() }
      progress = initialProgress(run)
      await stores.runs.add(run, {
        configuration: { mode: "ask" },
        owner: null,
        leaseUntil: NO_LEASE,
      })
      const before = held.splice(0)
      await write(before)
      const context = await deps.contextMessage(run, cwd).catch((error: unknown) => {
        deps.log.warn("could not capture the context of a session", { error })
        return undefined
      })
      if (context !== undefined) await write([], [context])
    }
    const done = (async () => {
      for await (const emitted of events) {
        if (emitted.event.event === "text.delta") continue
        enqueue(async () => {
          if (run !== undefined) await write([emitted])
          else if (held.length < MAX_HELD_EVENTS) held.push(emitted)
        })
      }
      await writing
    })()
    return {
      prompt(text: string): void {
        const content = deps.redact(text)
        enqueue(async () => {
          if (run === undefined) await begin(content)
          await write([], [{ type: "user", role: "user", content, metadata: {} }])
        })
      },
      runId: () => run?.id,
      done,
    }
  }
}

function redacted({ event, raw }: EmittedEvent, deps: Deps): NewMessage {
  const clean = AgentEvent.parse(deps.redactEvent(event))
  const message = messageOfEvent(clean, raw === undefined ? undefined : deps.redact(raw))
  return { ...message, content: deps.redact(message.content) }
}
