import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { Message } from "#ground/contract"
import { ask, startPostgres } from "#test/postgres"
import { connectLive } from "#test/run-client"
import { startNode, type TeamNode } from "#test/team"
import { tempDirectory } from "#test/temp"
import { type Bench, type BenchContext, createSamples, makeRow, type Row } from "./frame.ts"

const RUNS = 50
const MESSAGES_A_SECOND = 20
/** One run lasts 85 s; its script has at most 200,000 characters. */
const MESSAGES_A_RUN = 1_700
/** A start captures the context of the agent, which is not what this measures. */
const LONGEST_START_MS = 180_000
const DEFAULT_MINUTES = 10

/** The last one is the whole load; the others show how the figures grow. */
const STEPS = [
  { nodes: 1, clients: 10 },
  { nodes: 1, clients: 200 },
  { nodes: 3, clients: 10 },
  { nodes: 3, clients: 200 },
] as const

type Step = { readonly nodes: number; readonly clients: number }

export const bench: Bench = {
  name: "team",
  about: `nodes on one Postgres with ${RUNS} runs at ${MESSAGES_A_SECOND} messages a second each (--minutes 10 for the whole)`,
  async run(context) {
    const minutes = context.minutes ?? DEFAULT_MINUTES
    const rows: Row[] = []
    for (const [at, step] of STEPS.entries()) {
      const isLast = at === STEPS.length - 1
      // A first look at the growth needs a tenth of the time.
      const forMs = (isLast ? minutes : Math.max(0.25, minutes / 10)) * 60_000
      context.note(`${nameOf(step)}: ${Math.round(forMs / 1_000)} s`)
      rows.push(...(await measure(context, step, forMs)))
    }
    return rows
  },
}

function nameOf({ nodes, clients }: Step): string {
  return `${nodes} ${nodes === 1 ? "node" : "nodes"}, ${clients} clients`
}

async function measure(context: BenchContext, step: Step, forMs: number): Promise<readonly Row[]> {
  await using cluster = await startPostgres()
  await using folder = await tempDirectory()
  const url = await cluster.createDatabase()
  await using ending = new AsyncDisposableStack()
  const nodes: TeamNode[] = []
  for (let at = 0; at < step.nodes; at++) {
    const maxRunning = Math.min(64, Math.ceil(RUNS / step.nodes) + 10)
    const options = { name: `n${at}`, folder: folder.path, databaseUrl: url, maxRunning }
    nodes.push(ending.use(await startNode(options)))
  }
  const clock = () => context.clock.monotonicMs()
  const delays: number[] = []
  const followers = createFollowers(nodes, step.clients, delays)
  ending.defer(async () => followers.close())
  const over = new AbortController()
  const unfinished = new Set<string>()
  const workers = Array.from({ length: RUNS }, async (_, worker) => {
    while (!over.signal.aborted) {
      const id = await startRun(nodes[worker % nodes.length], worker)
      if (id === undefined) {
        await sleep(500)
        continue
      }
      unfinished.add(id)
      followers.follow(worker, id)
      while (unfinished.has(id) && !over.signal.aborted) await sleep(500)
    }
  })
  const watching = (async () => {
    while (!over.signal.aborted) {
      for (const id of await readEnded(url).catch(() => [])) unfinished.delete(id)
      await sleep(2_000)
    }
  })()
  const startBy = clock() + LONGEST_START_MS
  while (clock() < startBy && (await countWorking(url)) < RUNS) await sleep(500)
  delays.length = 0
  const before = await readFigures(url, nodes)
  const startedMs = clock()
  const memory: number[] = []
  while (clock() - startedMs < forMs) {
    memory.push((await readFigures(url, nodes)).memoryMegabytes)
    await sleep(Math.min(2_000, Math.max(1, forMs - (clock() - startedMs))))
  }
  const seconds = (clock() - startedMs) / 1_000
  const after = await readFigures(url, nodes)
  const measured = [...delays]
  over.abort()
  await Promise.all([...workers, watching])
  return rowsOf({ step, seconds, before, after, memory, delays: measured })
}

const IdRow = z.object({ id: z.string() })

async function readEnded(url: string): Promise<readonly string[]> {
  const rows = await ask(url, "SELECT id FROM qm.runs WHERE ended_at IS NOT NULL")
  return rows.map((it) => IdRow.parse(it).id)
}

/** Runs that have stored a few messages of their agent. */
async function countWorking(url: string): Promise<number> {
  const rows = await ask(url, "SELECT id FROM qm.runs WHERE status = 'running' AND last_seq > 10")
  return rows.length
}

const Started = z.object({ agentId: z.string() })

