/** A value whose keys are known only at run time: parsed JSON, TOML, YAML or a message. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Arrays are not records. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
