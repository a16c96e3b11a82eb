export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A table inside a table; an empty one when there is something else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** The texts of a list; undefined when it is no list of texts. */
export function textsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const texts = value.filter((it) => typeof it === "string")
  return texts.length === value.length ? texts : undefined
}
