/** What all addresses share: how values are written into a search, and read back. */

type Written = Readonly<Record<string, string | number | readonly string[] | null | undefined>>

export function formatSearch(values: Written): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    const all = typeof value === "string" || typeof value === "number" ? [value] : (value ?? [])
    for (const one of all) if (one !== "") query.append(name, String(one))
  }
  return query.size === 0 ? "" : `?${query}`
}

export function wholeOrNull(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}

export function oneOf<One extends string>(
  all: readonly One[],
  given: string | null,
): One | undefined {
  return all.find((it) => it === given)
}
