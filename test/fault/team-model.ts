/** The history of a drill with several nodes, read from the database and from its clients. */
export type TeamHistory = {
  readonly runs: readonly HistoryRun[]
  readonly messages: readonly HistoryMessage[]
  readonly journal: readonly number[]
  /** Starts that a node confirmed, by the name in the prompt. */
  readonly confirmed: readonly string[]
  /** Samples of the owner of each fence, taken while nodes were killed. */
  readonly owners: readonly {
    readonly runId: string
    readonly fence: number
    readonly owner: string
  }[]
  readonly clients: readonly HistoryClient[]
}

export type HistoryRun = {
  readonly id: string
  /** Unique; the run's scripted messages are `<name>:0`, `<name>:1` and so on. */
  readonly name: string
  readonly status: string
  readonly lastSeq: number
  readonly scripted: number
}

export type HistoryMessage = {
  readonly runId: string
  readonly seq: number
  readonly id: string
  readonly content: string
}

/** The journal numbers that one client received, in order, after `from`. */
export type HistoryClient = {
  readonly name: string
  readonly from: number
  readonly received: readonly number[]
}

const ENDS: ReadonlySet<string> = new Set(["completed", "interrupted"])

/** Each violation as a sentence; none means that nothing was lost or doubled. */
export function findViolations(history: TeamHistory): readonly string[] {
  return [
    ...gapsIn("the journal", history.journal),
    ...history.runs.flatMap((run) => violationsOf(run, history)),
    ...duplicatesIn(
      "message id",
      history.messages.map((it) => it.id),
    ),
    ...duplicatesIn(
      "run of",
      history.runs.map((it) => it.name),
    ),
    ...lostStarts(history),
    ...sharedFences(history),
    ...history.clients.flatMap((client) => violationsOfClient(client, history.journal.length)),
  ]
}

function violationsOf(run: HistoryRun, { messages }: TeamHistory): readonly string[] {
  const own = messages.filter((it) => it.runId === run.id).toSorted((a, b) => a.seq - b.seq)
  const contents = own.map((it) => it.content).filter((it) => it.startsWith(`${run.name}:`))
  const expected = contents.map((_, index) => `${run.name}:${index}`)
  const isOrdered = contents.every((it, index) => it === expected[index])
  const isShort = run.status === "completed" && contents.length !== run.scripted
  return [
    ...gapsIn(
      `run ${run.name}`,
      own.map((it) => it.seq),
    ),
    ...(own.length === run.lastSeq
      ? []
      : [`run ${run.name} has ${own.length} messages and says ${run.lastSeq}`]),
    ...(ENDS.has(run.status) ? [] : [`run ${run.name} ended as ${run.status}`]),
    ...(isOrdered ? [] : [`run ${run.name} has its messages twice or not in order`]),
    ...(isShort ? [`run ${run.name} completed with ${contents.length} of ${run.scripted}`] : []),
  ]
}

function gapsIn(what: string, numbers: readonly number[]): readonly string[] {
  const at = numbers.findIndex((it, index) => it !== index + 1)
  return at === -1 ? [] : [`${what} has ${numbers[at]} at place ${at + 1}`]
}

function duplicatesIn(what: string, values: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return values.flatMap((it) =>
    seen.has(it) ? [`${what} ${it} occurs twice`] : (seen.add(it), []),
  )
}

function lostStarts({ confirmed, runs }: TeamHistory): readonly string[] {
  const names = new Set(runs.map((it) => it.name))
  return confirmed.filter((it) => !names.has(it)).map((it) => `the confirmed run ${it} is lost`)
}

/** A fence belongs to one driver. Two owners of one fence would both be allowed to write. */
function sharedFences({ owners }: TeamHistory): readonly string[] {
  const first = new Map<string, string>()
  const violations = new Set<string>()
  for (const { runId, fence, owner } of owners) {
    const key = `${runId} ${fence}`
    const known = first.get(key) ?? owner
    first.set(key, known)
    if (known !== owner) violations.add(`run ${runId} has two drivers with fence ${fence}`)
  }
  return [...violations]
}

function violationsOfClient(client: HistoryClient, head: number): readonly string[] {
  const { name, from, received } = client
  const at = received.findIndex((it, index) => it !== from + index + 1)
  if (at !== -1) return [`client ${name} received ${received[at]} in place of ${from + at + 1}`]
  const missing = head - from - received.length
  return missing === 0 ? [] : [`client ${name} misses ${missing} events`]
}
