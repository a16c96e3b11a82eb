import type { Heard } from "../agent.ts"
import { MOST_WAITING_CHARACTERS, MOST_WAITING_EVENTS } from "./limits.ts"

export type Outbox = ReturnType<typeof createOutbox>

/** What waits for the one reader of a session, with a way to wait until there is room again. */
export function createOutbox() {
  const box: Box = {
    waiting: [],
    characters: 0,
    isOver: false,
    isUnlimited: false,
    wakeReader() {},
    wakeWriters: [],
  }
  return {
    events: read(box),
    push(heard: Heard): void {
      if (box.isOver) return
      box.waiting.push(heard)
      box.characters += sizeOf(heard)
      box.wakeReader()
    },
    end(): void {
      box.isOver = true
      box.wakeReader()
      unlimit(box)
    },
    /** From now on nobody waits for room: only the last words are to come. */
    unlimit: () => unlimit(box),
    async room(): Promise<void> {
      while (isFull(box)) await new Promise<void>((resolve) => box.wakeWriters.push(resolve))
    },
  }
}

type Box = {
  readonly waiting: Heard[]
  characters: number
  isOver: boolean
  isUnlimited: boolean
  wakeReader: () => void
  wakeWriters: (() => void)[]
}

async function* read(box: Box): AsyncGenerator<Heard> {
  try {
    for (let next = await take(box); next !== undefined; next = await take(box)) yield next
  } finally {
    // The reader has gone: what is still said is dropped, and nobody waits for it.
    box.isOver = true
    unlimit(box)
  }
}

/** The next event, as soon as there is one; undefined at the end. */
async function take(box: Box): Promise<Heard | undefined> {
  while (box.waiting.length === 0 && !box.isOver) {
    await new Promise<void>((resolve) => Object.assign(box, { wakeReader: resolve }))
  }
  const next = box.waiting.shift()
  Object.assign(box, { characters: box.characters - (next === undefined ? 0 : sizeOf(next)) })
  if (!isFull(box)) letWritersGo(box)
  return next
}

function isFull(box: Box): boolean {
  const isMuch =
    box.waiting.length >= MOST_WAITING_EVENTS || box.characters > MOST_WAITING_CHARACTERS
  return isMuch && !box.isUnlimited
}

function unlimit(box: Box): void {
  Object.assign(box, { isUnlimited: true })
  letWritersGo(box)
}

function letWritersGo(box: Box): void {
  const woken = box.wakeWriters.splice(0)
  for (const wake of woken) wake()
}

/** The raw line is the longest part of an event, and the rest comes from it. */
function sizeOf(heard: Heard): number {
  const { event, raw } = heard
  return (raw?.length ?? 0) + ("text" in event ? event.text.length : 0)
}
