/** A value whose keys are unknown at compile time: parsed JSON, TOML, YAML or a message. */
export type JsonRecord = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** An empty record for anything else, so that unknown fields can be read by name. */
export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}
