import type { Clock, Log } from "#ground/base"

/** Longer text is not streamed: redacting it repeatedly would cost too much. */
const LONGEST_TOLD_CHARACTERS = 200_000

const TEXT_EVERY_MS = 50

export type PipelineText = {
  readonly id: string
  readonly stage: number
  readonly activityId: string
  readonly text: string
}

export type LiveText = ReturnType<typeof createLiveText>

export function createLiveText(deps: {
  readonly clock: Clock
  readonly log: Log
  redact(text: string): string
}) {
  const onText = createListeners<PipelineText>(deps.log)
  const onChange = createListeners<{ readonly id: string; readonly seq: number }>(deps.log)
  return {
    onText: onText.add,
    onChange: onChange.add,
    changed: (id: string, seq: number): void => onChange.tell({ id, seq }),
    /** Redacted as a whole, because part of a secret would not be recognized. */
    writing(of: Omit<PipelineText, "text">) {
      let toldAt: number | undefined
      return {
        grown(soFar: string): void {
          const now = deps.clock.monotonicMs()
          const isSoon = toldAt !== undefined && now - toldAt < TEXT_EVERY_MS
          if (isSoon || soFar.length > LONGEST_TOLD_CHARACTERS) return
          toldAt = now
          // Without the last word, which may be an incomplete key.
          onText.tell({ ...of, text: deps.redact(soFar.replace(/(?<!\S)\S+$/, "")) })
        },
        ended(): void {
          if (toldAt !== undefined) onText.tell({ ...of, text: "" })
        },
      }
    },
  }
}

function createListeners<Told>(log: Log) {
  const listeners = new Set<(told: Told) => void>()
  return {
    add(listener: (told: Told) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell(event: Told): void {
      for (const listener of listeners) {
        try {
          listener(event)
        } catch (error) {
          log.warn("a pipeline listener failed", { error: String(error) })
        }
      }
    },
  }
}
