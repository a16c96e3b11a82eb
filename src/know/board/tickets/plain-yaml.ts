/**
 * Parses the subset of YAML that `writeTicket` writes: a full parser takes a millisecond per file,
 * which is seconds for a large board. Returns undefined for everything else, which the full parser
 * then reads.
 */
export function parsePlainYaml(head: string): Readonly<Record<string, unknown>> | undefined {
  const values: Record<string, unknown> = {}
  const lines = head.split("\n")
  if (lines.pop() !== "") return undefined
  let at = 0
  while (at < lines.length) {
    const [, key, rest] = /^([a-z_]{1,30}):(?: (.*))?$/.exec(lines[at] ?? "") ?? []
    if (key === undefined || Object.hasOwn(values, key)) return undefined
    at++
    if (rest !== undefined) {
      const scalar = parseScalar(rest)
      if (scalar === undefined) return undefined
      values[key] = scalar
      continue
    }
    const list = parseList(lines, at)
    if (list === undefined) return undefined
    values[key] = list.items
    at = list.end
  }
  return values
}

type ParsedList = { readonly items: readonly unknown[]; readonly end: number }

/** Items of scalars, or of a `text` and a `done` each. */
function parseList(lines: readonly string[], start: number): ParsedList | undefined {
  const items: unknown[] = []
  let at = start
  for (let line = lines[at]; line?.startsWith("  - "); line = lines[at]) {
    const [, text] = /^ {2}- text: (.*)$/.exec(line) ?? []
    const scalar = parseScalar(text ?? line.slice(4))
    if (scalar === undefined) return undefined
    at++
    if (text === undefined) {
      items.push(scalar)
      continue
    }
    const [, done] = /^ {4}done: (true|false)$/.exec(lines[at] ?? "") ?? []
    if (done === undefined) return undefined
    items.push({ text: scalar, done: done === "true" })
    at++
  }
  return items.length === 0 ? undefined : { items, end: at }
}

/** Plain words that cannot mean anything else in YAML, whole numbers, times and simple quotes. */
function parseScalar(text: string): string | number | undefined {
  if (/^(?:0|[1-9]\d{0,14})(?:\.\d{1,6})?$/.test(text)) return Number(text)
  if (/^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(text)) return text
  const [, quoted] = /^"([^"\\\p{C}]*)"$/u.exec(text) ?? []
  if (quoted !== undefined) return quoted
  const isPlain = /^\p{L}(?:[\p{L}\p{N}_ ,./()'+=;!?&*@$%^~<>|-]*[\p{L}\p{N}_./)!?])?$/u.test(text)
  return isPlain && !/^(?:null|true|false)$/i.test(text) ? text : undefined
}
