import { type Log, withoutHiddenSigns } from "#ground/base"
import type { Secrets } from "#ground/secrets"
import { ScrubFailed } from "./errors.ts"

/** Passes texts of one call and counts what it replaced in them. */
export type Scrub = {
  text(text: string): string
  texts(texts: readonly string[]): string[]
  redactions(): number
}

/** Whatever goes wrong with the scrubber, nothing passes. */
export async function openScrub(deps: {
  secrets(): Promise<Pick<Secrets, "redact">>
  log: Log
}): Promise<Scrub> {
  let replaced = 0
  const fail = (error: unknown): Error => {
    // The words of the failure may hold the text, so only its name is told.
    const name = error instanceof Error ? error.name : typeof error
    deps.log.error("secrets could not be looked for", { name })
    return ScrubFailed({})
  }
  const redact = await deps.secrets().then(
    (it) => it.redact,
    (error: unknown) => {
      throw fail(error)
    },
  )
  const text = (given: string): string => {
    try {
      const passed = scrubbed(given, redact)
      replaced += passed.secrets
      return passed.text
    } catch (error) {
      throw fail(error)
    }
  }
  return { text, texts: (given) => given.map(text), redactions: () => replaced }
}

/**
 * Clean text comes back as it is, hidden signs and all. One that hides a secret between hidden
 * signs loses both.
 */
function scrubbed(
  given: string,
  redact: Secrets["redact"],
): { readonly text: string; readonly secrets: number } {
  const first = redact(given)
  const cleaned = withoutHiddenSigns(first.text)
  if (cleaned === first.text) return { text: first.text, secrets: first.findings.length }
  const second = redact(cleaned)
  const hasHidden = second.findings.length > 0
  return {
    text: hasHidden ? second.text : first.text,
    secrets: first.findings.length + second.findings.length,
  }
}
