import type { Clock } from "#ground/base"
import type { AgentEvent } from "#ground/contract"
import { DELTA_EVERY_MS, LONGEST_DELTA_CHARACTERS, SHOWN_DELTA_CHARACTERS } from "../../limits.ts"
import { beforeOpenBlock } from "../../wire/live-output.ts"

type Deps = {
  readonly clock: Clock
  redact(text: string): string
  tell(text: string, parentId: string | undefined): void
}

/**
 * What an agent is writing, before it is a message. A secret may come in pieces, so each time the
 * whole text is redacted, without its last, unfinished word and without a key that has no end yet;
 * and it is told at most so often, less often the longer it is.
 */
export function createDeltas({ clock, redact, tell }: Deps) {
  const texts = new Map<string, string>()
  const fresh = new Set<string>()
  const over = new AbortController()
  let isWaiting = false

  function tellFresh(): void {
    for (const key of fresh) {
      const text = texts.get(key) ?? ""
      if (text.length > LONGEST_DELTA_CHARACTERS) continue
      tell(redact(beforeOpenBlock(wholeWords(text))).slice(-SHOWN_DELTA_CHARACTERS), nameOf(key))
    }
    fresh.clear()
  }
  async function tellSoon(): Promise<void> {
    if (isWaiting) return
    isWaiting = true
    const longest = Math.max(0, ...[...fresh].map((key) => texts.get(key)?.length ?? 0))
    try {
      await clock.sleep(DELTA_EVERY_MS + longest / 1_000, over.signal)
    } catch {
      return
    }
    isWaiting = false
    tellFresh()
  }
  function clear(key: string): void {
    if (!texts.delete(key)) return
    fresh.delete(key)
    tell("", nameOf(key))
  }
  return {
    hear(event: AgentEvent): void {
      if (event.event === "text.delta") {
        const key = event.parentId ?? ""
        texts.set(key, (texts.get(key) ?? "") + event.text)
        fresh.add(key)
        void tellSoon()
      }
      if (event.event === "message") clear(event.parentId ?? "")
      if (event.event === "turn.ended") for (const key of texts.keys()) clear(key)
    },
    close(): void {
      over.abort()
      for (const key of texts.keys()) clear(key)
    },
  }
}

function nameOf(key: string): string | undefined {
  return key === "" ? undefined : key
}

/** Up to the last space: what follows may be the first half of a secret. */
function wholeWords(text: string): string {
  return text.slice(0, text.search(/\s\S*$/) + 1)
}