async function startRun(node: TeamNode | undefined, worker: number): Promise<string | undefined> {
  const after = 1_000 / MESSAGES_A_SECOND
  const text = `worker ${worker} writes a line of usual length`
  const line = JSON.stringify({ after, event: "message", type: "assistant", text })
  const end = JSON.stringify({ after, event: "turn.ended", outcome: "completed", text: "done" })
  const script = [...Array.from({ length: MESSAGES_A_RUN }, () => line), end].join("\n")
  const body = { type: "synthetic", prompt: `load ${worker}`, configuration: { script } }
  // A busy node may refuse or reset a request; the worker tries again.
  const answer = await node?.ask("POST", "/api/agents", body).catch(() => undefined)
  return Started.safeParse(answer?.json).data?.agentId
}

/** Each client follows the journal, as a console does, and one run; its node is any. */
function createFollowers(nodes: readonly TeamNode[], count: number, delays: number[]) {
  const sockets = Array.from({ length: count }, (_, at) => {
    const node = nodes[at % nodes.length]
    if (node === undefined) throw new Error("a team has a node")
    const socket = connectLive(node.url, { token: node.token, reconnectMs: 500 })
    socket.on("connect", () => void socket.emit("subscribe", { after: null }, () => {}))
    socket.on("agent:message", (frame: unknown) => {
      const { message } = z.object({ message: Message }).parse(frame)
      if (message.role === "assistant") delays.push(Date.now() - message.timestamp)
    })
    return socket
  })
  return {
    follow(worker: number, agentId: string): void {
      for (const [at, socket] of sockets.entries()) {
        if (at % RUNS === worker) socket.emit("subscribe", { agentId }, () => {})
      }
    },
    close(): void {
      for (const socket of sockets) socket.disconnect()
    },
  }
}

type Figures = {
  readonly cpuSeconds: number
  readonly memoryMegabytes: number
  readonly messages: number
  readonly events: number
  readonly journalBytes: number
  readonly messageBytes: number
  readonly transactions: number
}

const DatabaseRow = z.object({
  messages: z.int(),
  events: z.int(),
  journal_bytes: z.int(),
  message_bytes: z.int(),
  transactions: z.int(),
})

async function readFigures(url: string, nodes: readonly TeamNode[]): Promise<Figures> {
  const usages = await Promise.all(nodes.map((it) => it.usage()))
  const [row] = await ask(
    url,
    `SELECT (SELECT coalesce(sum(last_seq), 0)::int FROM qm.runs) AS messages,
      (SELECT seq::int FROM qm.journal_head) AS events,
      pg_total_relation_size('qm.journal')::int AS journal_bytes,
      pg_total_relation_size('qm.run_messages')::int AS message_bytes,
      (SELECT xact_commit::int FROM pg_stat_database WHERE datname = current_database())
        AS transactions`,
  )
  const {
    journal_bytes: journalBytes,
    message_bytes: messageBytes,
    ...counts
  } = DatabaseRow.parse(row)
  return {
    ...counts,
    journalBytes,
    messageBytes,
    cpuSeconds: usages.reduce((sum, it) => sum + it.cpuSeconds, 0),
    memoryMegabytes: usages.reduce((sum, it) => sum + it.memoryMegabytes, 0),
  }
}

function rowsOf(it: {
  readonly step: Step
  readonly seconds: number
  readonly before: Figures
  readonly after: Figures
  readonly memory: readonly number[]
  readonly delays: readonly number[]
}): readonly Row[] {
  const { step, seconds, before, after } = it
  const grown = (name: keyof Figures): number => after[name] - before[name]
  const messages = grown("messages")
  const delays = createSamples(it.delays.length === 0 ? [0] : [...it.delays])
  const memory = createSamples([...it.memory])
  const name = nameOf(step)
  const per = (
    what: string,
    measured: readonly [number, string],
    peer: readonly [string, number],
  ) =>
    makeRow({
      what: `${name}: ${what}`,
      measured: measured[0],
      unit: measured[1],
      against: peer[0],
      floor: peer[1],
    })
  return [
    makeRow({
      what: `${name}: delivery of a message, p95 of ${delays.count}`,
      measured: delays.p95,
      unit: "ms",
      against: "its median",
      floor: delays.median,
    }),
    per("messages stored", [messages / seconds, "per s"], ["sent", RUNS * MESSAGES_A_SECOND]),
    per("CPU of all nodes", [grown("cpuSeconds") / seconds, "cores"], ["one core", 1]),
    per("CPU of a node per message", [(grown("cpuSeconds") / messages) * 1_000, "ms"], ["1 ms", 1]),
    per(
      "memory of a node",
      [memory.median / step.nodes, "MB"],
      ["its p95", memory.p95 / step.nodes],
    ),
    per(
      "transactions",
      [grown("transactions") / seconds, "per s"],
      ["messages", messages / seconds],
    ),
    per("events per message", [grown("events") / messages, "events"], ["messages", 1]),
    per("journal per event", [grown("journalBytes") / grown("events"), "bytes"], ["1 kB", 1_000]),
    per("storage per message", [grown("messageBytes") / messages, "bytes"], ["1 kB", 1_000]),
  ]
}
