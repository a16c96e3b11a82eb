import type { Random } from "#ground/base"
import { type RedactedStructure, redactStructure, type StructureOptions } from "./encodings/json.ts"
import { createRedactor, type RedactedText } from "./redact.ts"
import type { OwnPattern } from "./rules/own-patterns.ts"

export type { SecretFinding } from "./redact.ts"
export type Secrets = ReturnType<typeof createSecrets>

export function createSecrets(deps: {
  readonly random: Random
  readonly known?: readonly string[]
  /** The user's own formats. */
  readonly patterns?: readonly OwnPattern[]
  /**
   * For callers that compare texts of different days; without it each instance has its own salt.
   */
  readonly salt?: string
  /** Results that a thread computed before, by `prepare` of the caller. */
  readonly prepared?: (text: string) => RedactedText | undefined
}) {
  const {
    redact: search,
    hashOf,
    locate,
  } = createRedactor({
    ...deps,
    known: deps.known ?? [],
    patterns: deps.patterns ?? [],
  })
  // Taken out of `deps`, which has the known values and must not be kept (SECRETS-9).
  const { prepared } = deps
  const redact = (text: string): RedactedText => prepared?.(text) ?? search(text)
  return {
    redact,
    locate,
    redactJson: (value: unknown, options: StructureOptions = {}): RedactedStructure =>
      redactStructure(value, { ...options, redact, hashOf }),
  }
}
