import type { Heard } from "../../agent.ts"
import { createTelling, type Telling } from "../../wire/telling.ts"

export type Gathering = {
  readonly telling: Telling
  /** What was told since the last time. */
  take(): Promise<readonly Heard[]>
}

/** A session's telling, taken out line by line: a transcript keeps the same form as a live agent. */
export function createGathering(title: string, redact: (text: string) => string): Gathering {
  const telling = createTelling(title, redact)
  telling.unlimit()
  const events = telling.events[Symbol.asyncIterator]()
  return {
    telling,
    async take() {
      const heard: Heard[] = []
      // No transcript holds text as it was being written, so this can only be our own mark.
      telling.say({ event: "text.delta", text: "" })
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        if (next.value.event.event === "text.delta") break
        heard.push(next.value)
      }
      return heard
    },
  }
}
