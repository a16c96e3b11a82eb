import type { Random } from "#ground/base"
import { type RedactedStructure, redactStructure, type StructureOptions } from "./json.ts"
import type { Redacted } from "./marker.ts"
import { createRedactor } from "./redact.ts"

export type { SecretFinding } from "./marker.ts"
export type Secrets = ReturnType<typeof createSecrets>

/** Finds secrets and replaces them. `known` are values to find wherever they stand. */
export function createSecrets(deps: { random: Random; known?: readonly string[] }) {
  const { redact, hashOf } = createRedactor({ random: deps.random, known: deps.known ?? [] })
  return {
    /** Clean text comes back as it is. */
    redact: (text: string): Redacted => redact(text),
    /** The same structure with its strings redacted, and whole values under secret names. */
    redactJson: (value: unknown, options: StructureOptions = {}): RedactedStructure =>
      redactStructure(value, { ...options, redact: (text) => redact(text), hashOf }),
  }
}
