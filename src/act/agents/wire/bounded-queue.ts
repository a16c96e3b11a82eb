import type { EmittedEvent } from "../agent.ts"

export const MAX_QUEUED_EVENTS = 1_000
/** A thousand events may each be as long as a line. */
const MAX_QUEUED_CHARACTERS = 8 * 1024 * 1024

/** For the one reader of a session; a full queue makes the host wait. */
export function createBoundedQueue() {
  const events: EmittedEvent[] = []
  let characters = 0
  let hasEnded = false
  let isUnlimited = false
  let wakeReader = (): void => {}
  const waitingWriters: (() => void)[] = []

  const isFull = (): boolean =>
    !isUnlimited && (events.length >= MAX_QUEUED_EVENTS || characters > MAX_QUEUED_CHARACTERS)
  function releaseWriters(): void {
    for (const wake of waitingWriters.splice(0)) wake()
  }
  function removeLimit(): void {
    isUnlimited = true
    releaseWriters()
  }
  async function* read(): AsyncGenerator<EmittedEvent> {
    try {
      for (;;) {
        while (events.length === 0 && !hasEnded) {
          await new Promise<void>((resolve) => (wakeReader = resolve))
        }
        const next = events.shift()
        if (next === undefined) return
        characters -= sizeOf(next)
        if (!isFull()) releaseWriters()
        yield next
      }
    } finally {
      hasEnded = true
      removeLimit()
    }
  }
  return {
    events: read(),
    push(event: EmittedEvent): void {
      if (hasEnded) return
      events.push(event)
      characters += sizeOf(event)
      wakeReader()
    },
    end(): void {
      hasEnded = true
      wakeReader()
      removeLimit()
    },
    removeLimit,
    async waitForRoom(): Promise<void> {
      while (isFull()) await new Promise<void>((resolve) => waitingWriters.push(resolve))
    },
  }
}

function sizeOf({ event, raw }: EmittedEvent): number {
  return (raw?.length ?? 0) + ("text" in event ? event.text.length : 0)
}
