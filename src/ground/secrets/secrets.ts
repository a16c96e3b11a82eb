import type { Random } from "#ground/base"
import { type RedactedStructure, redactStructure, type StructureOptions } from "./json.ts"
import { createRedactor, type Redacted } from "./redact.ts"

export type { SecretFinding } from "./redact.ts"
export type Secrets = ReturnType<typeof createSecrets>

/** Finds secrets and replaces them. `known` are values to find wherever they stand. */
export function createSecrets(deps: {
  readonly random: Random
  readonly known?: readonly string[]
  /** Kept by who compares texts of different days; without it each instance has its own. */
  readonly salt?: string
}) {
  const { redact, hashOf } = createRedactor({ ...deps, known: deps.known ?? [] })
  return {
    /** Clean text comes back as it is. */
    redact: (text: string): Redacted => redact(text),
    /** The same structure with its strings redacted, and whole values under secret names. */
    redactJson: (value: unknown, options: StructureOptions = {}): RedactedStructure =>
      redactStructure(value, { ...options, redact: (text) => redact(text), hashOf }),
  }
}
