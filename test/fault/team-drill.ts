import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "pg"
import { z } from "zod"
import { type NetworkCut, networkCut } from "#test/network-cut"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { followNodes, startNode, type TeamNode } from "#test/team"
import { tempDirectory } from "#test/temp"
import type { TeamHistory } from "./team-model.ts"

const NAMES = ["ahead", "behind", "remote"] as const
const HOUR_MS = 3_600_000
const SHIFTS = { ahead: HOUR_MS, behind: -HOUR_MS, remote: 0 } as const

/** Messages of one run, one every 40 ms: it lasts about as long as the time between two kills. */
const SCRIPTED = 60
const RUNS_AT_ONCE = 8

export type DrillOptions = {
  readonly forMs: number
  readonly killEveryMs: number
  /** A node without its database longer than this has lost its runs. */
  readonly frozenMs: number
}

/**
 * Three nodes on one Postgres, with clocks two hours apart. Nodes are killed in turn under load, the
 * database is restarted in the middle, and the network of one node is frozen and then cut.
 */
export async function runDrill(options: DrillOptions): Promise<TeamHistory> {
  await using cluster = await startPostgres()
  await using folder = await tempDirectory()
  const direct = await cluster.createDatabase()
  using network = await networkCut(cluster.port)
  const throughNetwork = new URL(direct)
  throughNetwork.port = String(network.port)
  const start = (name: (typeof NAMES)[number]) =>
    startNode({
      name,
      folder: folder.path,
      databaseUrl: name === "remote" ? throughNetwork.href : direct,
      clockShiftMs: SHIFTS[name],
    })
  const nodes = new Map<string, TeamNode>()
  await using ending = new AsyncDisposableStack()
  ending.defer(async () => {
    await Promise.all([...nodes.values()].map((it) => it.kill()))
  })
  for (const name of NAMES) nodes.set(name, await start(name))
  const running = () => [...nodes.values()].filter((it) => it.isRunning())

  const first = await readRows(direct, HeadRow, "SELECT epoch, seq FROM qm.journal_head")
  const { epoch = "", seq: from = 0 } = first[0] ?? {}
  const clients = Array.from({ length: 3 }, () => followNodes(running, { epoch, seq: from }))
  for (const client of clients) ending.use(client)

  const over = new AbortController()
  const load = createLoad(running, over.signal)
  const owners = sampleOwners(direct, over.signal)
  await disturb({ nodes, start, cluster, network, options })
  network.heal()
  over.abort()
  await load.done
  // One node more than needed: the last one killed is down as well when the drill ends.
  for (const name of NAMES) {
    if (nodes.get(name)?.isRunning() !== true) nodes.set(name, await start(name))
  }
  await untilEnded(direct)
  // The session files and titles of ended runs add events for a moment.
  const history = await readHistory(direct)
  const head = history.journal.length
  for (const it of clients) await it.until(() => it.cursor().seq >= head)
  return {
    ...history,
    confirmed: load.confirmed,
    owners: await owners,
    clients: clients.map((it, index) => ({
      name: String(index),
      from,
      received: it.entries.map((entry) => entry.seq).filter((seq) => seq <= head),
    })),
  }
}

type Disturbed = {
  readonly nodes: Map<string, TeamNode>
  start(name: (typeof NAMES)[number]): Promise<TeamNode>
  readonly cluster: PostgresCluster
  readonly network: NetworkCut
  readonly options: DrillOptions
}

async function disturb({ nodes, start, cluster, network, options }: Disturbed): Promise<void> {
  const { forMs, killEveryMs, frozenMs } = options
  const startedMs = performance.now()
  const isPast = (share: number): boolean => performance.now() - startedMs >= forMs * share
  let wasRestarted = false
  let wasFrozen = false
  for (let kills = 0; !isPast(1); kills++) {
    await sleep(killEveryMs)
    const name = NAMES[kills % NAMES.length] ?? "ahead"
    await nodes.get(name)?.kill()
    if (!wasFrozen && isPast(0.25)) {
      wasFrozen = true
      network.freeze()
      await sleep(frozenMs)
      network.cut()
      await sleep(1_000)
      network.heal()
    }
    if (!wasRestarted && isPast(0.5)) {
      wasRestarted = true
      const startAgain = await cluster.crash()
      await sleep(1_500)
      await startAgain()
    }
    nodes.set(name, await start(name))
  }
}

