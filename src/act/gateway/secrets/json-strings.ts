/** A string of a JSON text: its place with quotes, its value, and the key it belongs to. */
export type JsonString = {
  readonly from: number
  readonly to: number
  readonly raw: string
  readonly key: string
}

/** Keys are strings too, without a key of their own. Nothing else of the text is read. */
export function* jsonStrings(json: string): Generator<JsonString> {
  let key = ""
  let from = json.indexOf('"')
  while (from !== -1) {
    const to = endOfString(json, from)
    if (to === -1) return
    const raw = json.slice(from + 1, to - 1)
    const isKey = isBeforeColon(json, to)
    yield { from, to, raw, key: isKey ? "" : key }
    // A list keeps the key of its first element.
    if (isKey) key = raw
    from = json.indexOf('"', to)
  }
}

/** After the closing quote; -1 if there is none. A pattern would overflow on strings of megabytes. */
function endOfString(json: string, from: number): number {
  let at = json.indexOf('"', from + 1)
  while (at !== -1) {
    let escapes = 0
    while (json[at - 1 - escapes] === "\\") escapes += 1
    if (escapes % 2 === 0) return at + 1
    at = json.indexOf('"', at + 1)
  }
  return -1
}

function isBeforeColon(json: string, at: number): boolean {
  let next = at
  while (next < json.length && " \n\r\t".includes(json[next] ?? "")) next += 1
  return json[next] === ":"
}

/** Undefined when it is not valid JSON: then it cannot be read, and must not be changed. */
export function decodeString(raw: string): string | undefined {
  if (!raw.includes("\\")) return raw
  try {
    const value: unknown = JSON.parse(`"${raw}"`)
    return typeof value === "string" ? value : undefined
  } catch {
    return undefined
  }
}

export function encodeString(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}
