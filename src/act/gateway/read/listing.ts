import type { RawItem } from "./raw-item.ts"

/** The line by which a host lists a skill or an agent of this disk. */
export type KnownLine = { readonly path: string; readonly sent: string }

type Listing = {
  readonly kind: "skill" | "agent"
  readonly known: readonly KnownLine[]
}

/**
 * Entries `- name: description` of a list, each a piece. A description may run over lines, and one
 * of this disk may look like further entries: where its exact line is known it is one piece.
 */
export function listedItems(text: string, { kind, known }: Listing) {
  const linesByStart = new Map<string, KnownLine[]>()
  for (const line of known) {
    const start = firstLine(line.sent)
    linesByStart.set(start, [...(linesByStart.get(start) ?? []), line])
  }
  const items: RawItem[] = []
  let at = 0
  while (text.startsWith("- ", at)) {
    const line = knownAt(text, at, linesByStart)
    const end = line === undefined ? endOfEntry(text, at) : at + line.sent.length
    items.push(entry(kind, text.slice(at, end), line))
    at = text.startsWith("\n- ", end) ? end + 1 : end
  }
  return { items, rest: text.slice(at) }
}

function firstLine(text: string, from = 0): string {
  const end = text.indexOf("\n", from)
  return end === -1 ? text.slice(from) : text.slice(from, end)
}

/** The longest that stands here and ends where an entry may end. */
function knownAt(
  text: string,
  at: number,
  linesByStart: ReadonlyMap<string, readonly KnownLine[]>,
): KnownLine | undefined {
  const fitting = (linesByStart.get(firstLine(text, at)) ?? []).filter(({ sent }) => {
    const end = at + sent.length
    return (
      text.startsWith(sent, at) &&
      (end === text.length || /^\n(?:\n|- )/.test(text.slice(end, end + 3)))
    )
  })
  return fitting.toSorted((a, b) => b.sent.length - a.sent.length)[0]
}

/** Up to the next entry or an empty line. */
function endOfEntry(text: string, at: number): number {
  const next = /\n(?=- |\n)/g
  next.lastIndex = at
  return next.exec(text)?.index ?? text.length
}

function entry(kind: Listing["kind"], text: string, line: KnownLine | undefined): RawItem {
  const [, name = kind] = /^- (.+?)(?:: |$)/m.exec(text) ?? []
  return {
    kind,
    name,
    text,
    ...(line === undefined ? {} : { path: line.path, isConfirmed: true }),
  }
}
