export type XmlToken =
  | { readonly kind: "open"; readonly name: string; attribute(name: string): string | undefined }
  | { readonly kind: "close"; readonly name: string }
  | { readonly kind: "text"; readonly text: string }

/** Tags and texts in order, in linear time; an empty element is opened and closed. No entity is resolved but the five. */
export function* xmlTokens(xml: string): Generator<XmlToken> {
  let at = 0
  while (at < xml.length) {
    const start = xml.indexOf("<", at)
    if (start === -1) return
    if (start > at) yield { kind: "text", text: decoded(xml.slice(at, start)) }
    if (xml.startsWith("<!--", start)) {
      at = endOf(xml, "-->", start)
      continue
    }
    const end = xml.indexOf(">", start)
    if (end === -1) return
    const tag = xml.slice(start + 1, end)
    at = end + 1
    if (tag.startsWith("?") || tag.startsWith("!")) continue
    if (tag.startsWith("/")) {
      yield { kind: "close", name: tag.slice(1).trim() }
      continue
    }
    const isEmpty = tag.endsWith("/")
    const name = /^[^\s/>]+/.exec(tag)?.[0] ?? ""
    yield { kind: "open", name, attribute: (key) => attributeOf(tag, key) }
    if (isEmpty) yield { kind: "close", name }
  }
}

function endOf(xml: string, mark: string, from: number): number {
  const end = xml.indexOf(mark, from)
  return end === -1 ? xml.length : end + mark.length
}

function attributeOf(tag: string, name: string): string | undefined {
  for (const quote of ['"', "'"]) {
    const begin = tag.indexOf(` ${name}=${quote}`)
    if (begin === -1) continue
    const from = begin + name.length + 3
    const end = tag.indexOf(quote, from)
    return end === -1 ? undefined : decoded(tag.slice(from, end))
  }
  return undefined
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
}

function decoded(text: string): string {
  if (!text.includes("&")) return text
  return text.replaceAll(/&(?:#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,4});/gi, characterOf)
}

function characterOf(entity: string): string {
  const name = entity.slice(1, -1)
  if (!name.startsWith("#")) return NAMED[name] ?? entity
  const isHex = /^#x/i.test(name)
  const code = isHex ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ""
}
