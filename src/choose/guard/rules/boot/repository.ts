import { latestLogged, openBelow, readHead } from "#know/ledger"
import { type BootInput, inline, openPlain, quoted } from "./sections.ts"

const MOST_SHOWN_MEMORIES = 3

const MOST_OPENED_MEMORIES = 8

const LARGEST_MEMORY_BYTES = 100_000

const LARGEST_LIST_BYTES = 1024 ** 2

const LARGEST_CHANGELOG_BYTES = 1024 ** 2

const MOST_CHANGELOG_LINES = 10

const MOST_STATE_LINES = 3

export function sessionLines({ context, isShort }: BootInput): readonly string[] {
  const last = latestLogged(context.root)
  if (last === undefined) return []
  const title = `Last registered session: ${last.date} ${inline(last.title)} (${last.file}).`
  if (isShort) return [title]
  const [request = ""] = last.request.split("\n")
  const state = last.finalState.split("\n").filter((it) => it.trim() !== "")
  return [
    title,
    ...(request.trim() === "" ? [] : [quoted(`Request: ${request}`)]),
    ...state
      .slice(0, MOST_STATE_LINES)
      .map((it, index) => quoted(index === 0 ? `State: ${it}` : it)),
  ]
}

export function changelogLines({ context }: BootInput): readonly string[] {
  using folder = openPlain(context.root)
  const read = folder?.read("CHANGELOG.md", { maxBytes: LARGEST_CHANGELOG_BYTES })
  if (read?.kind !== "read") return []
  const lines = unreleased(read.bytes.toString())
  if (lines.length === 0) return []
  const more = lines.length - MOST_CHANGELOG_LINES
  return [
    "Unreleased changes in CHANGELOG.md:",
    ...lines.slice(0, MOST_CHANGELOG_LINES).map(quoted),
    ...(more > 0 ? [`and ${more} more lines in CHANGELOG.md.`] : []),
  ]
}

function unreleased(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  const start = lines.findIndex((it) => /^## +\[?unreleased\b/i.test(it))
  if (start === -1) return []
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((it) => /^#{1,2} /.test(it))
  const own = end === -1 ? rest : rest.slice(0, end)
  const entries = own.filter((it) => it.trim() !== "" && !/^<!--.*-->$/.test(it.trim()))
  return entries.some((it) => !it.startsWith("#")) ? entries : []
}

export function memoryLines({ context }: BootInput): readonly string[] {
  const { places, count } = listedMemories(context.root)
  const lines: string[] = []
  for (const memoryPlace of places.slice(0, MOST_OPENED_MEMORIES)) {
    if (lines.length === MOST_SHOWN_MEMORIES) break
    const head = headAt(context.root, memoryPlace)
    // The index may be older than the memory's state.
    if (head?.state === "confirmed" && head.id !== "")
      lines.push(quoted(`${head.title} [${head.id}]`))
  }
  if (lines.length === 0) return []
  const share = `${lines.length} of ${count} decisions and rules`
  return [`Memory, ${share} (\`qm memory search\` finds more):`, ...lines]
}

type MemoryPlace = { readonly folder: string; readonly name: string }

/** From the generated index, because opening all memories would take too long. */
function listedMemories(root: string): { places: readonly MemoryPlace[]; count: number } {
  using folder = openBelow(root, MEMORY_FOLDER)
  const read = folder?.read("WORKSPACE.md", { maxBytes: LARGEST_LIST_BYTES })
  const text = read?.kind === "read" ? read.bytes.toString() : ""
  const counts = [...text.matchAll(/^## (?:Decisions|Rules) \((\d+)\)$/gm)]
  const [rules = [], decisions = []] = ["rules", "decisions"].map((it) => placesIn(text, it))
  const turns = Array.from({ length: Math.max(rules.length, decisions.length) }, (_, at) => at)
  return {
    places: turns.flatMap((at) => [rules[at] ?? [], decisions[at] ?? []].flat()),
    count: counts.reduce((sum, it) => sum + Number(it[1]), 0),
  }
}

const MEMORY_FOLDER = ".qm/memory"

/** A note after the link marks a memory that is unconfirmed or superseded. */
function placesIn(text: string, folder: string): readonly MemoryPlace[] {
  const links = text.matchAll(new RegExp(`^- \\[.*\\]\\(${folder}/([^()\\s]+)\\)$`, "gm"))
  return [...links].slice(0, MOST_OPENED_MEMORIES).flatMap(([, encoded = ""]) => {
    const name = decoded(encoded)
    return name === undefined ? [] : [{ folder, name }]
  })
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}

function headAt(root: string, { folder, name }: MemoryPlace) {
  using held = openBelow(root, `${MEMORY_FOLDER}/${folder}`)
  const read = held?.read(name, { maxBytes: LARGEST_MEMORY_BYTES })
  return read?.kind === "read" ? readHead(read.bytes.toString()) : undefined
}
