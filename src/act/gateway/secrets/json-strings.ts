/** A string of a JSON text: its place with quotes, and the key it belongs to. */
export type JsonString = {
  readonly from: number
  readonly to: number
  readonly key: string
  /** The key that a string right after this one belongs to. */
  readonly nextKey: string
  /** The bytes before this place decide everything above. */
  readonly decidedAt: number
}

/**
 * The strings of a JSON text in UTF-8, from a place between two strings. Keys are strings too, without
 * a key of their own. Nothing else of the text is read.
 */
export function* jsonStrings(
  body: Buffer,
  { from: start, key: firstKey }: { readonly from: number; readonly key: string },
): Generator<JsonString> {
  // One character for each byte; quotes and backslashes are never part of a longer character.
  const json = body.toString("latin1", start)
  let key = firstKey
  let from = json.indexOf('"')
  while (from !== -1) {
    const to = endOfString(json, from)
    const next = afterSpace(json, to)
    const isKey = json[next] === ":"
    const nextKey = isKey ? body.toString("utf8", start + from + 1, start + to - 1) : key
    const place = { from: start + from, to: start + to, decidedAt: start + next + 1 }
    yield { ...place, key: isKey ? "" : key, nextKey }
    // A list keeps the key of its first element.
    key = nextKey
    from = json.indexOf('"', to)
  }
}

/**
 * After the closing quote. Without one the rest is the string, so that a damaged body is scanned too.
 * A pattern would overflow on strings of megabytes.
 */
function endOfString(json: string, from: number): number {
  let at = json.indexOf('"', from + 1)
  while (at !== -1) {
    let escapes = 0
    while (json[at - 1 - escapes] === "\\") escapes += 1
    if (escapes % 2 === 0) return at + 1
    at = json.indexOf('"', at + 1)
  }
  return json.length + 1
}

function afterSpace(json: string, at: number): number {
  let next = at
  while (next < json.length && " \n\r\t".includes(json[next] ?? "")) next += 1
  return next
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
