import type { RawItem } from "./raw-item.ts"

type TurnFacts = {
  readonly lines: readonly KnownLine[]
  readonly servers: ReadonlySet<string>
}

const STARTS = new RegExp(
  `(?<=^|\\n\\n)(?:${[
    "(?<hook>[A-Z][A-Za-z]{2,40}(?::[^\\n]{0,100}?)? hook (?:success|additional context|blocking error|stopped continuation|error|feedback))",
    "(?<environment># Environment\\n)",
    "(?<model>You are powered by the model )",
    "(?<date>Today's date is )",
    "(?<style># Output Style: [^\\n]{0,200})",
    "(?<styleNote>[^\\n]{1,100} output style is active\\.)",
    "(?<deferred>The following deferred tools )",
    "(?<agents>Available agent types)",
    "(?<servers># MCP Server Instructions)",
    "(?<skills>The following skills are available)",
    "(?<mode>While [^\\n]{1,100} mode is active:)",
  ].join("|")})`,
  "g",
)

/**
 * Splits a system turn of the host: hooks, environment, lists of tools, agents, skills, server
 * instructions. Unknown text stays a system item.
 */
export function turnItems(turn: string, facts: TurnFacts): readonly RawItem[] {
  const text = turn.trim()
  const starts = [...text.matchAll(STARTS)]
  const before = text.slice(0, starts[0]?.index ?? text.length)
  const sections = starts.flatMap((match, index) => {
    const end = starts[index + 1]?.index ?? text.length
    return sectionItems(match, text.slice(match.index, end).trim(), facts)
  })
  return [...plain(before), ...sections]
}

function plain(text: string, name = "system"): readonly RawItem[] {
  const trimmed = text.trim()
  return trimmed === "" ? [] : [{ kind: "system", name, text: trimmed }]
}

function sectionItems(
  { groups = {} }: RegExpExecArray,
  text: string,
  facts: TurnFacts,
): readonly RawItem[] {
  const [section = "", words = ""] =
    Object.entries(groups).find(([, value]) => value !== undefined) ?? []
  switch (section) {
    case "hook":
      return [hookItem(words.slice(0, words.indexOf(" hook ")), text)]
    case "environment":
    case "model":
    case "date":
      return paragraph(text, { kind: "environment", name: section })
    case "style":
      return [{ kind: "style", name: words.slice("# Output Style: ".length), text }]
    case "styleNote":
      return paragraph(text, { kind: "style", name: words.replace(/ output style.*/, "") })
    case "deferred":
      return deferredTools(text)
    case "agents":
      return list(text, "agent", facts)
    case "skills":
      return list(text, "skill", facts)
    case "servers":
      return serverItems(text, facts)
    default:
      return plain(text, "mode")
  }
}

function hookItem(name: string, text: string): RawItem {
  const [event = name] = name.split(":", 1)
  return { kind: "hook", name, text, why: `at ${event}` }
}

function paragraph(text: string, what: Pick<RawItem, "kind" | "name">): readonly RawItem[] {
  const end = text.indexOf("\n\n")
  if (end === -1) return [{ ...what, text }]
  return [{ ...what, text: text.slice(0, end) }, ...plain(text.slice(end))]
}

function deferredTools(text: string): readonly RawItem[] {
  const end = text.indexOf("\n\n")
  const block = end === -1 ? text : text.slice(0, end)
  const [sentence = "", ...names] = block.split("\n")
  return [
    ...plain(sentence, "deferred tools"),
    ...names
      .filter((it) => it.trim() !== "")
      .map((it): RawItem => ({ kind: "tool", name: it.trim(), text: it, isDeferred: true })),
    ...plain(end === -1 ? "" : text.slice(end)),
  ]
}

function list(text: string, kind: "skill" | "agent", { lines }: TurnFacts): readonly RawItem[] {
  const at = text.search(/\n- /)
  if (at === -1) return plain(text, `${kind}s`)
  const { items, rest } = listedItems(text.slice(at + 1), { kind, known: lines })
  return [...plain(text.slice(0, at), `${kind}s`), ...items, ...plain(rest)]
}

/** `## name` begins the text of a server, if there is such a server. */
function serverItems(text: string, { servers }: TurnFacts): readonly RawItem[] {
  const headings = [...text.matchAll(/(?<=\n)## (.{1,200})\n/g)].filter(
    (it, index) => index === 0 || servers.has(serverWord(it[1] ?? "")),
  )
  const [first] = headings
  if (first === undefined) return plain(text, "servers")
  const items = headings.map((match, index): RawItem => {
    const end = headings[index + 1]?.index ?? text.length
    return { kind: "server", name: match[1] ?? "server", text: text.slice(match.index, end).trim() }
  })
  return [...plain(text.slice(0, first.index), "servers"), ...items]
}

export function serverWord(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_")
}

/** The line by which a host lists a skill or agent on this disk. */
export type KnownLine = { readonly path: string; readonly sent: string }

type KnownListing = {
  readonly kind: "skill" | "agent"
  readonly known: readonly KnownLine[]
}

/**
 * Each `- name: description` is an item. Descriptions may span lines and look like further entries;
 * a line known from the disk is one item.
 */
export function listedItems(text: string, { kind, known }: KnownListing) {
  const linesByStart = new Map<string, KnownLine[]>()
  for (const line of known) {
    const start = lineAt(line.sent)
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

function lineAt(text: string, from = 0): string {
  const end = text.indexOf("\n", from)
  return end === -1 ? text.slice(from) : text.slice(from, end)
}

/** The longest known line that starts here and ends where an entry may end. */
function knownAt(
  text: string,
  at: number,
  linesByStart: ReadonlyMap<string, readonly KnownLine[]>,
): KnownLine | undefined {
  const fitting = (linesByStart.get(lineAt(text, at)) ?? []).filter(({ sent }) => {
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

function entry(kind: KnownListing["kind"], text: string, line: KnownLine | undefined): RawItem {
  const [, name = kind] = /^- (.+?)(?:: |$)/m.exec(text) ?? []
  return {
    kind,
    name,
    text,
    ...(line === undefined ? {} : { path: line.path, isConfirmed: true }),
  }
}
