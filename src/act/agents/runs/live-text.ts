import type { Clock, Log } from "#ground/base"
import type { AgentEvent } from "#ground/contract"
import { beforeOpenBlock } from "../wire/live-output.ts"

export type LiveText = {
  readonly runId: string
  readonly parentId?: string | undefined
  readonly text: string
}

type MessagesListener = (runId: string, lastSeq: number) => void
type TextListener = (it: LiveText) => void

export type RunListeners = ReturnType<typeof createRunListeners>

/** Listeners of this process; other processes learn of messages through the journal. */
export function createRunListeners(log: Log) {
  const onMessages = new Set<MessagesListener>()
  const onText = new Set<TextListener>()
  function each<Listener>(all: ReadonlySet<Listener>, call: (it: Listener) => void): void {
    for (const listener of all) {
      try {
        call(listener)
      } catch (error) {
        // The message is stored; a failing listener must not fail the agent.
        log.error("a listener failed after a message was stored", { error: String(error) })
      }
    }
  }
  return {
    onMessages(listener: MessagesListener): () => void {
      onMessages.add(listener)
      return () => void onMessages.delete(listener)
    },
    onDelta(listener: TextListener): () => void {
      onText.add(listener)
      return () => void onText.delete(listener)
    },
    notifyMessages: (runId: string, lastSeq: number) =>
      each(onMessages, (listener) => listener(runId, lastSeq)),
    notifyText: (it: LiveText) => each(onText, (listener) => listener(it)),
  }
}

/** Redacting a longer text repeatedly would cost too much. */
const MAX_LIVE_CHARACTERS = 200_000

type Deps = {
  readonly clock: Clock
  redact(text: string): string
  notify(text: string, parentId: string | undefined): void
}

/**
 * The text that an agent is writing, before it is a message. A secret may arrive in chunks, so the
 * whole text is redacted each time, without its last unfinished word and without an unfinished key.
 * Sent at most every 50 ms, less often the longer it is.
 */
export function createLiveText({ clock, redact, notify }: Deps) {
  const texts = new Map<string, string>()
  const changed = new Set<string>()
  const closing = new AbortController()
  let isWaiting = false

  const parentOf = (key: string): string | undefined => (key === "" ? undefined : key)
  function sendChanged(): void {
    for (const key of changed) {
      const text = texts.get(key) ?? ""
      if (text.length > MAX_LIVE_CHARACTERS) continue
      notify(redact(beforeOpenBlock(wholeWords(text))).slice(-16_000), parentOf(key))
    }
    changed.clear()
  }
  async function sendSoon(): Promise<void> {
    if (isWaiting) return
    isWaiting = true
    const longest = Math.max(0, ...[...changed].map((key) => texts.get(key)?.length ?? 0))
    try {
      await clock.sleep(50 + longest / 1_000, closing.signal)
    } catch {
      return
    }
    isWaiting = false
    sendChanged()
  }
  function clear(key: string): void {
    if (!texts.delete(key)) return
    changed.delete(key)
    notify("", parentOf(key))
  }
  return {
    take(event: AgentEvent): void {
      if (event.event === "text.delta") {
        const key = event.parentId ?? ""
        texts.set(key, (texts.get(key) ?? "") + event.text)
        changed.add(key)
        void sendSoon()
      }
      if (event.event === "message") clear(event.parentId ?? "")
      if (event.event === "turn.ended") for (const key of texts.keys()) clear(key)
    },
    close(): void {
      closing.abort()
      for (const key of texts.keys()) clear(key)
    },
  }
}

/** Up to the last space: the rest may be the first half of a secret. */
function wholeWords(text: string): string {
  return text.slice(0, text.search(/\s\S*$/) + 1)
}
