/** Where a link of an agent leads, or undefined where it may not lead anywhere. */
export type SafeLink = {
  readonly href: string
  /** Shown beside the link, because its words may say something else. */
  readonly place: string
}

const PROTOCOLS = new Set(["http:", "https:", "mailto:"])

export function safeLink(href: string): SafeLink | undefined {
  // A relative address would lead into this console.
  if (!URL.canParse(href)) return undefined
  const url = new URL(href)
  if (!PROTOCOLS.has(url.protocol)) return undefined
  return { href: url.href, place: url.protocol === "mailto:" ? url.pathname : url.host }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
}

export function resolveReferences(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (whole, ...groups) => {
    const [decimal, hex, name] = groups.map((it) => (typeof it === "string" ? it : ""))
    if (name) return NAMED[name.toLowerCase()] ?? whole
    const point = decimal ? Number(decimal) : Number.parseInt(hex ?? "", 16)
    const isCharacter = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
    return isCharacter ? String.fromCodePoint(point) : whole
  })
}
