/**
 * Every address of the console and what its search says: selection, filters, layer. A value that
 * means nothing here is read as its default, and defaults are not written, so that an address is as
 * short as what it says.
 */

export type EventsSearch = {
  /** Only names that begin so. */
  readonly name: string
  readonly text: string
  /** Sequence number of the selected event. */
  readonly at: number | null
  /** Paused: nothing behind this sequence number is shown. */
  readonly until: number | null
  readonly view: "fields" | "raw"
}

export type SettingsSearch = {
  readonly text: string
  readonly layer: "user" | "project"
  /** Key of the selected setting. */
  readonly at: string
}

export const paths = {
  now: () => "/",
  events: (search: Partial<EventsSearch> = {}) => `/events${formatEvents(search)}`,
  settings: (search: Partial<SettingsSearch> = {}) => `/settings${formatSettings(search)}`,
}

export function parseEvents(search: string): EventsSearch {
  const query = new URLSearchParams(search)
  return {
    name: query.get("name") ?? "",
    text: query.get("text") ?? "",
    at: wholeOrNull(query.get("at")),
    until: wholeOrNull(query.get("until")),
    view: query.get("view") === "raw" ? "raw" : "fields",
  }
}

function formatEvents({ name, text, at, until, view }: Partial<EventsSearch>): string {
  return formatSearch({ name, text, at, until, view: view === "raw" ? view : "" })
}

export function parseSettings(search: string): SettingsSearch {
  const query = new URLSearchParams(search)
  return {
    text: query.get("text") ?? "",
    layer: query.get("layer") === "project" ? "project" : "user",
    at: query.get("at") ?? "",
  }
}

function formatSettings({ text, layer, at }: Partial<SettingsSearch>): string {
  return formatSearch({ text, layer: layer === "project" ? layer : "", at })
}

type Written = Readonly<Record<string, string | number | null | undefined>>

function formatSearch(values: Written): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== "" && value !== null && value !== undefined) query.set(name, String(value))
  }
  return query.size === 0 ? "" : `?${query}`
}

function wholeOrNull(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}