/** Starts runs at any node and remembers those that a node confirmed. */
function createLoad(running: () => readonly TeamNode[], over: AbortSignal) {
  const confirmed: string[] = []
  let made = 0
  async function startOne(): Promise<void> {
    const all = running()
    const name = `r${made++}`
    const node = all[made % Math.max(1, all.length)]
    if (node === undefined) return sleep(100)
    const steps = Array.from({ length: SCRIPTED }, (_, index) => ({
      after: 40,
      event: "message",
      type: "assistant",
      text: `${name}:${index}`,
    }))
    const end = { after: 0, event: "turn.ended", outcome: "completed", text: "done" }
    const script = [...steps, end].map((it) => JSON.stringify(it)).join("\n")
    const body = { type: "synthetic", prompt: name, configuration: { script } }
    // A lost answer says nothing about the run: it may exist or not.
    const answer = await node.ask("POST", "/api/agents", body).catch(() => undefined)
    if (answer?.status === 201) confirmed.push(name)
    await sleep((SCRIPTED * 40) / RUNS_AT_ONCE)
  }
  async function work(): Promise<void> {
    while (!over.aborted) await startOne()
  }
  return { confirmed, done: work() }
}

const OwnerRow = z.object({ id: z.string(), fence: z.coerce.number(), owner: z.string() })
const HeadRow = z.object({ epoch: z.string(), seq: z.coerce.number() })
const RunRow = z.object({
  id: z.string(),
  prompt: z.string(),
  status: z.string(),
  last_seq: z.coerce.number(),
})
const MessageRow = z.object({
  run_id: z.string(),
  seq: z.coerce.number(),
  id: z.string(),
  content: z.string(),
})
const SeqRow = z.object({ seq: z.coerce.number() })

async function sampleOwners(url: string, over: AbortSignal): Promise<TeamHistory["owners"]> {
  const samples: TeamHistory["owners"][number][] = []
  while (!over.aborted) {
    const rows = await readRows(
      url,
      OwnerRow,
      "SELECT id, fence, owner FROM qm.runs WHERE owner IS NOT NULL AND status <> 'queued'",
    ).catch(() => [])
    samples.push(...rows.map((it) => ({ runId: it.id, fence: it.fence, owner: it.owner })))
    await sleep(150)
  }
  return samples
}

const UNFINISHED = "status IN ('queued', 'starting', 'running', 'waiting', 'paused')"

/** The timeout of the test is the guard. */
async function untilEnded(url: string): Promise<void> {
  for (;;) {
    const left = await readRows(url, RunRow, `SELECT * FROM qm.runs WHERE ${UNFINISHED}`)
    if (left.length === 0) return
    await sleep(250)
  }
}

async function readHistory(
  url: string,
): Promise<Pick<TeamHistory, "runs" | "messages" | "journal">> {
  const runs = await readRows(url, RunRow, "SELECT * FROM qm.runs ORDER BY created_at")
  const messages = await readRows(
    url,
    MessageRow,
    "SELECT run_id, seq, id, content FROM qm.run_messages ORDER BY run_id, seq",
  )
  const journal = await readRows(url, SeqRow, "SELECT seq FROM qm.journal ORDER BY seq")
  return {
    runs: runs.map((it) => ({
      id: it.id,
      name: it.prompt,
      status: it.status,
      lastSeq: it.last_seq,
      scripted: SCRIPTED,
    })),
    messages: messages.map(({ run_id: runId, ...it }) => ({ ...it, runId })),
    journal: journal.map((it) => it.seq),
  }
}

async function readRows<Row extends z.ZodType>(
  url: string,
  row: Row,
  statement: string,
): Promise<z.output<Row>[]> {
  const client = new Client({ connectionString: url })
  client.on("error", () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows.map((it) => row.parse(it))
  } finally {
    await client.end()
  }
}
