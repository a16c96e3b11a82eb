import type { PlannedTicket, SwarmPlan, Ticket } from "#ground/contract"

export const MOST_WORKSTREAMS = 5

type LeftTicket = SwarmPlan["left"][number]

type Partition = {
  readonly left: SwarmPlan["left"]
  readonly workstreams: readonly Pick<Stream, "name" | "tickets">[]
}

type PartitionOptions = {
  readonly most: number
  /** Open workstreams of the same swarm: they get no further tickets. */
  readonly open?: readonly { readonly name: string; readonly tickets: readonly PlannedTicket[] }[]
  /** Number of workstreams that the swarm ever had, so that no name is used twice. */
  readonly named?: number
}

/**
 * In rank order: a ticket joins the workstream whose files it touches, gets a new one, or the
 * shortest. A ticket that touches files of two workstreams, or of an open one, is left for later.
 */
export function partitionTickets(
  tickets: readonly PlannedTicket[],
  { most, open = [], named = 0 }: PartitionOptions,
): Partition {
  const openStreams = open.map(({ name, tickets: own }) => ({
    name,
    files: new Set(own.flatMap(filesOf)),
  }))
  const streams: Stream[] = []
  const left: LeftTicket[] = []
  const limit = Math.min(most, MOST_WORKSTREAMS) - openStreams.length
  for (const ticket of tickets) {
    const files = filesOf(ticket)
    const touches = (it: { readonly files: ReadonlySet<string> }) =>
      files.some((file) => overlaps(it.files, file))
    const joined = streams.filter(touches)
    const touched = [...openStreams.filter(touches), ...joined]
    const [first] = joined
    if (touched.length > 1 || touched.length > joined.length) {
      const names = touched.map((it) => it.name).join(" and ")
      const { id, title } = ticket
      left.push({ id, title, reason: `touches the same files as ${names}; plan it afterwards` })
      continue
    }
    const stream = first ?? (streams.length < limit ? addStream(streams, named) : shortest(streams))
    if (stream === undefined) {
      const { id, title } = ticket
      left.push({
        id,
        title,
        reason: `${openStreams.length} workstreams are open, which is the limit`,
      })
      continue
    }
    stream.tickets.push(ticket)
    for (const file of files) stream.files.add(file)
  }
  return { workstreams: streams.map(({ name, tickets: own }) => ({ name, tickets: own })), left }
}

/** A folder contains the files below it. */
function overlaps(files: ReadonlySet<string>, file: string): boolean {
  if (files.has(file)) return true
  return [...files].some((it) => it.startsWith(`${file}/`) || file.startsWith(`${it}/`))
}

type Stream = { name: string; tickets: PlannedTicket[]; files: Set<string> }

function filesOf({ touch, tests }: PlannedTicket): readonly string[] {
  return [...touch, ...tests]
}

function addStream(streams: Stream[], named: number): Stream {
  const stream = { name: `ws${named + streams.length + 1}`, tickets: [], files: new Set<string>() }
  streams.push(stream)
  return stream
}

function shortest(streams: readonly Stream[]): Stream | undefined {
  return streams.toSorted((a, b) => a.tickets.length - b.tickets.length)[0]
}

export type TouchSources = {
  /** Files of a simulation that the ticket's text names by its id. */
  receiptFiles(ticket: Ticket): Promise<readonly string[]>
  packageFiles(ticket: Ticket): Promise<readonly string[]>
  likelyTests(files: readonly string[]): Promise<readonly string[]>
}

/** Paths on the card, a simulation receipt, the package's files; undefined without any. */
export async function planTicket(
  ticket: Ticket,
  sources: TouchSources,
): Promise<PlannedTicket | undefined> {
  const { id, title } = ticket
  const options = [
    { from: "card", files: async () => ticket.paths.map(fixedPart) },
    { from: "receipt", files: () => sources.receiptFiles(ticket) },
    { from: "package", files: () => sources.packageFiles(ticket) },
  ] as const
  for (const { from, files } of options) {
    const touch = [...new Set(await files())].filter((it) => it !== "")
    if (touch.length === 0) continue
    const tests = (await sources.likelyTests(touch)).filter((it) => !touch.includes(it))
    return { id, title, touch, tests, from }
  }
  return undefined
}

function fixedPart(pattern: string): string {
  const parts = pattern.split("/").filter((it) => it !== "" && it !== ".")
  const wild = parts.findIndex((it) => /[*?{[]/.test(it))
  return (wild === -1 ? parts : parts.slice(0, wild)).join("/")
}

const SMALL_MODELS = /haiku|mini|flash|small|nano/i
const LARGE_MODELS = /opus|max|large|pro\b/i

/** The cost tier by the name of the model; unknown and inherited models are medium. */
export function tierOf(model: string | null): SwarmPlan["tier"] {
  if (model === null) return "medium"
  if (SMALL_MODELS.test(model)) return "small"
  return LARGE_MODELS.test(model) ? "large" : "medium"
}

export const TIER_BUDGET_USD: Readonly<Record<SwarmPlan["tier"], number>> = {
  small: 1,
  medium: 4,
  large: 10,
}
