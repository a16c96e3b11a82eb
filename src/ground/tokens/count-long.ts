import { createThread, invariant, threadModule } from "#ground/base"
import type { TokenEncoding } from "#ground/contract"

/** The slowest texts, one word or characters of Asian scripts, take about 1 µs per character. */
const LONGEST_COUNTED_HERE_CHARACTERS = 50_000

/** The longest text of a call has 50 MB. */
const LONGEST_COUNT_MS = 300_000

export type CountQuestion = { readonly encoding: TokenEncoding; readonly text: string }

export function isLong(text: string): boolean {
  return text.length > LONGEST_COUNTED_HERE_CHARACTERS
}

/** Counts in a thread, which starts at the first text: other requests do not wait meanwhile. */
export function createLongCounter(encoding: TokenEncoding) {
  const thread = createThread<CountQuestion, number>({
    entry: threadModule("ground/tokens/thread/main"),
    heapMb: 1_024,
    longestSilenceMs: LONGEST_COUNT_MS,
  })
  return {
    async count(text: string): Promise<number> {
      const reply = await thread.ask({ encoding, text })
      invariant(reply.kind === "answered", `counting tokens in a thread: ${reply.kind}`)
      return reply.answer
    },
    [Symbol.asyncDispose]: () => thread.end(),
  }
}
