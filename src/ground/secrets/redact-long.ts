import { createThread, threadModule } from "#ground/base"
import type { RedactedText } from "./redact.ts"
import type { OwnPattern } from "./rules/own-patterns.ts"

/** The longest input of an operation has 1 MB, and each text has at most three forms. */
const LONGEST_REDACTION_MS = 60_000

/** The arguments of the caller's `createSecrets`, so that the thread gives the same results. */
export type RedactionKeys = {
  readonly known: readonly string[]
  readonly patterns: readonly OwnPattern[]
  readonly salt: string
}

export type RedactQuestion = RedactionKeys & { readonly texts: readonly string[] }
export type RedactAnswer = readonly (readonly [text: string, redacted: RedactedText])[]

export type LongRedactor = ReturnType<typeof createLongRedactor>

/**
 * Redacts the texts in a value in a thread if they are long together. Until the result is disposed,
 * `redact` of the same secrets returns the results at once.
 */
export type PrepareRedaction = (value: unknown) => Promise<Disposable>

/** For rooms without a thread, as in tests. */
export const prepareNothing: PrepareRedaction = async () => ({ [Symbol.dispose]() {} })

/** Redacts in a thread, which starts at the first call: other requests do not wait meanwhile. */
export function createLongRedactor() {
  const thread = createThread<RedactQuestion, RedactAnswer>({
    entry: threadModule("ground/secrets/thread/main"),
    heapMb: 512,
    longestSilenceMs: LONGEST_REDACTION_MS,
  })
  let last: Promise<unknown> = Promise.resolve()
  return {
    /**
     * Results by text, also for the forms that rooms redact: without hidden characters, and trimmed.
     * None if the thread fails; then the caller redacts each text itself.
     */
    async redact(
      texts: readonly string[],
      keys: RedactionKeys,
    ): Promise<ReadonlyMap<string, RedactedText>> {
      const pending = last.then(() => thread.ask({ ...keys, texts }))
      last = pending.catch(() => {})
      const reply = await pending
      const answer = reply.kind === "answered" ? reply.answer : []
      // Redacting redacted text changes nothing (SECRETS-3), and rooms do it.
      const again = answer.map(([, { text }]) => [text, { text, findings: [] }] as const)
      return new Map<string, RedactedText>([...again, ...answer])
    },
    [Symbol.asyncDispose]: () => thread.end(),
  }
}
